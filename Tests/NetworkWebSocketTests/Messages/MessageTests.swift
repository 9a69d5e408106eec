import Foundation
import NetworkCore
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Messages that a WebSocket receives and sends, over a transport of the test.
@Suite(.timeLimit(.minutes(10))) struct MessageTests {
    private static var agreed: AgreedCompression {
        var agreed = AgreedCompression()
        agreed.minimumBytes = 0
        return agreed
    }

    /// Returns a compressed message as a frame.
    private static func compressed(_ bytes: [UInt8], opcode: UInt8 = 2, with deflater: MessageDeflater? = nil) throws -> TestFrame
    {
        let deflater = deflater ?? MessageDeflater(agreed)
        let payload = try bytes.withUnsafeBytes { bytes in
            Result { () throws(WebSocketError) in try deflater.payload(bytes, isLast: true) }
        }.get()
        return TestFrame(opcode, payload, reserved: 4)
    }

    @Test(arguments: [Int.max, 1, 2, 3]) func `messages are received in the order of their ends, whatever the reads`(
        pieces: Int
    ) async throws {
        let scripted = try ScriptedSocket()
        scripted.feed(
            .text("one"), .text("t", isFinal: false), .ping([1]), .more("w", isFinal: false), .ping([2]), .more("o"), .binary([]),
            .text(""), .text("", isFinal: false), .more("", isFinal: false), .more(""), .binary([0, 255]), .close(1000),
            pieces: pieces)
        let (messages, error) = await scripted.socket.collected()
        #expect(
            messages == [.text("one"), .text("two"), .binary(Data()), .text(""), .text(""), .binary(Data([0, 255]))])
        #expect(error == nil)
        #expect(scripted.transport.frames == [.pong([1]), .pong([2]), .close(1000)])
    }

    @Test func `a text whose characters are split between frames and reads is received`() async throws {
        for pieces in 1...5 {
            let scripted = try ScriptedSocket()
            let bytes = Array("né€🎉".utf8)
            scripted.feed(
                bytes.enumerated().map { TestFrame($0 == 0 ? 1 : 0, [$1], isFinal: $0 == bytes.count - 1) }, pieces: pieces)
            #expect(try await scripted.socket.receive() == .text("né€🎉"))
        }
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 262_144, 262_145, 524_289]) func `messages of any size are sent`(
        size: Int
    ) async throws {
        let bytes = Array(Array(String(repeating: "0123456789abc", count: size / 13 + 1).utf8).prefix(size))
        for role in [WebSocketFrameParser.Role.client, .server] {
            let scripted = try ScriptedSocket(role)
            try await scripted.socket.send(.binary(Data(bytes)))
            try await scripted.socket.send(.text(String(decoding: bytes, as: UTF8.self)))
            let frames = scripted.transport.frames
            let count = max(1, (size + 262_143) / 262_144)
            #expect(frames.count == 2 * count)
            #expect(
                frames.map(\.opcode) == [2] + Array(repeating: 0, count: count - 1) + [1] + Array(repeating: 0, count: count - 1))
            #expect(frames.prefix(count).flatMap(\.payload) == bytes)
            #expect(frames.suffix(count).flatMap(\.payload) == bytes)
            #expect(frames.map { $0.first & 0x80 != 0 } == (1...count).map { $0 == count } + (1...count).map { $0 == count })
            #expect(scripted.transport.state.withLock(\.masks) == [role == .client])
        }
    }

    @Test func `a message of exactly the limit is received, and one byte more is not`() async throws {
        for kind in [UInt8(1), 2] {
            for frames in [1, 3] {
                for size in [200, 201] {
                    let scripted = try ScriptedSocket { $0.maximumMessageBytes = 200 }
                    let bytes = [UInt8](repeating: 0x61, count: size)
                    let parts = stride(from: 0, to: size, by: (size + frames - 1) / frames).map { start in
                        TestFrame(
                            start == 0 ? kind : 0, Array(bytes[start..<min(size, start + (size + frames - 1) / frames)]),
                            isFinal: start + (size + frames - 1) / frames >= size)
                    }
                    scripted.feed(parts, pieces: 50)
                    if size == 200 {
                        #expect(try await scripted.socket.receive()?.data == Data(bytes))
                    } else {
                        let error = await #expect(throws: WebSocketError.self) { try await scripted.socket.receive() }
                        #expect(error?.code == .messageTooLarge && error?.closeCode == .messageTooBig)
                        #expect(scripted.transport.frames.last?.closeCode == 1009)
                    }
                }
            }
        }
    }

    #if os(Linux)
        @Test func `compressed messages keep their context, with control frames and plain messages between them`() async throws {
            let scripted = try ScriptedSocket(compression: Self.agreed)
            let deflater = MessageDeflater(Self.agreed)
            let text = Array("The same again, and again.".utf8)
            for number in 0..<5 {
                var frame = try Self.compressed(text, opcode: 1, with: deflater)
                let rest = Array(frame.payload.dropFirst(2))
                frame.payload.removeLast(rest.count)
                frame.first &= 0x7F
                scripted.feed(frame, .ping([UInt8(number)]), TestFrame(0, rest), .binary([1]), pieces: number + 1)
                #expect(try await scripted.socket.receive() == .text("The same again, and again."))
                #expect(try await scripted.socket.receive() == .binary(Data([1])))
            }
            #expect(scripted.transport.frames.count == 5)
        }

        @Test func `a bomb fails at the limit, without being unpacked`() async throws {
            var tight = Self.agreed
            tight.level = 9
            let bomb = try Self.compressed([UInt8](repeating: 0, count: 8 << 20), with: MessageDeflater(tight))
            #expect(bomb.payload.count < (8 << 20) / 900)
            for pieces in [Int.max, 4096] {
                let scripted = try ScriptedSocket(compression: Self.agreed) { $0.maximumMessageBytes = 1 << 20 }
                scripted.feed(.text("before"), bomb, .text("after"), pieces: pieces)
                #expect(try await scripted.socket.receive() == .text("before"))
                let error = await #expect(throws: WebSocketError.self) { try await scripted.socket.receive() }
                #expect(error?.code == .messageTooLarge && error?.closeCode == .messageTooBig)
                #expect(scripted.transport.frames.last?.closeCode == 1009)
            }
        }

        @Test func `a bomb is decoded in pieces of at most 64 KiB`() throws {
            let content = MessageContent(Self.agreed)
            content.begin(.binary, isCompressed: true)
            content.append(Data(try Self.compressed([UInt8](repeating: 0, count: 1 << 20)).payload), isLast: true)
            var sizes: [Int] = []
            while let piece = try content.next() { sizes.append(piece.count) }
            #expect(sizes.reduce(0, +) == 1 << 20)
            #expect(sizes.max() == 64 << 10)
        }

        @Test func `damaged compression closes with 1007`() async throws {
            for payload in [[0xFF, 0xFF, 0xFF], [0x07], [0x00, 0x05, 0x00, 0x00, 0x00]] as [[UInt8]] {
                let scripted = try ScriptedSocket(compression: Self.agreed)
                scripted.feed(.text("before"), TestFrame(2, payload, reserved: 4))
                let (messages, error) = await scripted.socket.collected()
                #expect(messages == [.text("before")])
                #expect(error?.code == .invalidCompression && error?.closeCode == .invalidPayload)
                #expect(scripted.transport.frames.last?.closeCode == 1007)
            }
        }

        @Test func `what is not read of a compressed message is known to the next one`() async throws {
            let text = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
            for pieces in [Int.max, 100] {
                let scripted = try ScriptedSocket(compression: Self.agreed)
                // The context of this connection.
                let own = MessageDeflater(Self.agreed)
                var streams = scripted.socket.streams.makeAsyncIterator()
                for reads in [0, 1] {
                    scripted.feed(try Self.compressed(text + text, with: own), pieces: pieces)
                    let stream = try #require(try await streams.next())
                    var chunks = stream.makeAsyncIterator()
                    for _ in 0..<reads { _ = try await chunks.next() }
                }
                scripted.feed(try Self.compressed(text, with: own), pieces: pieces)
                #expect(try await scripted.socket.receive() == .binary(Data(text)))
            }
        }

        @Test(arguments: [false, true]) func `a compressed message is read while it is received`(forgets: Bool) async throws {
            var agreed = Self.agreed
            agreed.receivesWithoutContext = forgets
            let scripted = try ScriptedSocket(compression: agreed)
            let bytes = (0..<1000).map { UInt8($0 % 251) }
            let payload = try Self.compressed(bytes).payload
            var streams = scripted.socket.streams.makeAsyncIterator()
            // The head of the message, and nothing else.
            scripted.feed(TestFrame(2, [], isFinal: false, reserved: 4), TestFrame(0, [payload[0]], isFinal: false))
            var received: [UInt8] = []
            var chunks = try #require(try await streams.next()).makeAsyncIterator()
            scripted.feed(TestFrame(0, Array(payload[1...])))
            while let chunk = try await chunks.next() { received += chunk }
            #expect(received == bytes)
        }

        @Test func `messages are sent compressed, in fragments too`() async throws {
            let scripted = try ScriptedSocket(compression: Self.agreed)
            let text = String(repeating: "abc ", count: 100_000)
            try await scripted.socket.send(.text(text))
            try await scripted.socket.send(.binary(Data()))
            let frames = scripted.transport.frames
            #expect(frames.map { $0.first & 0x40 != 0 } == [true, false, true])
            let content = MessageContent(Self.agreed)
            var received = Data()
            content.begin(.text, isCompressed: true)
            for frame in frames.prefix(2) {
                content.append(Data(frame.payload), isLast: frame.first & 0x80 != 0)
                while let piece = try content.next() { received += piece }
            }
            #expect(received == Data(text.utf8))
            #expect(frames[2].payload == [0])
        }
    #endif
}
