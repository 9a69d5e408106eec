#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import Foundation

    // Sending over HTTP/2.
    extension HTTP2Exchanges {
        /// From how many bytes on what was written is sent before more is written.
        private static let batchBytes = 64 << 10

        func send(_ connection: HTTP2Connection) {
            // Limits the writes per call, so that a peer that reads without pause does not delay other connections.
            for _ in 0..<64 {
                write(connection)
                guard connection.mayWrite, connection.sendFailure == nil, !connection.machine.output.isEmpty else { return }
                let movement: SocketConnection.Movement = connection.machine.output.offer { bytes in
                    let movement = connection.send(bytes)
                    if case .bytes(let count) = movement { return (movement, count) }
                    return (movement, 0)
                }
                switch movement {
                case .bytes(let count): connection.sentBytes += UInt64(count)
                case .again, .withoutData: connection.mayWrite = false
                case .end: return failSending(connection, .system(EPIPE))
                case .failed(let failure): return failSending(connection, failure)
                }
            }
            context.yieldToOthers(connection)
        }

        /// Handles a failed send. What the server has sent before it closed the connection is still received.
        private func failSending(_ connection: HTTP2Connection, _ failure: SocketConnection.Failure) {
            connection.sendFailure = failure
            connection.mayRead = true
            connection.hasEnded = true
            context.yieldToOthers(connection)
        }

        /// Writes heads and content, as far as the server permits them and there is not enough to send.
        private func write(_ connection: HTTP2Connection) {
            while let next = connection.unopened.first, connection.machine.canOpen, hasRoom(connection) {
                if next.isWebSocket {
                    // Its settings say whether the server opens tunnels.
                    guard connection.machine.hasSettings else { break }
                    guard connection.machine.permitsConnectProtocol else {
                        refuseTunnel(next)
                        continue
                    }
                }
                connection.unopened.removeFirst()
                guard let transfer = next.transfer else { continue }
                next.start = connection.writtenBytes
                writeHead(of: next, transfer) { method, hasBody, fields in
                    let id = connection.machine.open(method, hasBody: hasBody, fields)
                    connection.assign(id, to: next)
                    return id
                }
            }
            while !connection.senders.isEmpty, hasRoom(connection) { writeNextContent(connection) }
        }

        func hasRoom(_ connection: HTTP2Connection) -> Bool {
            connection.isOpen && connection.machine.output.count < Self.batchBytes
        }

        private func refuseTunnel(_ exchange: HTTP2Exchange) {
            guard let transfer = exchange.transfer else { return remove(exchange) }
            let error = TransportError(
                .unsupported, "Upgrade: the server opens no WebSockets over HTTP/2 (RFC 8441)", phase: .queued,
                request: transfer.request)
            end(transfer, .failure(error))
        }

        func contentRoom(of exchange: HTTP2Exchange) -> Int {
            exchange.id.map { exchange.connection.machine.room(on: $0) } ?? 0
        }
    }
#endif
