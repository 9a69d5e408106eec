#if os(Linux)
    import Endpoints
    import NetworkTransport

    // The bytes of streams that carry another protocol: WebSockets (RFC 8441).
    extension HTTP2Exchanges {
        /// Writes as many bytes to a tunnel as the windows permit.
        func write(_ bytes: UnsafeRawBufferPointer, to exchange: HTTP2Exchange) -> SocketConnection.Movement {
            let connection = exchange.connection
            guard let id = exchange.id, connection.isOpen, connection[id] === exchange else { return .end }
            guard hasRoom(connection) else {
                // Continued after what was written is sent.
                enqueue(exchange)
                return .again
            }
            let count = min(connection.machine.room(on: id), bytes.count)
            guard count > 0 else {
                block(exchange)
                return .again
            }
            connection.machine.writeContent(id, upTo: count) { buffer in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                return (count, false)
            }
            touch(connection)
            return .bytes(count)
        }

        func openTunnel(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            owner?.upgrade(exchange, transfer)
        }

        /// Passes bytes of a tunnel to their reader, and opens the window if the reader keeps up.
        func receive(_ bytes: UnsafeRawBufferPointer, for upgrade: any TunneledProtocol, on exchange: HTTP2Exchange) {
            if upgrade.receive(bytes) {
                credit(exchange)
            } else if let id = exchange.id, exchange.connection[id] === exchange {
                exchange.connection.machine.pause(id)
            }
        }

        /// Ends a tunnel on this side.
        ///
        /// - Parameter isSent: Whether all bytes were written that the peer is to have.
        func endTunnel(_ exchange: HTTP2Exchange, isSent: Bool) {
            let connection = exchange.connection
            guard let id = exchange.id, connection[id] === exchange else { return }
            guard isSent, connection.machine.hasReceivedEnd(of: id) else { return reset(exchange, .cancel) }
            connection.machine.finish(id)
            connection.resets = max(connection.resets - 1, 0)
            remove(exchange)
        }
    }
#endif
