import Endpoints
import NetworkCore
import NetworkWebSocket

let api = try APIConfiguration("https://api.example.com")
let service = DefaultNetworkService(configuration: api)
let socket = try await service.webSocket(for: Endpoint<Void>(path: "live"))
try await socket.send(.text("hello"))
for try await message in socket.messages { print(message) }
await socket.close()
