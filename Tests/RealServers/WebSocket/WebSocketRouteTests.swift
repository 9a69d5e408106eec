import DataTransfer
import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

extension RealServerTests {
    /// WebSockets over TLS, proxies, and Unix sockets, and beside HTTP/2.
    @Suite(.timeLimit(.minutes(10))) struct WebSocketRouteTests {
        private static let authority = TrustMaterial.file(Servers.certificate("ca.pem"))
        private static let serverCertificate = TrustMaterial.file(Servers.certificate("server.pem"))

        /// Sends messages that are smaller and larger than a record of TLS.
        private func exercise(_ socket: WebSocket) async throws {
            for size in [1, 20_000, 400_000] {
                #expect(try await socket.echoes(.binary(Data(repeating: 7, count: size))))
            }
            await socket.close()
            #expect(socket.closeStatus?.code == .normal)
        }

        @Test(
            arguments: Engine.ours(with: .webSockets),
            [SocketServers.secure, SocketServers.haproxyTLS, Servers.h2 + "/websockets"])
        func `the trust policy applies to wss`(engine: Engine, server: String) async throws {
            let untrusted = try await engine.session().refusal(server + "/echo")
            #expect(untrusted?.requestError?.transportError?.tlsFailure == .unknownIssuer)
            let pinned = engine.session {
                $0.trust = TrustPolicy(roots: .pem(Self.authority), pins: [.certificate(Self.serverCertificate)])
            }
            try await exercise(try await pinned.open(server + "/echo"))
            let mismatched = engine.session {
                $0.trust = TrustPolicy(
                    roots: .pem(Self.authority), pins: [.certificate(.file(Servers.certificate("client.pem")))])
            }
            #expect(
                try await mismatched.refusal(server + "/echo")?.requestError?.transportError?.tlsFailure == .pinMismatch)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a client certificate is sent over wss`(engine: Engine) async throws
        {
            let identity = ClientIdentity(
                certificate: .file(Servers.certificate("client.pem")), key: .file(Servers.certificate("client.key")))
            for server in [SocketServers.mutual, Servers.mutual + "/websockets"] {
                let known = engine.trusting { $0.trust.clientIdentity = identity }
                try await exercise(try await known.open(server + "/echo"))
                let error = try await engine.trusting().refusal(server + "/echo")
                #expect(error?.code == .requestFailed)
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets), [Servers.h2 + "/websockets", SocketServers.haproxyTLS])
        func `a server that prefers HTTP/2 is asked for HTTP 1`(engine: Engine, server: String) async throws {
            let session = engine.trusting()
            // Afterwards, the session manager knows that the server speaks HTTP/2, and has a connection.
            let known = try await session.send(.get, Servers.h2 + "/ok")
            #expect(known.timings.protocolName == "h2")
            for _ in 0..<2 {
                let socket = try await session.open(server + "/echo")
                #expect(socket.response.timings.protocolName == "http/1.1")
                try await exercise(socket)
                // The WebSocket does not change what is used for other requests.
                #expect(try await session.send(.get, Servers.h2 + "/ok").timings.protocolName == known.timings.protocolName)
            }
            #expect(await session.closedAll)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a Unix socket is used`(engine: Engine) async throws {
            let session = engine.session { $0.unixSocketPath = SocketServers.unixSocketPath }
            try await exercise(try await session.open("ws://any.example/echo"))
            #expect(await session.closedAll)
        }

        private static let proxies: [ProxyConfiguration] = [
            .http(host: "127.0.0.1", port: Servers.proxyPort),
            .http(host: "127.0.0.1", port: Servers.guardedProxyPort, username: "user", password: "secret"),
            .https(host: "127.0.0.1", port: Servers.secureProxyPort, username: "user", password: "secret"),
            .socks5(host: "127.0.0.1", port: Servers.socksPort, username: "user", password: "secret"),
        ]

        @Test(arguments: Engine.ours(with: .webSockets), proxies)
        func `proxies are used for ws and wss`(engine: Engine, proxy: ProxyConfiguration) async throws {
            let session = engine.trusting { $0.proxy = proxy }
            for server in [
                SocketServers.websockets, SocketServers.aiohttp, SocketServers.secure, SocketServers.haproxyTLS,
                Servers.h2 + "/websockets",
            ] {
                let socket = try await session.open(server + "/echo") { $0.compression = WebSocketCompression() }
                try await exercise(socket)
            }
            #expect(await session.closedAll)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a proxy that refuses is an error`(engine: Engine) async throws {
            let proxy = ProxyConfiguration.http(
                host: "127.0.0.1", port: Servers.guardedProxyPort, username: "user", password: "no")
            let session = engine.trusting { $0.proxy = proxy }
            for server in [SocketServers.websockets, SocketServers.secure] {
                #expect(try await session.refusal(server + "/echo")?.code == .requestFailed)
            }
        }
    }
}
