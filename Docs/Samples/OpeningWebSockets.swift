import Foundation
import NetworkPipeline
import NetworkRecordings
import NetworkTesting
import NetworkWebSocket

struct Event: Codable, Sendable { let id: Int }
struct Command: Codable, Sendable { let room: Int }

let api = try APIConfiguration("https://api.example.com/3")

// snippet.open
let service = DefaultNetworkService(
    configuration: api, interceptors: RequestPipeline().interceptors)
let socket = try await service.webSocket(
    for: Endpoint<Void>(path: "live", queryParameters: ["room": 7]))
try await socket.send(.text("hello"))
for try await message in socket.messages { print(message) }
await socket.close()
// snippet.end

// snippet.values
try await socket.send(json: Command(room: 7))
for try await event in socket.messages(as: .json(Event.self)) {
    print(event.id)
}
// snippet.end

// snippet.options
let options = WebSocketOptions {
    $0.subprotocols = ["chat.v2", "chat.v1"]
    $0.maximumMessageBytes = 1 << 20
    $0.pingInterval = .seconds(15)
    $0.pingTimeout = .seconds(5)
    $0.compression = WebSocketCompression()
}
let chat = try await service.webSocket(
    for: Endpoint<Void>(path: "chat"), options: options)
print(chat.subprotocol ?? "none", try await chat.ping())
// snippet.end

// snippet.large
for try await message in socket.streams {
    for try await chunk in message { print(chunk.count) }
}
// snippet.end

// snippet.errors
do {
    while let message = try await socket.receive() { print(message) }
} catch let error as WebSocketError where error.code == .closed {
    print("the server has closed it:", error.closeCode?.rawValue ?? 0)
} catch {
    print("the WebSocket has failed:", error)
}
// snippet.end

// snippet.reconnecting
let live = ReconnectingWebSocket(
    WebSocketReconnection {
        $0.maximumAttempts = 5
        $0.backoff.maximumDelay = .seconds(30)
    }
) {
    try await service.webSocket(for: Endpoint<Void>(path: "live"))
} onOpen: { socket in
    try await socket.send(json: Command(room: 7))
}
for try await message in live.messages { print(message) }
// snippet.end

// snippet.loopback
let server = try LoopbackServer {
    LoopbackRoute.webSocket("/live") { socket, _ in
        for try await message in socket.messages {
            try await socket.send(message)
        }
    }
}
let echo = try await DefaultSessionManager().webSocket(for: server.url("/live"))
// snippet.end

// snippet.stub
let session = StubSessionManager()
session.enqueueWebSocket(for: "/3/live") { socket in
    try await socket.send(json: Event(id: 7))
}
let stubbed = DefaultNetworkService(configuration: api, sessionManager: session)
// snippet.end

// snippet.recording
let recorder = WebSocketRecorder()
let recorded = recorder.recorded(
    try await service.webSocket(for: Endpoint<Void>(path: "live")))
print(try await recorded.receive() as Any)
await recorded.close()
session.enqueueWebSocket(replaying: recorder.recording, for: "/3/live")
// snippet.end

print(echo, stubbed)
