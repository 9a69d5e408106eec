import Foundation
import NetworkCore
import NetworkLogging
import NetworkWebSocket
import Testing
import TransferTestSupport

/// What a peer can send without end, and texts that it sends for people.
@Suite(.timeLimit(.minutes(10))) struct HostilePeerTests {
    // MARK: Sizes

    @Test func `a message has the same limit in one frame and in many, with and without compression`() async throws {
        let limit = 4 << 20
        for (count, fragments) in [(limit, 1), (limit + 1, 1), (limit, 100), (limit + 1, 100)] {
            for compression in Self.compressions {
                let scripted = try ScriptedSocket(compression: compression) { $0.maximumMessageBytes = limit }
                let content = Data.pattern(count)
                let reserved: UInt8 = compression == nil ? 0 : 4
                var payload = [UInt8](content)
                if let compression {
                    payload = try content.withUnsafeBytes { try MessageDeflater(compression).payload($0, isLast: true) }
                }
                var rest = payload[...]
                for index in 0..<fragments {
                    let part = index == fragments - 1 ? rest : rest.prefix(payload.count / fragments)
                    rest = rest.dropFirst(part.count)
                    scripted.feed(
                        TestFrame(
                            index == 0 ? 2 : 0, Array(part), isFinal: index == fragments - 1, reserved: index == 0 ? reserved : 0),
                        pieces: 64 << 10)
                }
                scripted.feed(.close(1000))
                let (messages, error) = await scripted.socket.collected()
                #expect(messages == (count == limit ? [.binary(content)] : []), "\(count) bytes in \(fragments)")
                #expect(error?.code == (count == limit ? nil : .messageTooLarge), "\(count) bytes in \(fragments)")
            }
        }
    }

    @Test func `a frame that announces more than the limit is refused before its payload arrives`() async throws {
        for (announced, code) in [(201, WebSocketError.Code.messageTooLarge), (200, .connectionLost)] {
            let scripted = try ScriptedSocket { $0.maximumMessageBytes = 200 }
            scripted.transport.feed([0x82, 126, 0, UInt8(announced), 1])
            scripted.transport.end()
            #expect(await scripted.socket.collected().error?.code == code, "\(announced)")
        }
    }

    @Test func `a message that is read as a stream has no limit, in one frame either`() async throws {
        let scripted = try ScriptedSocket { $0.maximumMessageBytes = 125 }
        scripted.transport.feed([0x82, 127, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [1, 2, 3])
        var streams = scripted.socket.streams.makeAsyncIterator()
        var chunks = try await streams.next()?.makeAsyncIterator()
        #expect(try await chunks?.next() == Data([1, 2, 3]))
    }

    #if os(Linux)
        private static let compressions: [AgreedCompression?] = [nil, AgreedCompression()]

        @Test func `compressed bytes without content end a message at the limit, too`() async throws {
            let scripted = try ScriptedSocket(compression: AgreedCompression()) { $0.maximumMessageBytes = 1000 }
            // Stored blocks of 0 bytes.
            let blocks = (0..<100).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] }
            scripted.feed(TestFrame(2, blocks, isFinal: false, reserved: 4))
            for _ in 0..<10 { scripted.feed(TestFrame(0, blocks, isFinal: false)) }
            let (messages, error) = await scripted.socket.collected()
            #expect(messages == [] && error?.code == .messageTooLarge)
        }
    #else
        private static let compressions: [AgreedCompression?] = [nil]
    #endif

    // MARK: Floods

    @Test func `the bytes of one read have a bounded number of pongs, with the latest ping among them`() async throws {
        let scripted = try ScriptedSocket()
        let pings = (0..<5000).map { TestFrame.ping([UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]) }
        scripted.feed(pings + [.text("after")])
        #expect(try await scripted.socket.receive() == .text("after"))
        let pongs = scripted.transport.frames.map(\.payload)
        #expect(pongs.count == 64 && pongs.first == [0, 0] && pongs.last == pings.last?.payload)
    }

    /// Each is fed in pieces of a few bytes. Four times as much takes four times as long.
    @Test func `floods of small frames take linear time`() throws {
        let floods: [(String, [UInt8])] = [
            ("pings", TestFrame.ping().bytes()), ("pongs", TestFrame.pong([1]).bytes()),
            ("empty messages", TestFrame.binary([]).bytes()), ("empty fragments", TestFrame.more("", isFinal: false).bytes()),
            ("fragments of one byte", TestFrame.more("a", isFinal: false).bytes()),
        ]
        for (name, frame) in floods {
            let times = try [1, 4].map { $0 * runs(5_000, slow: 20_000) }.map { count -> Duration in
                let bytes = TestFrame.text("a", isFinal: !name.contains("fragments")).bytes() + (0..<count).flatMap { _ in frame }
                return try (0..<3).map { _ -> Duration in
                    let scripted = try ScriptedSocket()
                    return processorTime { scripted.transport.feed(bytes, pieces: 30) }
                }.min() ?? .zero
            }
            #expect(times[1] / times[0] < 10, "\(name): \(times)")
        }
    }

    // MARK: Texts

    /// Reasons of close frames, and what must not be in any text of the error.
    private static let reasons = [
        ("bye\n2026-01-01 ERROR forged line", "\n"), ("\u{1B}[2J\u{1B}]0;owned\u{7}", "\u{1B}"), ("\u{202E}gpj.exe", "\u{202E}"),
        ("\u{2028}next", "\u{2028}"), ("Bearer eyJhbGciOi.abcdef.123456", "abcdef"), ("password=hunter22", "hunter22"),
        ("https://u:pa55word@a.test/", "pa55word"), ("it is known-websocket-secret-71", "known-websocket-secret-71"),
    ]

    @Test func `the reason of the peer is escaped and redacted in every text of the error`() async throws {
        SecretValues.insert("known-websocket-secret-71")
        for (reason, forbidden) in Self.reasons {
            let scripted = try ScriptedSocket()
            scripted.feed(.close(4000, reason))
            let transport = ScriptedMessages()
            let other = WebSocket.over(transport)
            transport.end(.closed(code: 4000, reason: reason))
            defer { transport.release() }
            let own = WebSocketError(.closed, reason, underlying: Shown(text: reason))
            for error in [await scripted.socket.collected().error, await other.collected().error, own] {
                let error = try #require(error)
                var dumped = ""
                dump(error, to: &dumped)
                for text in [error.message, "\(error)", error.debugDescription, dumped.replacing("\n", with: ""), "\([error])"] {
                    #expect(!text.contains(forbidden), "\(text)")
                }
            }
            // The program gets what was sent.
            #expect(scripted.socket.closeStatus?.reason == reason)
        }
    }

    /// An error that shows what the peer has sent.
    private struct Shown: Error, CustomStringConvertible {
        var text: String
        var description: String { text }
    }
}
