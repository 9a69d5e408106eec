import DataTransfer
import Foundation
import NetworkPipeline
import NetworkWebSocket
import TransferTestSupport
import Testing

extension RealServerTests {
    /// What happens before the response with status 101: credentials, redirects, refusals, subprotocols, limits.
    @Suite(.timeLimit(.minutes(10))) struct WebSocketHandshakeTests {
        private static func httpURL(_ url: String) -> String { "http" + url.dropFirst("ws".count) }

        private func service(
            _ engine: Engine, _ base: String, password: String? = nil
        ) throws -> DefaultNetworkService {
            let api = try APIConfiguration(Self.httpURL(base))
            let interceptors: [any NetworkInterceptor] =
                password.map { [.authenticationOnChallenge(user: "user", password: $0, for: api)] } ?? []
            return DefaultNetworkService(
                configuration: api, sessionManager: engine.trusting(), interceptors: interceptors)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a 401 leads to a second request with credentials`(engine: Engine)
            async throws
        {
            let knowing = try service(engine, SocketServers.aiohttp, password: "secret")
            for _ in 0..<2 {
                let socket = try await knowing.webSocket(for: Endpoint<Void>(path: "guarded"))
                #expect(try await socket.echoes(.text("let in")))
                await socket.close()
            }
            for password in ["wrong", nil] {
                let service = try service(engine, SocketServers.aiohttp, password: password)
                let error = await #expect(throws: WebSocketError.self) {
                    try await service.webSocket(for: Endpoint<Void>(path: "guarded"))
                }
                #expect(error?.code == .requestFailed && error?.requestError?.statusCode == 401)
                #expect(error?.requestError?.response?.text == "credentials, please")
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a redirect before the upgrade is followed`(engine: Engine)
            async throws
        {
            let service = try service(engine, SocketServers.aiohttp)
            let elsewhere = Self.httpURL(SocketServers.websockets) + "/echo"
            for to in ["/echo", "/redirect?to=/echo", elsewhere] {
                let socket = try await service.webSocket(for: Endpoint<Void>(path: "redirect", queryParameters: ["to": to]))
                #expect(try await socket.echoes(.text("moved")))
                #expect(socket.response.url.path == "/echo")
                await socket.close()
                let direct = try await engine.session().open(SocketServers.aiohttp + "/redirect?to=" + to.encoded)
                #expect(try await direct.echoes(.text("moved")))
                await direct.close()
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a redirect to ws is followed`(engine: Engine) async throws {
            let socket = try await engine.session().open(
                SocketServers.aiohttp + "/redirect?to=" + (SocketServers.websockets + "/echo").encoded)
            #expect(try await socket.echoes(.text("moved")))
            await socket.close()
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a refusal is an error with its status and body`(engine: Engine)
            async throws
        {
            let service = try service(engine, SocketServers.aiohttp)
            let session = engine.session()
            let refusals = [
                ("forbidden", 403, "no seats left"), ("plain", 200, "no WebSocket here"), ("missing", 404, "Not Found"),
            ]
            for (path, status, body) in refusals {
                let error = await #expect(throws: WebSocketError.self) {
                    try await service.webSocket(for: Endpoint<Void>(path: path))
                }
                let direct = try await session.refusal(SocketServers.aiohttp + "/" + path)
                for error in [error, direct] {
                    #expect(error?.code == .requestFailed && error?.requestError?.statusCode == status)
                    #expect(error?.requestError?.response?.text.contains(body) == true, "\(String(describing: error))")
                }
            }
            // `Upgrade` has no meaning to this server.
            #expect(try await session.refusal(Servers.nginx + "/ok")?.requestError?.statusCode == 200)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a subprotocol is agreed on`(engine: Engine) async throws {
            let session = engine.session()
            let offers: [([String], String?)] = [([], nil), (["chat"], "chat"), (["other", "chat"], "chat"), (["other"], nil)]
            for server in [SocketServers.websockets, SocketServers.aiohttp, SocketServers.haproxy] {
                for (offer, expected) in offers {
                    let socket = try await session.open(server + "/echo") { $0.subprotocols = offer }
                    #expect(socket.subprotocol == expected, "\(server) \(offer)")
                    #expect(try await socket.echoes(.text("hello")))
                    await socket.close()
                }
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `header fields of the request are received`(engine: Engine)
            async throws
        {
            let socket = try await engine.session().open(
                SocketServers.aiohttp + "/echo?headers", headers: ["X-Room": "seven", "Origin": "https://example.com"])
            let fields = try await socket.messages(as: .json([String: String].self)).first { _ in true }
            #expect(fields?["X-Room"] == "seven" && fields?["Origin"] == "https://example.com")
            #expect(fields?["Sec-WebSocket-Version"] == "13" && fields?["Upgrade"] == "websocket")
            await socket.close()
        }

        @Test(arguments: Engine.ours(with: .webSockets))
        func `open sockets do not count towards the connections of a host, but have a separate limit`(engine: Engine)
            async throws
        {
            let session = engine.session {
                $0.maximumConnectionsPerHost = 1
                $0.maximumUpgradedConnections = 4
            }
            var sockets: [WebSocket] = []
            for index in 0..<4 {
                sockets.append(try await session.open(SocketServers.websockets + "/echo"))
                #expect(try await sockets[index].echoes(.text("\(index)")))
            }
            for server in [SocketServers.websockets, SocketServers.aiohttp] {
                let error = try await session.refusal(server + "/echo")
                #expect(error?.requestError?.transportError?.code == .outOfResources, "\(String(describing: error))")
            }
            await sockets.removeLast().close()
            let next = try await session.open(SocketServers.aiohttp + "/echo")
            for socket in sockets + [next] {
                #expect(try await socket.echoes(.text("still open")))
                await socket.close()
            }
            #expect(await session.closedAll)
        }
    }
}
