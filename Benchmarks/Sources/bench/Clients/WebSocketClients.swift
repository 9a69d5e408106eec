import DataTransfer
import Foundation
import NetworkWebSocket

/// Messages that an echo server sends back: one at a time on each socket, and as many sockets as the load is concurrent.
extension Client {
    /// Texts of 1 KB, and at ``Document/mebibyte`` binary messages.
    func startWebSocket(_ load: Load, onExecutors: Bool) {
        let loops = onExecutors ? min(load.concurrency, ProcessInfo.processInfo.activeProcessorCount) : 1
        let session = SocketSessionManager(limit: load.concurrency, loops: loops)
        let message = load.isLarge ? WebSocketMessage.binary(Data(count: load.bodyBytes)) : .text(load.text)
        load.keepUp(on: onExecutors ? session.executors : []) { load in
            let socket = try await session.webSocket(for: load.url)
            while true {
                if load.isLarge {
                    // The server sends back before it has received all: one task that sends and then receives might wait forever.
                    async let sending: Void = socket.send(message)
                    load.count(try await socket.receive())
                    try await sending
                } else {
                    try await socket.send(message)
                    load.count(try await socket.receive())
                }
            }
        }
    }
}

extension Load {
    /// Whether messages are binary.
    var isLarge: Bool { bodyBytes > Document.bytes }

    /// A text of as many bytes as are expected back.
    var text: String { String(decoding: Document.example, as: UTF8.self) }

    fileprivate func count(_ message: WebSocketMessage?) {
        switch message {
        case .text(let text): count(status: 200, bytes: text.utf8.count)
        case .binary(let data): count(status: 200, bytes: data.count)
        case nil: fail("the server has closed a WebSocket")
        }
    }
}
