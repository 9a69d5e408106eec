import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Sending: order, back pressure, cancellation, chunks and values.
@Suite(.timeLimit(.minutes(10))) struct SendingTests {
    private struct Failed: Error {}

    private static func waitForWaiting(_ scripted: ScriptedSocket) async {
        await scripted.transport.state.wait { !$0.waiting.isEmpty }
    }

    @Test func `a sender waits for room, and others wait for it, in their order`() async throws {
        let scripted = try ScriptedSocket()
        scripted.transport.setFull(true)
        let first = Task { try await scripted.socket.send(.text("1")) }
        await Self.waitForWaiting(scripted)
        let second = Task { try await scripted.socket.send(.text("2")) }
        // A pong is not held back by a message that waits.
        scripted.feed(.ping([1]))
        #expect(scripted.transport.frames == [.text("1"), .pong([1])])
        scripted.transport.setFull(false)
        try await first.value
        try await second.value
        #expect(scripted.transport.frames == [.text("1"), .pong([1]), .text("2")])
    }

    @Test func `cancelling a sender that waits for room closes the WebSocket`() async throws {
        let scripted = try ScriptedSocket()
        scripted.transport.setFull(true)
        let sending = Task { try await scripted.socket.send(.text("1")) }
        await Self.waitForWaiting(scripted)
        sending.cancel()
        let error = await #expect(throws: WebSocketError.self) { try await sending.value }
        #expect(error?.code == .cancelled)
        #expect(scripted.transport.frames.last == .close(1001))
        #expect(await scripted.socket.collected().error?.code == .cancelled)
    }

    @Test func `cancelling a sender that waits for another one closes the WebSocket`() async throws {
        let scripted = try ScriptedSocket()
        scripted.transport.setFull(true)
        let first = Task { try await scripted.socket.send(.text("1")) }
        await Self.waitForWaiting(scripted)
        let second = Task { try await scripted.socket.send(.text("2")) }
        second.cancel()
        let error = await #expect(throws: WebSocketError.self) { try await second.value }
        #expect(error?.code == .cancelled)
        scripted.transport.setFull(false)
        _ = await first.result
        #expect(scripted.transport.frames == [.text("1"), .close(1001)])
    }

    @Test func `a sequence of chunks is one message of fragments`() async throws {
        let scripted = try ScriptedSocket()
        let chunks = AsyncStream { continuation in
            for chunk in ["Hel", "", "lo"] { continuation.yield(Data(chunk.utf8)) }
            continuation.finish()
        }
        try await scripted.socket.send(chunks, as: .text)
        try await scripted.socket.send(AsyncStream<Data> { $0.finish() }, as: .binary)
        #expect(
            scripted.transport.frames == [.text("Hel", isFinal: false), .more("lo", isFinal: false), .more(""), .binary([])])
    }

    @Test(arguments: [false, true]) func `a sequence of chunks that fails closes the WebSocket with 1011`(
        isWebSocketError: Bool
    ) async throws {
        let scripted = try ScriptedSocket()
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("Hel".utf8))
            // Such as that of another WebSocket, whose message is passed on.
            continuation.finish(throwing: isWebSocketError ? WebSocketError(.connectionLost, "another one") : Failed())
        }
        let error = await #expect(throws: WebSocketError.self) { try await scripted.socket.send(chunks, as: .text) }
        #expect(error?.code == .coding && error?.closeCode == .internalError)
        #expect(isWebSocketError ? error?.underlying is WebSocketError : error?.underlying is Failed)
        #expect(scripted.transport.frames.map(\.opcode) == [1, 8])
        #expect(scripted.transport.frames.last?.closeCode == 1011)
        await #expect(throws: WebSocketError.self) { try await scripted.socket.send(.text("within the message")) }
        #expect(scripted.transport.frames.count == 2)
    }

    @Test func `a message whose sender is cancelled does not end as if it were whole`() async throws {
        let scripted = try ScriptedSocket()
        let (chunks, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("Hel".utf8))
        let sending = Task { try await scripted.socket.send(chunks, as: .text) }
        _ = await scripted.transport.frames(count: 1)
        sending.cancel()
        let error = await #expect(throws: WebSocketError.self) { try await sending.value }
        #expect(error?.code == .cancelled)
        #expect(scripted.transport.frames == [.text("Hel", isFinal: false), .close(1001)])
        continuation.finish()
    }

    @Test func `a value is sent as JSON, and one that cannot be encoded is not sent`() async throws {
        let scripted = try ScriptedSocket()
        try await scripted.socket.send(json: ["id": 1])
        let error = await #expect(throws: WebSocketError.self) { try await scripted.socket.send(json: [Double.nan]) }
        #expect(error?.code == .coding)
        #expect(scripted.transport.frames == [.text(#"{"id":1}"#)])
    }

    @Test func `completions are called once`() async throws {
        let scripted = try ScriptedSocket()
        let events = Watched<[String]>([])
        let socket = scripted.socket
        TaskCancellable {
            try await socket.send(.text("a"))
        } completion: { result in
            events.withLock { $0.append("sent \((try? result.get()) != nil)") }
        }
        await events.wait { $0.count == 1 }
        TaskCancellable {
            socket.messages
        } onElement: { message in
            events.withLock { $0.append("\(message)") }
        } completion: { result in
            events.withLock { $0.append("ended \((try? result.get()) != nil)") }
        }
        scripted.feed(.text("one"), .binary([1, 2]))
        await events.wait { $0.count == 3 }
        TaskCancellable {
            await socket.close()
        } completion: { _ in
            events.withLock { $0.append("closed") }
        }
        _ = await scripted.transport.frames(count: 2)
        scripted.feed(.close(1000))
        await events.wait { $0.count == 5 }
        let all = events.withLock { $0 }
        #expect(all.prefix(3) == ["sent true", "text of 3 bytes", "binary of 2 bytes"])
        #expect(Set(all.suffix(2)) == ["ended true", "closed"])
    }

    @Test func `the handle of a completion closes the WebSocket`() async throws {
        let scripted = try ScriptedSocket()
        let errors = Watched<[WebSocketError.Code?]>([])
        let socket = scripted.socket
        let handle = TaskCancellable({ socket.messages }, onElement: { _ in }) { result in
            errors.withLock { errors in
                if case .failure(let error as WebSocketError) = result { errors.append(error.code) } else { errors.append(nil) }
            }
        }
        handle.cancel()
        await errors.wait { $0.count == 1 }
        #expect(errors.withLock { $0 } == [.cancelled])
    }
}
