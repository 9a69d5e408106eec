import DataTransfer
import Foundation
import NetworkWebSocket
import TestSupport
import Testing

extension RealServerTests {
    /// WebSockets as streams of HTTP/2 connections (RFC 8441), to HAProxy and hypercorn.
    @Suite(.timeLimit(.minutes(10)))
    struct WebSocketHTTP2Tests {
        private static let servers = [SocketServers.haproxyTLS, SocketServers.hypercorn]

        private static func requiring(_ engine: Engine, _ change: (inout SessionConfiguration) -> Void = { _ in })
            -> any NetworkSessionManager
        {
            engine.trusting {
                $0.httpVersion = .http2
                change(&$0)
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers)
        func `a WebSocket uses the connection that other requests have made`(engine: Engine, server: String) async throws {
            let session = engine.trusting()
            let first = try await session.open(server + "/echo")
            #expect(first.response.statusCode == 101 && first.response.timings.protocolName == "http/1.1")
            await first.close()
            _ = try await session.send(.get, "https" + server.dropFirst("wss".count) + "/plain")
            for _ in 0..<3 {
                let socket = try await session.open(server + "/echo")
                #expect(socket.response.statusCode == 200 && socket.response.timings.protocolName == "h2")
                #expect(try await socket.echoes(.text("over a stream")))
                await socket.close()
                #expect(socket.closeStatus?.code == .normal)
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers)
        func `messages of all sizes are sent and received over HTTP/2`(engine: Engine, server: String) async throws {
            let session = Self.requiring(engine)
            for compression in [nil, WebSocketCompression()] {
                let socket = try await session.open(server + "/echo") { $0.compression = compression }
                #expect(socket.response.timings.protocolName == "h2")
                for size in [0, 1, 125, 126, 65_535, 65_536, 1_000_000, 3_000_000] {
                    var random = SeededBytes(UInt64(size))
                    #expect(try await socket.echoes(.binary(random.data(size))), "\(size)")
                }
                _ = try await socket.ping()
                await socket.close()
                #expect(socket.closeStatus?.code == .normal)
                #expect(try await socket.receive() == nil)
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers)
        func `many WebSockets and requests share a connection`(engine: Engine, server: String) async throws {
            let session = Self.requiring(engine) { $0.eventLoops = 1 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let socket = try await session.open(server + "/echo")
                        async let sending: Void = {
                            for index in 0..<100 {
                                try await socket.send(.text("\(number) \(index) " + String(repeating: "x", count: index * 70)))
                            }
                        }()
                        for index in 0..<100 {
                            let expected = "\(number) \(index) " + String(repeating: "x", count: index * 70)
                            #expect(try await socket.receive() == .text(expected))
                        }
                        try await sending
                        await socket.close()
                        #expect(socket.closeStatus?.code == .normal)
                    }
                    group.addTask {
                        _ = try await session.send(.get, "https" + server.dropFirst("wss".count) + "/plain")
                    }
                }
                try await group.waitForAll()
            }
            #if os(Linux)
                guard let manager = session as? SocketSessionManager else { return }
                #expect(await manager.connectionCounts().total.multiplexed == 1)
            #endif
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers)
        func `a reader that is slow holds up its stream only`(engine: Engine, server: String) async throws {
            let session = Self.requiring(engine) { $0.eventLoops = 1 }
            let slow = try await session.open(server + "/zeros?count=512")
            let quick = try await session.open(server + "/echo")
            for index in 0..<50 { #expect(try await quick.echoes(.text("\(index)"))) }
            var count = 0
            for try await message in slow.streams {
                for try await chunk in message { count += chunk.count }
            }
            #expect(count == 32 << 20)
            await quick.close()
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers)
        func `close codes of both sides are exchanged over HTTP/2`(engine: Engine, server: String) async throws {
            let session = Self.requiring(engine)
            for code in [1000, 1001, 1011, 4999] as [UInt16] {
                let socket = try await session.open(server + "/close?code=\(code)&reason=r%C3%A9ason&after=3")
                let (messages, error) = await socket.rest()
                #expect(messages.count == 3)
                #expect(socket.closeStatus?.code.rawValue == code && socket.closeStatus?.reason == "réason")
                #expect((error == nil) == (code <= 1001))
                let after = await #expect(throws: WebSocketError.self) { try await socket.send(.text("too late")) }
                #expect(after?.code == .closed)
            }
            // The connection is not used up by streams that have ended.
            let socket = try await session.open(server + "/echo")
            await socket.close(.goingAway)
            #expect(socket.closeStatus?.code == .goingAway)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a stream that a server resets is a lost connection`(engine: Engine)
            async throws
        {
            let session = Self.requiring(engine)
            let socket = try await session.open(SocketServers.haproxyTLS + "/abort?after=5")
            let (messages, error) = await socket.rest()
            #expect(messages == (0..<messages.count).map { .text("message \($0)") })
            #expect(error?.code == .connectionLost && socket.closeStatus == nil, "\(String(describing: error))")
            let after = await #expect(throws: WebSocketError.self) { try await socket.send(.text("too late")) }
            #expect(after?.code == .connectionLost)
            #expect(try await session.open(SocketServers.haproxyTLS + "/echo").echoes(.text("still there")))
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a server that opens no WebSockets over HTTP/2 is an error`(
            engine: Engine
        ) async throws {
            let error = try await Self.requiring(engine).refusal(Servers.h2 + "/websockets/echo")
            #expect(error?.requestError?.transportError?.code == .unsupported, "\(String(describing: error))")
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers)
        func `a session manager that is closed sends 1001 over HTTP/2`(engine: Engine, server: String) async throws {
            #if os(Linux)
                let session = SocketSessionManager(
                    configuration: SessionConfiguration {
                        $0.httpVersion = .http2
                        $0.trust = Servers.trust
                    })
                let socket = try await session.open(server + "/echo")
                await session.close()
                #expect(try await socket.receive() == nil)
            #endif
        }
    }
}

private struct SeededBytes {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func data(_ count: Int) -> Data {
        var bytes = Data(capacity: count)
        for _ in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.append(UInt8(truncatingIfNeeded: state >> 33))
        }
        return bytes
    }
}
