import DataTransfer
import NetworkWebSocket

struct Event: Codable, Sendable { let room: Int; let text: String }

let api = try APIConfiguration("https://api.example.com")

// snippet.open
let network = DefaultNetworkService(configuration: api)
let socket = try await network.webSocket(
    for: Endpoint<Void>(path: "live", queryParameters: ["room": 7]))
try await socket.send(json: Event(room: 7, text: "hello"))
for try await event in socket.messages(as: .json(Event.self)) {
    print(event.text)
}
await socket.close(.goingAway)
// snippet.end
