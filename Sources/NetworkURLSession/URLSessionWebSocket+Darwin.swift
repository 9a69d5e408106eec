#if canImport(Darwin)
    import Foundation
    import NetworkSupport
    import NetworkTransport

    extension URLSession {
        /// Creates the task of a WebSocket.
        func openWebSocket(_ request: URLRequest) -> URLSessionTask? { webSocketTask(with: request) }
    }

    extension URLSessionWebSocketTask: WebSocketTask {
        func limitMessages(toBytes maximum: Int) { maximumMessageSize = maximum }

        func send(_ message: UpgradedMessage, completion: @escaping @Sendable ((any Error)?) -> Void) {
            switch message {
            case .text(let text): send(.string(text), completionHandler: completion)
            case .binary(let data): send(.data(data), completionHandler: completion)
            }
        }

        func receive(completion: @escaping @Sendable (Result<UpgradedMessage, any Error>) -> Void) {
            receive(completionHandler: { (result: Result<URLSessionWebSocketTask.Message, any Error>) in
                switch result {
                case .success(.string(let text)): completion(.success(.text(text)))
                case .success(.data(let data)): completion(.success(.binary(data)))
                case .success: completion(.failure(URLError(.cannotParseResponse)))
                case .failure(let error): completion(.failure(error))
                }
            })
        }

        func ping(completion: @escaping @Sendable ((any Error)?) -> Void) { sendPing(pongReceiveHandler: completion) }

        func close(code: Int, reason: Data) {
            // Objective-C's enumerations accept every number.
            cancel(with: CloseCode(rawValue: code) ?? .normalClosure, reason: reason.isEmpty ? nil : reason)
        }

        var closeFrame: (code: Int, reason: Data?) { (closeCode.rawValue, closeReason) }
    }

    extension URLSessionDelegateBridge: URLSessionWebSocketDelegate {
        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
        ) {
            open(webSocketTask, webSocketTask, subprotocol: `protocol`)
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            exchange(of: webSocketTask)?.webSocket.withLock(\.self)?.socket.didClose(code: closeCode.rawValue, reason: reason)
        }
    }
#endif
