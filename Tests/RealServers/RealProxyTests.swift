import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// What is the same with each proxy, and how each refuses: the errors contain what the proxy sends.
    @Suite(.timeLimit(.minutes(10))) struct RealProxyTests {
        /// The code of an error, and a part of its message.
        struct Refusal: Sendable {
            var code: TransportError.Code
            var message: String
        }

        /// A proxy with the user `user` and the password `secret`, and what it sends if it does not connect.
        struct Proxy: Sendable, CustomTestStringConvertible {
            enum Kind: Sendable {
                case http, https, socks5
            }

            var name: String
            var kind = Kind.http
            var port: Int
            /// What it adds to the `Via` field of forwarded requests; `nil` if it adds no such field, or forwards no requests.
            var via: String?
            /// The status for wrong credentials; `nil` if it accepts them, or speaks SOCKS.
            var wrongStatus: Int?
            var wrongMessage = "does not accept the credentials (407)"
            /// The messages for a port and for a name that it does not permit; `nil` if it permits all.
            var deniedMessage: String?
            var deniedNameMessage: String?
            /// The error for a port at which no server listens; `nil` if the proxy says that it has connected.
            var unreachable: Refusal?

            var testDescription: String { name }

            func configuration(username: String? = "user", password: String? = "secret") -> ProxyConfiguration {
                switch kind {
                case .http: .http(host: "127.0.0.1", port: port, username: username, password: password)
                case .https: .https(host: "127.0.0.1", port: port, username: username, password: password)
                case .socks5: .socks5(host: "127.0.0.1", port: port, username: username, password: password)
                }
            }

            /// Returns the same proxy over TLS.
            func secure(_ name: String, port: Int) -> Proxy {
                var proxy = self
                proxy.name = name
                proxy.kind = .https
                proxy.port = port
                return proxy
            }
        }

        /// It responds with 401 to wrong credentials, with 407 only if they are missing; with 500 if it cannot connect.
        private static let tinyproxy = Proxy(
            name: "tinyproxy", port: Servers.tinyproxyPort, via: "tinyproxy", wrongStatus: 401,
            wrongMessage: "401 (Unauthorized)",
            deniedMessage: "403 (Access violation)", deniedNameMessage: "403 (Filtered)",
            unreachable: Refusal(code: .proxyFailed, message: "500 (Unable to connect)"))

        private static let squid = Proxy(
            name: "Squid", port: Servers.squidPort, via: "squid", wrongStatus: 407, deniedMessage: "403 (Forbidden)",
            deniedNameMessage: "403 (Forbidden)",
            unreachable: Refusal(code: .proxyFailed, message: "503 (Service Unavailable)"))

        private static let proxyPy = Proxy(
            name: "proxy.py", port: Servers.guardedProxyPort, via: "proxy.py", wrongStatus: 407,
            unreachable: Refusal(code: .proxyFailed, message: "502 (Bad Gateway)"))

        /// It closes the connection if it cannot connect.
        private static let pproxy = Proxy(
            name: "pproxy", port: Servers.pproxyPort, wrongStatus: 407,
            unreachable: Refusal(
                code: .proxyFailed, message: "the proxy has closed the connection without a response to CONNECT"))

        /// It requires no credentials.
        private static let dante = Proxy(
            name: "Dante", kind: .socks5, port: Servers.dantePort, deniedMessage: "2 (connection not allowed by ruleset)",
            unreachable: Refusal(code: .proxyFailed, message: "5 (connection refused)"))

        private static let proxies = [
            tinyproxy, tinyproxy.secure("tinyproxy behind HAProxy", port: Servers.secureTinyproxyPort),
            squid, squid.secure("Squid behind HAProxy", port: Servers.secureSquidPort),
            proxyPy, proxyPy.secure("proxy.py over TLS", port: Servers.secureProxyPort),
            pproxy, Proxy(name: "pproxy with SOCKS 5", kind: .socks5, port: Servers.socksPort), dante,
        ]

        @Test(arguments: Engine.ours(with: .proxies), proxies)
        func `a proxy connects over HTTP and HTTPS, to addresses and to names`(engine: Engine, proxy: Proxy) async throws {
            let session = engine.trusting { $0.proxy = proxy.configuration() }
            for server in [Servers.nginx, Servers.tls, Servers.h2] {
                let named = server.replacingOccurrences(of: "127.0.0.1", with: "localhost")
                for url in [server, server, named] {
                    let response = try await session.send(.get, "\(url)/files/hello.txt")
                    #expect(response.statusCode == 200 && response.text == "hello, world\n")
                    #expect(response.serverAddress?.port == proxy.port)
                }
            }
        }

        @Test(arguments: Engine.ours(with: .proxies), proxies.filter { $0.via != nil })
        func `a proxy adds its name to a forwarded request, and keeps the body`(engine: Engine, proxy: Proxy) async throws {
            let via = try #require(proxy.via)
            let session = engine.trusting { $0.proxy = proxy.configuration() }
            let text = try await session.send(.post, Servers.echo + "/a?b", body: Data("hello".utf8)).text
            #expect(text.contains(via) && text.contains("\"/a?b\"") && text.contains(Data("hello".utf8).base64EncodedString()))
            #expect(!text.contains("Proxy-Authorization") && !text.contains("proxy-authorization"))
        }

        @Test(arguments: Engine.ours(with: .proxies), proxies)
        func `a tunnel is kept for the next requests`(engine: Engine, proxy: Proxy) async throws {
            let session = engine.trusting { $0.proxy = proxy.configuration() }
            for server in [Servers.tls, Servers.h2] {
                var isReused: [Bool?] = []
                var connections: Set<String> = []
                for _ in 0..<3 {
                    let response = try await session.send(.get, "\(server)/connection")
                    isReused.append(response.timings.isReusedConnection)
                    connections.insert(String(response.text.prefix { $0 != "|" }))
                }
                #expect(isReused == [false, true, true] && connections.count == 1, "\(connections)")
            }
        }

        @Test(arguments: Engine.ours(with: .proxies), proxies)
        func `a megabyte is uploaded through a tunnel`(engine: Engine, proxy: Proxy) async throws {
            let session = engine.trusting { $0.proxy = proxy.configuration() }
            let text = String(decoding: Servers.tenMegabytes.prefix(1 << 20).map { 0x61 + $0 % 26 }, as: UTF8.self)
            for server in [Servers.tls, Servers.h2] {
                let response = try await session.send(
                    .post, "\(server)/httpbin/anything", headers: ["Content-Type": "text/plain"], body: Data(text.utf8))
                // `#expect(a == b)` would print both bodies if they differ.
                let isSame = try response.echo.data == text
                #expect(isSame)
            }
        }

        @Test(arguments: Engine.ours(with: .proxies), proxies.filter { $0.wrongStatus != nil })
        func `an HTTP proxy refuses wrong and missing credentials with its status`(engine: Engine, proxy: Proxy) async throws {
            let wrong = engine.trusting { $0.proxy = proxy.configuration(password: "wrong") }
            #expect(try await wrong.send(.get, "\(Servers.nginx)/ok").statusCode == proxy.wrongStatus)
            let error = try await wrong.failure(.get, "\(Servers.h2)/ok")
            #expect(error.code == .proxyRefused && error.phase == .connect && !error.isRetryable, "\(error)")
            #expect(error.message.contains(proxy.wrongMessage) && !error.description.contains("wrong"), "\(error)")
            let without = engine.trusting { $0.proxy = proxy.configuration(username: nil, password: nil) }
            #expect(try await without.send(.get, "\(Servers.nginx)/ok").statusCode == 407)
            let missing = try await without.failure(.get, "\(Servers.h2)/ok")
            #expect(missing.code == .proxyRefused && missing.message.contains("requires credentials (407)"), "\(missing)")
        }

        @Test(arguments: Engine.ours(with: .proxies), proxies.filter { $0.deniedMessage != nil })
        func `a server that a proxy does not permit is an error with the reply of the proxy`(
            engine: Engine, proxy: Proxy
        ) async throws {
            let session = engine.trusting { $0.proxy = proxy.configuration() }
            let message = try #require(proxy.deniedMessage)
            var rows = [("https://127.0.0.1:\(Servers.deniedPort)/", message)]
            if let message = proxy.deniedNameMessage {
                rows.append((Servers.h2.replacingOccurrences(of: "127.0.0.1", with: "denied.example") + "/", message))
                #expect(try await session.send(.get, "http://denied.example/").statusCode == 403)
            }
            for (url, message) in rows {
                let error = try await session.failure(.get, url)
                #expect(error.code == .proxyRefused && error.phase == .connect && !error.isRetryable, "\(error)")
                #expect(error.message.contains(message), "\(error)")
            }
            #expect(try await session.send(.get, "\(Servers.h2)/ok").text == "ok")
        }

        @Test(arguments: Engine.ours(with: .proxies), proxies.filter { $0.unreachable != nil })
        func `a server that a proxy cannot reach is an error with the reply of the proxy`(
            engine: Engine, proxy: Proxy
        ) async throws {
            let expected = try #require(proxy.unreachable)
            let session = engine.trusting { $0.proxy = proxy.configuration() }
            for scheme in proxy.kind == .socks5 ? ["http", "https"] : ["https"] {
                let error = try await session.failure(.get, "\(scheme)://127.0.0.1:\(Servers.unusedPort)/")
                #expect(error.code == expected.code && error.phase == .connect, "\(error)")
                #expect(error.message.contains(expected.message), "\(error)")
                #expect(error.isRetryable == (expected.code == .proxyFailed), "\(error)")
            }
        }

        #if os(Linux)
            @Test func `proxies with SOCKS 4 connect, and their refusals are errors`() async {
                // In a separate process: only the environment can name such a proxy, and it is shared by the whole process.
                await #expect(processExitsWith: .success) { try await RealProxyTests.useSOCKS4() }
            }

            private static func useSOCKS4() async throws {
                let dante = "127.0.0.1:\(Servers.dantePort)"
                let pproxy = "127.0.0.1:\(Servers.socks4Port)"
                // Neither supports the names of SOCKS 4A, but it is the same as SOCKS 4 for addresses.
                for proxy in ["socks4://\(dante)", "socks4a://\(dante)", "socks4://user@\(pproxy)", "socks4a://user@\(pproxy)"] {
                    let session = session(proxy: proxy)
                    for server in [Servers.nginx, Servers.tls, Servers.h2] {
                        let response = try await session.send(.get, "\(server)/ok")
                        #expect(response.text == "ok" && response.serverAddress?.port == URL(string: proxy)?.port, "\(proxy)")
                    }
                }
                // The protocol has one code for all reasons.
                for port in [Servers.deniedPort, Servers.unusedPort] {
                    let error = try await session(proxy: "socks4://\(dante)").failure(.get, "https://127.0.0.1:\(port)/")
                    #expect(error.code == .proxyFailed && error.message.contains("91 (request rejected or failed)"), "\(error)")
                }
                let error = try await session(proxy: "socks4://nobody@\(pproxy)").failure(.get, "\(Servers.nginx)/ok")
                #expect(error.code == .proxyFailed && error.message.contains("closed the connection without a reply"), "\(error)")
            }

            private static func session(proxy: String) -> any NetworkSessionManager {
                for name in ["http_proxy", "https_proxy"] { setenv(name, proxy, 1) }
                setenv("no_proxy", "", 1)
                return SocketSessionManager(configuration: SessionConfiguration { $0.trust = Servers.trust })
            }
        #endif
    }
}
