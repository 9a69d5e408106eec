import DataTransfer
import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

extension RealServerTests {
    /// The closing handshake from either side, pings, and connections that are lost.
    @Suite(.timeLimit(.minutes(10))) struct WebSocketClosingTests {
        @Test(arguments: Engine.ours(with: .webSockets), [1000, 1001, 1003, 1008, 1011, 1012, 3000, 4999])
        func `a server's close code and reason are reported`(engine: Engine, code: UInt16) async throws {
            let closeCode = WebSocketCloseCode(rawValue: code)
            let urls = [
                SocketServers.websockets, SocketServers.secure, SocketServers.haproxy, SocketServers.aiohttp,
                Servers.nginx + "/websockets", Servers.h2 + "/aiohttp",
            ]
            let session = engine.trusting()
            for url in urls {
                let socket = try await session.open(url + "/close?code=\(code)&reason=r%C3%A9ason&after=3")
                let (messages, error) = await socket.rest()
                #expect(messages.count == (url.contains("aiohttp") || url == SocketServers.aiohttp ? 0 : 3))
                #expect(socket.closeStatus?.code == closeCode && socket.closeStatus?.reason == "réason")
                if code <= 1001 {
                    #expect(error == nil)
                } else {
                    #expect(error?.code == .closed && error?.closeCode == closeCode && error?.message.contains("réason") == true)
                }
                let after = await #expect(throws: WebSocketError.self) { try await socket.send(.text("too late")) }
                #expect(after?.code == .closed)
            }
            #expect(await session.closedAll)
        }

        @Test(
            arguments: Engine.ours(with: .webSockets),
            [1000: "done", 1001: "", 3001: "réason", 4000: String(repeating: "x", count: 200)])
        func `a server receives our close code and reason`(engine: Engine, close: (key: UInt16, value: String)) async throws {
            let session = engine.session()
            let name = UUID().uuidString
            let socket = try await session.open(SocketServers.websockets + "/watched/\(name)")
            #expect(try await socket.receive() == .text("watched"))
            let (code, reason) = close
            await socket.close(WebSocketCloseCode(rawValue: code), reason: reason)
            #expect(socket.closeStatus?.code.rawValue == code)
            #expect(try await socket.receive() == nil)
            #expect(try await Self.seen(name, session) == "\(code) \(reason.prefix(123))")
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a socket that is released or cancelled closes with 1001`(
            engine: Engine
        ) async throws {
            let session = engine.session()
            for cancels in [false, true] {
                let name = UUID().uuidString
                var socket: WebSocket? = try await session.open(SocketServers.websockets + "/watched/\(name)")
                #expect(try await socket?.receive() == .text("watched"))
                if cancels { socket?.cancel() }
                socket = nil
                #expect(try await Self.seen(name, session) == "1001 ")
            }
            #expect(await session.closedAll)
        }

        /// Returns the code and the reason that the server has received.
        private static func seen(_ name: String, _ session: any NetworkSessionManager) async throws -> String? {
            let socket = try await session.open(SocketServers.websockets + "/seen/\(name)")
            guard case .text(let text)? = try await socket.receive() else { return nil }
            return text
        }

        @Test(arguments: Engine.ours(with: .webSockets), ["abort?after=5", "abort?after=5&eof"])
        func `a connection that a server drops is lost, after its messages`(engine: Engine, path: String) async throws {
            let session = engine.trusting()
            for server in [SocketServers.websockets, SocketServers.haproxy, Servers.nginx + "/websockets"] {
                let socket = try await session.open(server + "/" + path)
                let (messages, error) = await socket.rest()
                // A reset may discard what was not read yet.
                #expect(messages == (0..<messages.count).map { .text("message \($0)") })
                if path.hasSuffix("eof") {
                    #expect(messages.count == 5)
                    // The server of `websockets` then responds with a close frame only if the client sends one.
                }
                #expect(error?.code == .connectionLost && socket.closeStatus == nil, "\(server) \(String(describing: error))")
                let after = await #expect(throws: WebSocketError.self) { try await socket.send(.text("too late")) }
                #expect(after?.code == .connectionLost)
            }
            #expect(await session.closedAll)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a handler that raises closes with 1011`(engine: Engine)
            async throws
        {
            let socket = try await engine.session().open(SocketServers.websockets + "/raise")
            let (_, error) = await socket.rest()
            #expect(error?.code == .closed && error?.closeCode == .internalError)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `pings are responded to in both directions`(engine: Engine)
            async throws
        {
            let session = engine.trusting()
            for server in [SocketServers.websockets, SocketServers.secure, Servers.tls + "/websockets"] {
                let socket = try await session.open(server + "/ping?count=500")
                #expect(try await socket.receive() == .text("500"))
                let other = try await session.open(server + "/echo")
                try await withThrowingTaskGroup(of: Duration.self) { group in
                    for _ in 0..<50 { group.addTask { try await other.ping() } }
                    for try await duration in group { #expect(duration > .zero) }
                }
                await other.close()
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a session manager that is closed sends 1001`(engine: Engine)
            async throws
        {
            #if os(Linux)
                let session = SocketSessionManager()
                let name = UUID().uuidString
                let socket = try await session.open(SocketServers.websockets + "/watched/\(name)")
                #expect(try await socket.receive() == .text("watched"))
                await session.close()
                #expect(try await socket.receive() == nil)
                #expect(try await Self.seen(name, engine.session()) == "1001 ")
            #endif
        }
    }
}
