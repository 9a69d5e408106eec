import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import TransferTestSupport
import Testing

extension RealServerTests {
    /// Independent proxies: an HTTP proxy (proxy.py), with and without credentials, and a SOCKS 5 proxy (pproxy).
    @Suite(.timeLimit(.minutes(10))) struct ProxyTests {
        private static let open = ProxyConfiguration.http(host: "127.0.0.1", port: Servers.proxyPort)
        private static let refusing = ProxyConfiguration.http(host: "127.0.0.1", port: Servers.refusingProxyPort)

        private static func guarded(
            _ username: String? = "user", _ password: String? = "secret", excluding: [String] = []
        ) -> ProxyConfiguration {
            .http(
                host: "127.0.0.1", port: Servers.guardedProxyPort, username: username, password: password,
                excludedHosts: excluding)
        }

        private static func secure(
            _ username: String? = "user", _ password: String? = "secret", host: String = "127.0.0.1"
        ) -> ProxyConfiguration {
            .https(host: host, port: Servers.secureProxyPort, username: username, password: password)
        }

        private static func socks(
            _ username: String? = "user", _ password: String? = "secret", resolvesNamesThere: Bool = true,
            excluding: [String] = []
        ) -> ProxyConfiguration {
            .socks5(
                host: "127.0.0.1", port: Servers.socksPort, username: username, password: password,
                resolvesNamesThere: resolvesNamesThere, excludedHosts: excluding)
        }

        @Test(arguments: Engine.ours(with: .proxies), [open, guarded()])
        func `a proxy forwards requests over plain HTTP, several on one session manager`(
            engine: Engine, proxy: ProxyConfiguration
        ) async throws {
            let session = engine.session { $0.proxy = proxy }
            for (size, method) in [(0, RequestMethod.get), (10, .post), (300_000, .put)] {
                let body = method == .get ? nil : Data(repeating: 0x61, count: size)
                let response = try await session.send(method, "\(Servers.httpbin)/anything", body: body)
                let echo = try response.echo
                #expect(echo.method == method.rawValue && echo.data.utf8.count == size)
            }
            // The proxy adds its name only to the first request of a connection, and httpbin does not show it.
            let fresh = engine.session { $0.proxy = proxy }
            #expect(try await fresh.send(.get, Servers.echo + "/a?b").text.contains("proxy.py"))
        }

        @Test(arguments: Engine.ours(with: .proxies))
        func `an HTTPS proxy forwards requests and opens tunnels over TLS`(engine: Engine) async throws {
            let session = engine.trusting { $0.proxy = Self.secure() }
            for (size, method) in [(0, RequestMethod.get), (10, .post), (300_000, .put)] {
                let body = method == .get ? nil : Data(repeating: 0x61, count: size)
                let response = try await session.send(method, "\(Servers.httpbin)/anything", body: body)
                #expect(try response.echo.data.utf8.count == size)
                #expect(response.serverAddress?.port == Servers.secureProxyPort)
            }
            for _ in 0..<3 {
                for server in [Servers.tls, Servers.h2] {
                    let response = try await session.send(.get, "\(server)/ok")
                    #expect(response.text == "ok" && response.serverAddress?.port == Servers.secureProxyPort)
                }
            }
            let large = try await session.send(.get, "\(Servers.tls)/files/10mb.bin")
            #expect(large.data == Servers.tenMegabytes)
            try await withThrowingTaskGroup(of: String.self) { group in
                for server in [Servers.nginx, Servers.tls, Servers.h2] {
                    for _ in 0..<30 { group.addTask { try await session.send(.get, server + "/ok").text } }
                }
                for try await text in group { #expect(text == "ok") }
            }
        }

        @Test(arguments: Engine.ours(with: .proxies), [secure(nil, nil), secure("user", "wrong")])
        func `an HTTPS proxy refuses requests without valid credentials`(engine: Engine, proxy: ProxyConfiguration) async throws {
            let session = engine.trusting { $0.proxy = proxy }
            #expect(try await session.send(.get, "\(Servers.nginx)/ok").statusCode == 407)
            let error = try await session.failure(.get, "\(Servers.h2)/ok")
            #expect(error.code == .proxyRefused && error.phase == .connect && !error.isRetryable, "\(error)")
        }

        @Test(arguments: Engine.ours(with: .proxies))
        func `the certificate of an HTTPS proxy is verified under the policy of its host`(engine: Engine) async throws {
            for server in [Servers.nginx, Servers.h2] {
                let unknown = engine.session {
                    $0.proxy = Self.secure()
                    $0.trustByHost["elsewhere.example"] = Servers.trust
                }
                let error = try await unknown.failure(.get, "\(server)/ok")
                #expect(error.code == .tlsFailed && error.tlsFailure == .unknownIssuer, "\(error)")
                #expect(error.message.contains("proxy"), "\(error)")
                let pinned = engine.trusting {
                    $0.proxy = Self.secure(host: "localhost")
                    $0.route.addresses["localhost"] = ["127.0.0.1"]
                    $0.trustByHost["localhost"] = TrustPolicy(
                        roots: .pem(.file(Servers.certificate("ca.pem"))),
                        pins: [.publicKey(sha256: String(repeating: "A", count: 43) + "=")])
                }
                let mismatch = try await pinned.failure(.get, "\(server)/ok")
                #expect(mismatch.tlsFailure == .pinMismatch, "\(mismatch)")
                // Only the proxy is on `localhost`, so the server's policy does not apply to it.
                let separate = engine.session {
                    $0.proxy = Self.secure(host: "localhost")
                    $0.route.addresses["localhost"] = ["127.0.0.1"]
                    $0.trust = Servers.trust
                    $0.trustByHost["127.0.0.1"] = TrustPolicy()
                }
                if server == Servers.nginx {
                    #expect(try await separate.send(.get, "\(server)/ok").text == "ok")
                } else {
                    let server = try await separate.failure(.get, "\(server)/ok")
                    #expect(server.tlsFailure == .unknownIssuer && !server.message.contains("proxy"), "\(server)")
                }
            }
        }

        @Test(
            .needs("python3 and the openssl command", TLSServers.areAvailable), arguments: Engine.ours(with: .proxies),
            [
                ("expired", TLSFailure.certificateExpired), ("wrong-host", .wrongHost), ("tls-1.1", .protocolVersion),
                ("client-1.2", .handshakeRefused), ("plain", .notTLS),
            ])
        func `TLS to a server behind an HTTPS proxy fails for the reason that it has without the proxy`(
            engine: Engine, row: (server: String, failure: TLSFailure)
        ) async throws {
            let servers = try TLSServers.running()
            let session = engine.session {
                $0.proxy = Self.secure()
                $0.trust = Servers.trust
                $0.trustByHost["localhost"] = TrustPolicy(roots: servers.authority)
            }
            let plain = Servers.nginx.replacingOccurrences(of: "http:", with: "https:")
            let error = try await session.failure(.get, row.server == "plain" ? plain : "\(servers.url(row.server))")
            #expect(error.code == .tlsFailed && error.tlsFailure == row.failure && error.phase == .tls, "\(error)")
            #expect(!error.message.contains("proxy"), "\(error)")
        }

        /// The alert that the client sends is encrypted by the connection to the proxy, which must not lose the reason of the alert.
        @Test(arguments: Engine.ours(with: .proxies))
        func `a server behind an HTTPS proxy that chooses TLS 1.0 unasked is refused for its version`(engine: Engine) async throws
        {
            let (listener, port) = try LoopbackSocket.listen(backlog: 1, blocks: true)
            defer { close(listener) }
            Thread.detachNewThread {
                let connection = accept(listener, nil, nil)
                var bytes = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &bytes, bytes.count, 0)
                // A ServerHello (RFC 2246 §7.4.1.3).
                let hello: [UInt8] =
                    [22, 3, 1, 0, 42, 2, 0, 0, 38, 3, 1] + [UInt8](repeating: 1, count: 32) + [0, 0xC0, 0x13, 0]
                _ = send(connection, hello, hello.count, 0)
                while recv(connection, &bytes, bytes.count, 0) > 0 {}
                close(connection)
            }
            let session = engine.trusting { $0.proxy = Self.secure() }
            let error = try await session.failure(.get, "https://127.0.0.1:\(port)/")
            #expect(error.tlsFailure == .protocolVersion && !error.message.contains("proxy"), "\(error)")
        }

        @Test(arguments: Engine.ours(with: .proxies))
        func `the names of an HTTPS proxy are checked although those of the server are not`(engine: Engine) async throws {
            let session = engine.session {
                $0.proxy = .https(host: "localhost", port: Servers.unnamedProxyPort, username: "user", password: "secret")
                $0.route.addresses["localhost"] = ["127.0.0.1"]
                $0.trust = TrustPolicy(roots: .insecureWithoutVerification)
                $0.trustByHost["localhost"] = Servers.trust
            }
            for server in [Servers.nginx, Servers.h2] {
                let error = try await session.failure(.get, "\(server)/ok")
                #expect(error.tlsFailure == .missingAlternativeName && error.message.contains("proxy"), "\(error)")
            }
        }

        @Test(arguments: Engine.ours(with: .proxies), [open, guarded(), socks(), socks(resolvesNamesThere: false)])
        func `TLS is tunnelled through a proxy`(engine: Engine, proxy: ProxyConfiguration) async throws {
            let session = engine.trusting { $0.proxy = proxy }
            for _ in 0..<3 {
                #expect(try await session.send(.get, "\(Servers.tls)/ok").text == "ok")
                let protocolName = try await session.send(.get, "\(Servers.h2)/ok").timings.protocolName
                #expect(protocolName == "h2")
            }
            // With local name lookup, the proxy receives one address, and `localhost` may be ::1, where no server listens.
            if proxy == Self.socks(resolvesNamesThere: false) { return }
            let local = Servers.h2.replacingOccurrences(of: "127.0.0.1", with: "localhost")
            #expect(try await session.send(.get, "\(local)/ok").text == "ok")
        }

        @Test(arguments: Engine.ours(with: .proxies), [open, guarded(), socks()])
        func `many concurrent requests are sent through a proxy`(engine: Engine, proxy: ProxyConfiguration) async throws {
            let session = engine.trusting { $0.proxy = proxy }
            for server in [Servers.nginx, Servers.tls, Servers.h2] {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<60 { group.addTask { try await session.send(.get, server + "/ok").text } }
                    for try await text in group { #expect(text == "ok") }
                }
            }
        }

        @Test(arguments: Engine.ours(with: .proxies), [guarded(nil, nil), guarded("user", "wrong"), guarded("nobody", nil)])
        func `an HTTP proxy refuses requests without valid credentials`(engine: Engine, proxy: ProxyConfiguration) async throws {
            let session = engine.trusting { $0.proxy = proxy }
            #expect(try await session.send(.get, "\(Servers.nginx)/ok").statusCode == 407)
            let error = try await session.failure(.get, "\(Servers.h2)/ok")
            #expect(error.code == .proxyRefused && error.phase == .connect && !error.isRetryable, "\(error)")
            #expect(!error.description.contains("wrong") && !error.description.contains("nobody"))
        }

        @Test(arguments: Engine.ours(with: .proxies), [socks(nil, nil), socks("user", "wrong"), socks("nobody", nil)])
        func `a SOCKS proxy refuses requests without valid credentials`(engine: Engine, proxy: ProxyConfiguration) async throws {
            let session = engine.trusting { $0.proxy = proxy }
            for server in [Servers.nginx, Servers.h2] {
                let error = try await session.failure(.get, server + "/ok")
                // Some proxies close the connection instead of replying that no method is acceptable.
                #expect([.proxyRefused, .proxyFailed].contains(error.code) && error.phase == .connect, "\(error)")
            }
        }

        @Test(arguments: Engine.ours(with: .proxies))
        func `requests to excluded hosts do not use a proxy that would refuse them`(engine: Engine) async throws {
            for proxy in [
                Self.guarded("user", "wrong", excluding: ["127.0.0.1"]), Self.socks("user", "wrong", excluding: ["127.0.0.1"]),
                .http(host: "127.0.0.1", port: Servers.refusingProxyPort, excludedHosts: ["*"]),
            ] {
                let session = engine.trusting { $0.proxy = proxy }
                for server in [Servers.nginx, Servers.h2] { #expect(try await session.send(.get, server + "/ok").text == "ok") }
            }
            let other = engine.trusting { $0.proxy = Self.guarded("user", "wrong", excluding: ["elsewhere.example"]) }
            #expect(try await other.send(.get, "\(Servers.nginx)/ok").statusCode == 407)
        }

        @Test(arguments: Engine.ours(with: .proxies)) func `a tunnel that a proxy refuses is reported as a proxy error`(
            engine: Engine
        )
            async throws
        {
            let session = engine.trusting { $0.proxy = Self.refusing }
            for _ in 0..<3 {
                let tunnel = try await session.failure(.get, "\(Servers.h2)/ok")
                #expect(tunnel.code == .proxyRefused && tunnel.phase == .connect, "\(tunnel)")
                #expect(try await session.send(.get, "\(Servers.nginx)/ok").statusCode == 403)
            }
            let closing = try await session.failure(.get, "https://close.example/")
            #expect(closing.code == .proxyFailed, "\(closing)")
            let plain = try await session.failure(.get, "http://close.example/")
            #expect(plain.code == .connectionLost, "\(plain)")
        }

        @Test(arguments: Engine.ours(with: .proxies)) func `a host name that the proxy cannot look up is a connectivity error`(
            engine: Engine
        )
            async throws
        {
            let session = engine.trusting { $0.proxy = Self.socks() }
            let error = try await session.failure(.get, "http://\(unknownHost)/")
            #expect(error.isConnectivity, "\(error)")
            let missing = engine.session { $0.proxy = .http(host: unknownHost, port: 1) }
            let failure = try await missing.failure(.get, "\(Servers.nginx)/ok")
            #expect(failure.code == .proxyFailed, "\(failure)")
        }

        #if os(Linux)
            @Test func `the proxies in the environment are used, except for excluded hosts`() async {
                // In a separate process: the environment is shared by the whole process.
                await #expect(processExitsWith: .success) { try await ProxyTests.useProxiesOfEnvironment() }
            }

            private static func useProxiesOfEnvironment() async throws {
                setenv("http_proxy", "http://127.0.0.1:\(Servers.refusingProxyPort)", 1)
                setenv("https_proxy", "http://user:secret@127.0.0.1:\(Servers.guardedProxyPort)", 1)
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.trust = Servers.trust })
                #expect(try await session.send(.get, "\(Servers.nginx)/ok").statusCode == 403)
                #expect(try await session.send(.get, "\(Servers.h2)/ok").text == "ok")
                setenv("https_proxy", "http://user:wrong@127.0.0.1:\(Servers.guardedProxyPort)", 1)
                let wrong = SocketSessionManager(configuration: session.configuration)
                #expect(try await wrong.failure(.get, "\(Servers.h2)/ok").code == .proxyRefused)
                setenv("no_proxy", "elsewhere.example,127.0.0.1", 1)
                for server in [Servers.nginx, Servers.h2] {
                    #expect(try await wrong.send(.get, server + "/ok").text == "ok")
                }
                unsetenv("no_proxy")
                let none = SocketSessionManager(
                    configuration: SessionConfiguration {
                        $0.trust = Servers.trust
                        $0.proxy = .none
                    })
                #expect(try await none.send(.get, "\(Servers.nginx)/ok").text == "ok")
            }
        #endif
    }
}
