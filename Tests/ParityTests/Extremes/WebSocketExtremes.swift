import DataTransfer
import Foundation
import NetworkCore
import NetworkRecordings
import NetworkTesting
import NetworkWebSocket

/// WebSockets, their options, faults and recordings.
extension ExtremeCall {
    private static let url = URL(string: "ws://api.test/live")!
    private static let quiet = WebSocketOptions { $0.pingInterval = nil }

    /// Opens a WebSocket of a stub that echoes messages.
    private static func open(_ change: (inout WebSocketOptions) -> Void = { _ in }) async throws -> WebSocket {
        let session = StubSessionManager()
        session.enqueueWebSocket { socket in
            for try await message in socket.messages { try await socket.send(message) }
        }
        return try await session.webSocket(for: url, options: WebSocketOptions(change))
    }

    /// Opens a WebSocket of a loopback server with a fault, and receives one message or an error.
    private static func receive(_ fault: LoopbackWebSocketFault, path: String = "/") async throws {
        let server = try LoopbackServer {
            LoopbackRoute.webSocket(path, subprotocols: [path], options: quiet, faults: [fault]) { socket, _ in
                try await socket.send(.text("a"))
            }
        }
        defer { server.stop() }
        describe(fault)
        let socket = try? await DefaultSessionManager().webSocket(for: server.url("/"), options: quiet)
        _ = try? await socket?.receive()
    }

    static let webSockets: [ExtremeCall] = [
        ExtremeCall(
            "WebSocket.ping(within:)", "WebSocket.close(_:reason:)",
            "WebSocketCloseCode.init(rawValue:)", "ReconnectingWebSocket.close(_:reason:)"
        ) {
            for limit in Extreme.durations { await cancelling { _ = try await open().ping(within: limit) } }
            for code in [0, 999, 1000, 1004, 1006, 1015, 2999, 3000, .max] as [UInt16] {
                await (try await open()).close(WebSocketCloseCode(rawValue: code))
            }
            for text in Extreme.texts {
                await (try await open()).close(reason: text)
                let live = ReconnectingWebSocket { throw WebSocketError(.closed, text) }
                await live.close(.normal, reason: text)
                _ = try? await live.receive()
            }
        },
        ExtremeCall("WebSocketError.init(_:_:closeCode:underlying:)", "WebSocketError.Code.init(rawValue:)") {
            for text in Extreme.texts { describe(WebSocketError(WebSocketError.Code(rawValue: text), text)) }
        },
        // Stored properties, which have no declaration in the table.
        ExtremeCall {
            for number in Extreme.integers {
                _ = try? await open { $0.maximumMessageBytes = number }
                _ = try? await open { options in
                    options.compression = WebSocketCompression {
                        $0.level = number
                        $0.minimumBytes = number
                    }
                }
            }
            for time in Extreme.durations {
                for path in [\WebSocketOptions.pingInterval, \.idleTimeout, \.totalTimeout] {
                    _ = try? await open { $0[keyPath: path] = time }
                }
                for path in [\WebSocketOptions.pingTimeout, \.closeTimeout] { _ = try? await open { $0[keyPath: path] = time } }
            }
            for text in Extreme.texts { _ = try? await open { $0.subprotocols = [text] } }
        },
        ExtremeCall(
            "StubSessionManager.enqueueWebSocket(for:subprotocols:compression:options:handler:)",
            "StubSessionManager.enqueueWebSocket(replaying:for:)", "WebSocketRecording.init(subprotocol:entries:)",
            "WebSocketRecording.Entry.init(_:closing:reason:)"
        ) {
            for text in Extreme.texts {
                let session = StubSessionManager()
                session.enqueueWebSocket(for: text, subprotocols: [text]) { _ in }
                let entry = WebSocketRecording.Entry(.server, closing: .normal, reason: text)
                describe(entry)
                let recording = WebSocketRecording(subprotocol: text, entries: [entry])
                describe(recording)
                session.enqueueWebSocket(replaying: recording, for: text)
                session.enqueueWebSocket(replaying: recording)
                for _ in 0..<2 {
                    let socket = try? await session.webSocket(for: url)
                    _ = try? await socket?.receive()
                }
            }
        },
        ExtremeCall(
            "LoopbackRoute.webSocket(_:subprotocols:compression:options:faults:handler:)",
            "LoopbackWebSocketFault.after(frames:)",
            "LoopbackWebSocketFault.drip(bytes:every:)", "LoopbackWebSocketFault.header(_:for:)",
            "LoopbackWebSocketFault.resetFrame(after:)", "LoopbackWebSocketFault.truncateFrame(after:)"
        ) {
            for number in Extreme.integers {
                try await receive(.maskedFrame.after(frames: number))
                try await receive(.drip(bytes: number, every: .nanoseconds(1)))
                try await receive(.resetFrame(after: number))
                try await receive(.truncateFrame(after: number))
            }
            for time in Extreme.durations { await cancelling { try await receive(.drip(bytes: 1, every: time)) } }
            for text in Extreme.shortTexts {
                try await receive(.header(text, for: text))
                try await receive(.maskedFrame, path: text)
            }
        },
    ]
}
