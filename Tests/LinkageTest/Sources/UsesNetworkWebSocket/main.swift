import Foundation
import NetworkCore
import NetworkWebSocket

let socket = try await DefaultSessionManager.shared.webSocket(for: URL(string: "ws://127.0.0.1:9/")!)
print(socket.subprotocol ?? "none")
