#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc

    @testable import NetworkCore

    /// Serves one connection from a thread of its own, as fast as the peer lets it, and tells how far it came.
    final class FlowServer: Sendable {
        enum Event: Equatable {
            /// The peer has taken nothing for 300 ms.
            case stalled
            /// The connection has ended.
            case closed
        }

        let url: URL
        let events: AsyncStream<Event>
        private let report: AsyncStream<Event>.Continuation
        private let listener: Int32
        private let count = Locked(0)
        private let start = DispatchSemaphore(value: 0)

        struct Failure: Error {}

        /// Bytes of body sent or read so far.
        var moved: Int { count.withLock { $0 } }

        /// - Parameters:
        ///   - body: How many bytes to answer with; `nil` reads the request's body after ``readOn()``, and answers nothing.
        ///   - thenResets: Whether it resets the connection after it, without reading on.
        init(sending body: Int?, thenResets: Bool = false) throws {
            (events, report) = AsyncStream.makeStream()
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(listener, generic, length) == 0 && listen(listener, 1) == 0
                        && getsockname(listener, generic, &length) == 0
                }
            }
            guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/") else {
                throw Failure()
            }
            self.url = url
            Thread.detachNewThread { [listener, self] in
                let connection = accept(listener, nil, nil)
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

        /// Lets it begin to read.
        func readOn() {
            start.signal()
        }

        private func readHead(_ connection: Int32) -> Bool {
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard recv(connection, &byte, 1, 0) == 1 else { return false }
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
                let sent = Glibc.send(connection, piece, size, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                if sent > 0 {
                    count.withLock { $0 += sent }
                } else if errno == EAGAIN {
                    var interest = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
                    if poll(&interest, 1, 300) == 0 {
                        report.yield(.stalled)
                        poll(&interest, 1, -1)
                    }
                } else {
                    return
                }
            }
            var rest = [UInt8](repeating: 0, count: 64 << 10)
            if thenResets {
                // A reset takes back what the peer has not read yet: it has, by the time it has sent this much more.
                var read = 0
                while read < 16 << 20, case let count = recv(connection, &rest, rest.count, 0), count > 0 { read += count }
                // What is left unread makes closing a reset.
                return
            }
            // Until the peer hangs up: closing before it has stopped to send would reset the connection.
            while recv(connection, &rest, rest.count, 0) > 0 {}
        }

        private func read(from connection: Int32) {
            start.wait()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let received = recv(connection, &buffer, buffer.count, 0)
                guard received > 0 else { return }
                count.withLock { $0 += received }
            }
        }
    }
#endif
