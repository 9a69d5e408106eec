import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// WebSockets of an engine that passes whole messages, as `URLSession` does.
@Suite(.timeLimit(.minutes(10))) final class MessageChannelTests {
    private let transport = ScriptedMessages()

    deinit { transport.release() }

    // MARK: Messages

    @Test func `messages are sent and received in order`() async throws {
        let socket = WebSocket.over(transport)
        try await socket.send(.text("a"))
        try await socket.send(.binary(Data([1, 2])))
        #expect(transport.sent == [.text("a"), .binary(Data([1, 2]))])
        for text in ["x", "y"] { #expect(transport.feed(.text(text))) }
        #expect(try await socket.receive() == .text("x"))
        #expect(try await socket.receive() == .text("y"))
        let next = Task { try await socket.receive() }
        transport.feed(.binary(Data()))
        #expect(try await next.value == .binary(Data()))
        #expect(transport.state.withLock(\.maximumBytes) == 16 << 20)
    }

    @Test func `a message of chunks is sent in one piece`() async throws {
        let socket = WebSocket.over(transport)
        let chunks = ["né".utf8.prefix(2), "né".utf8.suffix(1)].map { Data($0) }
        try await socket.send(stream(of: chunks), as: .text)
        try await socket.send(stream(of: chunks), as: .binary)
        #expect(transport.sent == [.text("né"), .binary(Data("né".utf8))])
        await #expect { try await socket.send(stream(of: [Data([0xFF])]), as: .text) } throws: {
            ($0 as? WebSocketError)?.code == .coding
        }
        #expect(transport.sent.count == 2 && transport.closes.isEmpty)
    }

    @Test func `chunks that fail close the WebSocket with 1011`() async throws {
        let socket = WebSocket.over(transport)
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CancellationError()) }
        await #expect { try await socket.send(chunks, as: .binary) } throws: { ($0 as? WebSocketError)?.code == .coding }
        #expect(transport.closes == [1011])
    }

    @Test func `a stream has one chunk, and what is not read is skipped`() async throws {
        let socket = WebSocket.over(transport)
        for text in ["a", "", "b"] { transport.feed(.text(text)) }
        var streams = socket.streams.makeAsyncIterator()
        _ = try #require(try await streams.next())
        var empty = try #require(try await streams.next()).makeAsyncIterator()
        #expect(try await empty.next() == nil)
        var last = try #require(try await streams.next()).makeAsyncIterator()
        #expect(try await last.next() == Data("b".utf8))
        #expect(try await last.next() == nil)
        transport.end(.closed(code: 1000, reason: ""))
        #expect(try await streams.next() == nil)
    }

    @Test func `no message is requested while 256 KiB are queued`() async throws {
        let socket = WebSocket.over(transport)
        let message = UpgradedMessage.binary(Data(count: 100_000))
        var count = 0
        while transport.feed(message) { count += 1 }
        #expect(count == 3)
        _ = try await socket.receive()
        #expect(transport.feed(message) && !transport.feed(message))
    }

    @Test func `a sender waits while 256 KiB were not passed to the system`() async throws {
        let socket = WebSocket.over(transport)
        transport.state.withLock { $0.sendsAtOnce = false }
        try await socket.send(.text("small"))
        let large = Task { try await socket.send(.binary(Data(count: 300_000))) }
        await transport.state.wait { $0.sent.count == 2 }
        let third = Task { try await socket.send(.text("third")) }
        #expect(transport.sent.count == 2)
        transport.flush()
        try await large.value
        try await third.value
        #expect(transport.sent.count == 3)
    }

    @Test func `cancelling a task that waits to send or to receive closes the WebSocket`() async throws {
        for sends in [true, false] {
            let transport = ScriptedMessages()
            let socket = WebSocket.over(transport)
            transport.state.withLock { $0.sendsAtOnce = false }
            let task = Task { () throws -> Void in
                if sends { try await socket.send(.binary(Data(count: 300_000))) } else { _ = try await socket.receive() }
            }
            if sends { await transport.state.wait { !$0.sent.isEmpty } }
            task.cancel()
            await #expect { try await task.value } throws: { ($0 as? WebSocketError)?.code == .cancelled }
            #expect(transport.cancellations >= 1)
            transport.release()
        }
    }

    @Test func `two tasks cannot receive at the same time`() async throws {
        let socket = WebSocket.over(transport)
        let results = await withTaskGroup(of: WebSocketError.Code?.self) { group in
            for _ in 0..<2 {
                group.addTask { [transport] in
                    do {
                        _ = try await socket.receive()
                        return nil
                    } catch {
                        // The other one waits for a message.
                        transport.feed(.text("x"))
                        return (error as? WebSocketError)?.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.contains(.concurrentReceive) && results.contains(nil))
    }

    @Test(arguments: [true, false]) func `a message over its limit closes with 1009`(isReportedBySystem: Bool) async throws {
        let socket = WebSocket.over(transport) { $0.maximumMessageBytes = 200 }
        transport.feed(.text("before"))
        if isReportedBySystem {
            transport.state.withLock(\.receiver)?.messageIsTooLarge()
        } else {
            transport.feed(.binary(Data(count: 201)))
        }
        let (messages, error) = await socket.collected()
        #expect(messages == [.text("before")])
        #expect(error?.code == .messageTooLarge && error?.closeCode == .messageTooBig && transport.closes == [1009])
    }
}

private func stream(of chunks: [Data]) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
    }
}
