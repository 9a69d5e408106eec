import Foundation
import NetworkTesting
import NetworkWebSocket

extension StubSessionManager {
    /// Adds a WebSocket that replays a recording, once, for the next matching request.
    ///
    /// The server's side sends its entries, and waits for each entry of the client. Texts that are JSON are compared by value, others and binary
    /// messages literally. If the client sends something else, the server's side closes the WebSocket with the code 1008, and a reason that names the
    /// number of the entry, from 1.
    ///
    /// ```swift
    /// let recording = try JSONDecoder().decode(WebSocketRecording.self, from: fixture)
    /// session.enqueueWebSocket(replaying: recording, for: "/live")
    /// ```
    ///
    /// - Parameters:
    ///   - recording: What is replayed.
    ///   - path: The percent-decoded path of the URL, including the path of the base URL. `nil` matches any path.
    public func enqueueWebSocket(replaying recording: WebSocketRecording, for path: String? = nil) {
        enqueueWebSocket(for: path, subprotocols: recording.subprotocol.map { [$0] } ?? []) { socket in
            try await recording.replay(over: socket)
        }
    }
}

extension WebSocketRecording {
    /// Plays the server's side of the recording.
    func replay(over socket: WebSocket) async throws {
        for (index, entry) in entries.enumerated() {
            switch (entry.sender, entry.message) {
            case (.server, let message?): try await socket.send(message)
            case (.server, nil):
                return await socket.close(
                    WebSocketCloseCode(rawValue: entry.closeCode ?? 1000), reason: entry.closeReason ?? "")
            case (.client, let expected?):
                guard let received = try await socket.receive() else { return }
                if let difference = Self.difference(of: received, from: expected) {
                    return await socket.close(.policyViolation, reason: "entry \(index + 1) of the recording: \(difference)")
                }
            case (.client, nil):
                guard try await socket.receive() != nil else { return }
                return await socket.close(
                    .policyViolation, reason: "entry \(index + 1) of the recording: the client closes the WebSocket here")
            }
        }
        // The recording ends before the connection did: nothing more is expected.
        guard try await socket.receive() != nil else { return }
        await socket.close(.policyViolation, reason: "the recording has no message after its \(entries.count) entries")
    }

    private static func difference(of message: WebSocketMessage, from expected: WebSocketMessage) -> String? {
        switch (message, expected) {
        case (.text(let text), .text(let other)):
            if text == other { return nil }
            guard let value = JSONValue(Data(other.utf8)) else { return "the text differs" }
            guard let found = JSONValue(Data(text.utf8)) else { return "the text is not JSON" }
            return value.difference(from: found).map { "the text differs at \($0.printable)" }
        case (.binary(let data), .binary(let other)): return data == other ? nil : "the binary message differs"
        case (.text, .binary): return "a text, instead of a binary message"
        case (.binary, .text): return "a binary message, instead of a text"
        }
    }
}
