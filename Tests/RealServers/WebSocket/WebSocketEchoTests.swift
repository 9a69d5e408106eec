import DataTransfer
import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

extension RealServerTests {
    /// Messages of all sizes to independent servers and back.
    @Suite(.timeLimit(.minutes(10))) struct WebSocketEchoTests {
        private static let sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000, 1_000_000]

        private static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
            var random = SeededGenerator(seed: seed)
            var data = Data(capacity: count + 8)
            while data.count < count { withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) } }
            return data.prefix(count)
        }

        private static func text(_ count: Int) -> String {
            String(String(repeating: "zażółć 🦆 ", count: count / 10 + 1).prefix(count))
        }

        @Test(arguments: Engine.ours(with: .webSockets), SocketServers.echoing)
        func `messages of all sizes are sent and received`(engine: Engine, server: String) async throws {
            let session = engine.trusting()
            for compression in [nil, WebSocketCompression()] {
                let socket = try await session.open(server + "/echo") { $0.compression = compression }
                for size in Self.sizes {
                    #expect(try await socket.echoes(.binary(Self.bytes(size))), "\(size)")
                    #expect(try await socket.echoes(.text(Self.text(size))), "\(size)")
                }
                _ = try await socket.ping()
                await socket.close()
                #expect(socket.closeStatus?.code == .normal)
                #expect(try await socket.receive() == nil)
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets), SocketServers.echoing)
        func `many messages at the same time stay in order on each of many sockets`(engine: Engine, server: String) async throws {
            let session = engine.trusting()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let socket = try await session.open(server + "/echo") { $0.compression = WebSocketCompression() }
                        async let sending: Void = {
                            for index in 0..<200 { try await socket.send(.text("\(number) \(index) " + Self.text(index * 7))) }
                        }()
                        for index in 0..<200 {
                            #expect(try await socket.receive() == .text("\(number) \(index) " + Self.text(index * 7)))
                        }
                        try await sending
                        await socket.close()
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets), [1, 125, 126, 65_536])
        func `messages that a server sends in fragments are put together`(engine: Engine, size: Int) async throws {
            for server in [SocketServers.websockets, SocketServers.forgetting, SocketServers.narrow, SocketServers.secure] {
                for compression in [nil, WebSocketCompression()] {
                    let socket = try await engine.trusting().open(server + "/fragments?size=\(size)") {
                        $0.compression = compression
                    }
                    for count in [0, 1, 100, min(size * 50, 1_000_000)] {
                        #expect(try await socket.echoes(.binary(Self.bytes(count))))
                        #expect(try await socket.echoes(.text(Self.text(count))))
                    }
                    await socket.close()
                    #expect(socket.closeStatus?.code == .normal)
                }
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a server receives the fragments of a stream as they are sent`(
            engine: Engine
        )
            async throws
        {
            let socket = try await engine.session().open(SocketServers.websockets + "/pieces")
            let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
            for count in [1, 300_000, 5] { feed.yield(Self.bytes(count)) }
            feed.finish()
            try await socket.send(chunks, as: .binary)
            // Chunks of more than 256 KiB are divided. The last fragment, which is empty, ends the message.
            #expect(try await socket.receive() == .text("[1, 262144, 37856, 5, 0]"))
            await socket.close()
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a large message is received as a stream`(engine: Engine)
            async throws
        {
            for compression in [nil, WebSocketCompression()] {
                let socket = try await engine.session().open(SocketServers.websockets + "/zeros?count=512") {
                    $0.compression = compression
                }
                var count = 0
                for try await message in socket.streams {
                    #expect(message.kind == .binary)
                    for try await chunk in message { count += chunk.count }
                }
                #expect(count == 32 << 20)
                #expect(socket.closeStatus?.code == .normal)
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `a message with more bytes than permitted closes with 1009`(
            engine: Engine
        )
            async throws
        {
            let limits: [((inout WebSocketOptions) -> Void, WebSocketError.Code)] = [
                ({ $0.maximumMessageBytes = 1000 }, .messageTooLarge),
                (
                    {
                        $0.maximumMessageBytes = 1000
                        $0.compression = WebSocketCompression()
                    }, .messageTooLarge
                ),
            ]
            for (change, code) in limits {
                let socket = try await engine.session().open(SocketServers.websockets + "/echo", change)
                #expect(try await socket.echoes(.binary(Data(count: 1000))))
                try await socket.send(.binary(Data(count: 1001)))
                let (messages, error) = await socket.rest()
                #expect(messages == [] && error?.code == code && error?.closeCode == .messageTooBig)
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `the mirror of libwebsockets sends messages back`(engine: Engine)
            async throws
        {
            let socket = try await engine.session().open(SocketServers.libwebsockets) {
                $0.subprotocols = ["lws-mirror-protocol"]
                $0.compression = WebSocketCompression()
            }
            #expect(socket.subprotocol == "lws-mirror-protocol")
            for index in 0..<100 { #expect(try await socket.echoes(.text("c #\(index)"))) }
            _ = try await socket.ping()
            await socket.close()
            #expect(socket.closeStatus != nil)
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `the numbers of libwebsockets are received in order`(engine: Engine)
            async throws
        {
            let session = engine.session()
            let socket = try await session.open(SocketServers.libwebsockets) { $0.subprotocols = ["dumb-increment-protocol"] }
            for index in 0..<10 { #expect(try await socket.receive() == .text("\(index)")) }
            await socket.close(.goingAway)
            #expect(await session.closedAll)
        }
    }
}

extension NetworkSessionManager {
    /// Whether no upgraded connection is open, at once or after the time that peers have to close.
    var closedAll: Bool {
        get async {
            #if os(Linux)
                guard let manager = self as? SocketSessionManager else { return false }
                while await manager.connectionCounts().total.upgraded > 0, !Task.isCancelled { await Task.yield() }
                return await manager.connectionCounts().total.upgraded == 0
            #else
                return true
            #endif
        }
    }
}
