import Foundation
import NetworkCore
import NetworkWebSocket

let session = DefaultSessionManager()
do {
    _ = try await session.webSocket(
        for: URL(string: "ws://127.0.0.1:9/")!, options: WebSocketOptions { $0.maximumMessageBytes = 0 })
} catch let error as WebSocketError {
    print(error.code.rawValue)
}
