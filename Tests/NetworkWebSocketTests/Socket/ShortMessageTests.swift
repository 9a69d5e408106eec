import Foundation
import Testing

@testable import NetworkWebSocket

/// Messages that need no task to wait: texts that are validated when they are received, and frames that are sent at once.
@Suite(.timeLimit(.minutes(10))) struct ShortMessageTests {
    @Test(arguments: [Int.max, 1, 3, 1000])
    func `texts of all sizes are received as they were sent, however they are split`(pieces: Int) async throws {
        let socket = try ScriptedSocket()
        let texts = ["", "a", "grün €😀\u{FFFD}\0", String(repeating: "é", count: 8192), String(repeating: "é", count: 8193)]
        socket.feed(texts.map { .text($0) } + [.close(1000)], pieces: pieces)
        let (messages, error) = await socket.socket.collected()
        #expect(messages == texts.map { .text($0) })
        #expect(error == nil)
    }

    @Test(
        arguments: [[0xC3], [0xC0, 0x80], [0x61, 0xED, 0xA0, 0x80, 0x62], [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBF]] as [[UInt8]])
    func `an invalid text ends the connection after the messages before it`(bytes: [UInt8]) async throws {
        let socket = try ScriptedSocket()
        socket.feed(.text("before"), TestFrame(1, bytes), .text("after"))
        let (messages, error) = await socket.socket.collected()
        #expect(messages == [.text("before")])
        #expect(error?.code == .invalidUTF8)
        #expect(await socket.transport.frames(count: 1).last?.closeCode == 1007)
    }

    @Test func `a text beyond the maximum is refused when it is read`() async throws {
        let socket = try ScriptedSocket { $0.maximumMessageBytes = 200 }
        socket.feed(.text(String(repeating: "a", count: 200)), .text(String(repeating: "a", count: 201)))
        let (messages, error) = await socket.socket.collected()
        #expect(messages.count == 1)
        #expect(error?.code == .messageTooLarge)
    }

    @Test func `a short text can be read as chunks, and what is left of it is skipped`() async throws {
        let socket = try ScriptedSocket()
        socket.feed(.text("one"), .text("two"), .text("three"))
        var streams = socket.socket.streams.makeAsyncIterator()
        let first = try #require(try await streams.next())
        #expect(first.kind == .text)
        var chunks: [UInt8] = []
        for try await chunk in first { chunks += chunk }
        #expect(chunks == Array("one".utf8))
        _ = try await streams.next()
        #expect(try await socket.socket.receive() == .text("three"))
    }

    @Test func `masking keys are random`() {
        var source = WebSocketMaskSource()
        let keys = (0..<256).map { _ in source.next() }
        // Two equal ones among 256 of 32 bits have a probability of 10^-5, more than three are no accident.
        #expect(Set(keys).count > 252)
    }

    @Test(arguments: [0, 125, 126, 0xFFFF, 0x1_0000])
    func `a frame is appended behind others, masked from its first byte on`(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var bytes: [UInt8] = []
        for mask in [0x1234_5678, nil] as [UInt32?] {
            payload.withUnsafeBytes { WebSocketFrameHead(.binary, length: count, mask: mask).append($0, to: &bytes) }
        }
        var rest = bytes[...]
        #expect(TestFrame.read(from: &rest) == [.binary(payload), .binary(payload)])
        #expect(rest.isEmpty)
    }

    @Test func `a task that receives beside another one is refused, also while the other waits`() async throws {
        let socket = try ScriptedSocket()
        let channel = socket.socket.channel
        #expect(try channel.beginReceiving() == nil)
        let error = await #expect(throws: WebSocketError.self) { try await socket.socket.receive() }
        #expect(error?.code == .concurrentReceive)
        socket.feed(.text("a"), .text("b"))
        #expect(try await channel.finishReceiving() == .text("a"))
        #expect(try await socket.socket.receive() == .text("b"))
    }

    @Test func `sending without room keeps the turn until there is room`() async throws {
        let socket = try ScriptedSocket()
        let channel = socket.socket.channel
        socket.transport.setFull(true)
        #expect(try channel.beginSending(.text("a")) == .room)
        #expect(try channel.beginSending(.text("b")) == .message)
        #expect(await socket.transport.frames(count: 1) == [.text("a")])
        async let second: Void = channel.finishSending(.text("b"), .message)
        socket.transport.setFull(false)
        try await channel.finishSending(.text("a"), .room)
        try await second
        #expect(try channel.beginSending(.text("c")) == .nothing)
        #expect(socket.transport.frames == [.text("a"), .text("b"), .text("c")])
    }
}
