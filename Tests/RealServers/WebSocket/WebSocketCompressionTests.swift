import DataTransfer
import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

extension RealServerTests {
    /// permessage-deflate (RFC 7692) with independent servers.
    @Suite(.timeLimit(.minutes(10))) struct WebSocketCompressionTests {
        private static let servers = [
            SocketServers.websockets, SocketServers.forgetting, SocketServers.narrow, SocketServers.aiohttp,
        ]

        private static func extensions(_ socket: WebSocket) -> String {
            socket.response.headers["Sec-WebSocket-Extensions"] ?? ""
        }

        @Test(arguments: Engine.ours(with: .webSockets), [(false, false), (true, false), (false, true), (true, true)])
        func `messages are compressed with and without context on both sides`(
            engine: Engine, forgets: (client: Bool, server: Bool)
        ) async throws {
            for server in Self.servers {
                for minimum in [0, 256] {
                    let socket = try await engine.session().open(server + "/echo") { options in
                        options.compression = WebSocketCompression {
                            $0.clientForgets = forgets.client
                            $0.serverForgets = forgets.server
                            $0.minimumBytes = minimum
                        }
                    }
                    let agreed = Self.extensions(socket)
                    #expect(agreed.hasPrefix("permessage-deflate"))
                    if forgets.server { #expect(agreed.contains("server_no_context_takeover")) }
                    var random = SeededGenerator(seed: 7)
                    for index in 0..<60 {
                        // Some repeat earlier messages, some cannot be compressed, some are empty.
                        let message: WebSocketMessage =
                            switch index % 4 {
                            case 0: .text(String(repeating: "once more ", count: random.below(3000)))
                            case 1: .binary(Data((0..<random.below(5000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
                            case 2: .text("")
                            default: .binary(Data(repeating: UInt8(index), count: random.below(100_000)))
                            }
                        #expect(try await socket.echoes(message), "\(server) \(index) \(message)")
                    }
                    await socket.close()
                    #expect(socket.closeStatus?.code == .normal)
                }
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets)) func `the parameters of each server are honoured`(engine: Engine)
            async throws
        {
            let session = engine.session()
            let expected = [
                (SocketServers.forgetting, ["server_no_context_takeover", "client_no_context_takeover"]),
                (SocketServers.narrow, ["server_max_window_bits=9", "client_max_window_bits=9"]),
            ]
            for (server, parameters) in expected {
                let socket = try await session.open(server + "/lengths") { $0.compression = WebSocketCompression() }
                for parameter in parameters { #expect(Self.extensions(socket).contains(parameter)) }
                // Distances of more than 512 bytes would be invalid for the server.
                let block = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
                for _ in 0..<5 {
                    try await socket.send(.binary(block + block))
                    #expect(try await socket.receive() == .text(#"{"text": false, "length": 40000}"#))
                }
                await socket.close()
            }
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers)
        func `messages whose streams are not read to the end do not damage later ones`(engine: Engine, server: String)
            async throws
        {
            let socket = try await engine.session().open(server + "/echo") { $0.compression = WebSocketCompression() }
            let words = (0..<60_000).map { "word \($0 &* 7919 % 1000)" }.joined(separator: " ")
            let streams = socket.streams.makeAsyncIterator()
            for skips in [true, false, true] {
                try await socket.send(.text(words))
                var iterator = streams
                let stream = try await iterator.next()
                let first = try await stream?.first { _ in true }
                #expect(first.map { !$0.isEmpty && words.utf8.starts(with: $0) } == true)
                if !skips, let stream { for try await _ in stream {} }
                try await socket.send(.text(words))
                #expect(try await socket.receive() == .text(words))
            }
            await socket.close()
        }

        @Test(arguments: Engine.ours(with: .webSockets), servers) func `nothing is compressed that was not offered`(
            engine: Engine, server: String
        )
            async throws
        {
            let socket = try await engine.session().open(server + "/echo")
            #expect(Self.extensions(socket) == "")
            #expect(try await socket.echoes(.text(String(repeating: "a", count: 10_000))))
            await socket.close()
        }
    }
}
