#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkSupport
    import NetworkTesting
    import Testing

    import NetworkCore

    /// Serves one connection on a separate thread, as fast as the peer permits, and reports its progress.
    package final class FlowServer: Sendable {
        package enum Event: Equatable {
            /// The peer has read nothing for 300 ms.
            case stalled
            /// The connection has ended.
            case closed
        }

        package let url: URL
        package let events: AsyncStream<Event>
        private let report: AsyncStream<Event>.Continuation
        private let listener: Int32
        private let count = Locked(0)
        private let start = DispatchSemaphore(value: 0)

        /// The number of body bytes sent or read so far.
        package var moved: Int { count.withLock { $0 } }

        /// - Parameters:
        ///   - body: The size of the response's body in bytes; `nil` reads the request's body after ``startReading()`` and sends
        ///     no response.
        ///   - thenResets: Whether the connection is reset afterwards, without reading the rest.
        package init(sending body: Int?, thenResets: Bool = false) throws {
            (events, report) = AsyncStream.makeStream()
            let (listener, port) = try LoopbackSocket.listen(backlog: 1, blocks: true)
            self.listener = listener
            url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
            Thread.detachNewThread { [listener, self] in
                let connection = uninterrupted { accept(listener, nil, nil) }
                defer {
                    close(connection)
                    report.yield(.closed)
                    report.finish()
                }
                guard connection >= 0, readHead(connection) else { return }
                if let body { send(body, to: connection, thenResets: thenResets) } else { read(from: connection) }
            }
        }

        deinit {
            close(listener)
        }

        /// Starts reading the request body.
        package func startReading() {
            start.signal()
        }

        private func readHead(_ connection: Int32) -> Bool {
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard uninterrupted({ recv(connection, &byte, 1, 0) }) == 1 else { return false }
                head.append(byte)
            }
            return true
        }

        private func send(_ body: Int, to connection: Int32, thenResets: Bool) {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body)\r\n\r\n"
            _ = Glibc.send(connection, head, head.utf8.count, Int32(MSG_NOSIGNAL))
            let piece = [UInt8](repeating: 0x61, count: 64 << 10)
            while moved < body {
                let size = min(piece.count, body - moved)
                let sent = uninterrupted {
                    Glibc.send(connection, piece, size, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                if sent > 0 {
                    count.withLock { $0 += sent }
                } else if errno == EAGAIN {
                    var interest = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
                    if uninterrupted({ poll(&interest, 1, 300) }) == 0 {
                        report.yield(.stalled)
                        _ = uninterrupted { poll(&interest, 1, -1) }
                    }
                } else {
                    return
                }
            }
            var rest = [UInt8](repeating: 0, count: 64 << 10)
            if thenResets {
                // A reset discards bytes that the peer has not read yet. When the peer has sent this many bytes, it has read the
                // response.
                var read = 0
                while read < 16 << 20, case let count = uninterrupted({ recv(connection, &rest, rest.count, 0) }), count > 0 {
                    read += count
                }
                // Closing a connection with unread bytes resets it.
                return
            }
            // Reads until the peer closes the connection: closing it while the peer still sends would reset it.
            while uninterrupted({ recv(connection, &rest, rest.count, 0) }) > 0 {}
        }

        private func read(from connection: Int32) {
            start.wait()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let received = uninterrupted { recv(connection, &buffer, buffer.count, 0) }
                guard received > 0 else { return }
                count.withLock { $0 += received }
            }
        }
    }
#endif
