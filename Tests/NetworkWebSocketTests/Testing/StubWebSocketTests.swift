import Endpoints
import Foundation
import NetworkCore
import NetworkRecordings
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct StubWebSocketTests {
    private static let url = URL(string: "ws://example.com/live")!

    private static func echoing() -> StubSessionManager {
        let session = StubSessionManager()
        session.enqueueWebSocket(for: "/live", subprotocols: ["chat"], compression: WebSocketCompression()) { socket in
            for try await message in socket.messages { try await socket.send(message) }
        }
        return session
    }

    @Test func `a stub opens a WebSocket without a socket of the system`() async throws {
        let session = Self.echoing()
        let service = DefaultNetworkService(configuration: try APIConfiguration("https://example.com"), sessionManager: session)
        let socket = try await service.webSocket(
            for: Endpoint<Void>(path: "live"),
            options: WebSocketOptions {
                $0.subprotocols = ["chat"]
                $0.compression = WebSocketCompression()
                $0.closeTimeout = .seconds(60)
            })
        #expect(socket.subprotocol == "chat")
        for size in [0, 1000, 1_000_000] {
            try await socket.send(.binary(Data(count: size)))
            #expect(try await socket.receive() == .binary(Data(count: size)))
        }
        _ = try await socket.ping()
        await socket.close(.goingAway, reason: "done")
        #expect(socket.closeStatus?.code == .goingAway)
        #expect(session.requests.map { $0.headers["Sec-WebSocket-Version"] } == ["13"])
    }

    @Test func `a request that does not open a WebSocket is refused`() async throws {
        #expect(
            try await Self.echoing().response(for: NetworkRequest(url: URL(string: "https://example.com/live")!)).statusCode
                == 426)
    }

    @Test func `the handler of a stub is cancelled when the client has gone`() async throws {
        let session = StubSessionManager()
        let gate = AsyncGate()
        session.enqueueWebSocket(for: "/live") { _ in
            try? await Task.sleep(for: .seconds(3600))
            gate.open()
        }
        let socket = try await session.webSocket(for: Self.url)
        socket.cancel()
        await gate.wait()
    }

    @Test func `a reader that waits does not let the memory of a stub grow`() async throws {
        let session = StubSessionManager()
        let sent = Watched(0)
        session.enqueueWebSocket(for: "/live") { socket in
            for _ in 0..<100 {
                try await socket.send(.binary(Data(count: 64 << 10)))
                sent.withLock { $0 += 1 }
            }
        }
        let socket = try await session.webSocket(for: Self.url)
        // 256 KiB wait in the queue of the receiver, and 256 KiB in that of the connection, whose last message is still being sent.
        await sent.wait { $0 >= 7 }
        #expect(sent.withLock { $0 } < 20)
        #expect(await socket.collected().messages.count == 100)
    }

    @Test func `a conversation is recorded, and replayed`() async throws {
        let recorder = WebSocketRecorder()
        let socket = recorder.recorded(try await Self.echoing().webSocket(for: Self.url))
        try await socket.send(json: ["id": 1])
        _ = try await socket.receive()
        try await socket.send(.binary(Data([1, 2])))
        for try await message in socket.streams {
            for try await _ in message {}
            break
        }
        await socket.close(.normal, reason: "bye")
        let coded = try JSONEncoder().encode(recorder.recording)
        let recording = try JSONDecoder().decode(WebSocketRecording.self, from: coded)
        #expect(
            recording.entries == [
                .init(.client, .text(#"{"id":1}"#)), .init(.server, .text(#"{"id":1}"#)), .init(.client, .binary(Data([1, 2]))),
                .init(.server, .binary(Data([1, 2]))), .init(.client, closing: .normal, reason: "bye"),
            ])

        let session = StubSessionManager()
        session.enqueueWebSocket(replaying: recording, for: "/live")
        let replayed = try await session.webSocket(for: Self.url, options: WebSocketOptions { $0.closeTimeout = .seconds(60) })
        try await replayed.send(.text(#"{ "id": 1 }"#))
        #expect(try await replayed.receive() == .text(#"{"id":1}"#))
        try await replayed.send(.binary(Data([1, 2])))
        #expect(try await replayed.receive() == .binary(Data([1, 2])))
        await replayed.close()
        #expect(replayed.closeStatus?.code == .normal)
    }

    @Test(arguments: [
        (WebSocketMessage.text(#"{"id":2}"#), "entry 1 of the recording: the text differs at id"),
        (.text("x"), "entry 1 of the recording: the text is not JSON"),
        (.binary(Data([1])), "entry 1 of the recording: a binary message, instead of a text"),
    ])
    func `a message that was not recorded closes the replay with the reason`(
        message: WebSocketMessage, reason: String
    ) async throws {
        let session = StubSessionManager()
        session.enqueueWebSocket(replaying: WebSocketRecording(entries: [.init(.client, .text(#"{"id":1}"#))]))
        let socket = try await session.webSocket(for: Self.url)
        try await socket.send(message)
        let error = await #expect(throws: WebSocketError.self) { try await socket.receive() }
        #expect(error?.closeCode == .policyViolation)
        #expect(socket.closeStatus?.reason == reason)
    }

    @Test func `a message after the end of the recording closes the replay`() async throws {
        let session = StubSessionManager()
        session.enqueueWebSocket(
            replaying: WebSocketRecording(entries: [.init(.server, .text("hello"))]))
        let socket = try await session.webSocket(for: Self.url)
        #expect(try await socket.receive() == .text("hello"))
        try await socket.send(.text("more"))
        await #expect(throws: WebSocketError.self) { try await socket.receive() }
        #expect(socket.closeStatus?.reason == "the recording has no message after its 1 entries")
    }
}
