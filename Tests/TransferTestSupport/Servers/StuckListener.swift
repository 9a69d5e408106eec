#if os(Linux)
    import Foundation
    import Glibc

    /// A listening socket whose queue is full, so that further connection attempts are never completed.
    package final class StuckListener: Sendable {
        package let url: URL
        private let sockets: [Int32]

        package struct Failure: Error {}

        /// - Parameters:
        ///   - last: The last number of its address, 127.0.0.1 by default.
        ///   - port: Its port; 0 for a free one.
        package init(last: UInt32 = 1, port: UInt16 = 0) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = (0x7F00_0000 | last).bigEndian
            address.sin_port = port.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(listener, generic, length) == 0 && listen(listener, 0) == 0
                        && getsockname(listener, generic, &length) == 0
                }
            }
            guard isListening, let url = URL(string: "http://127.0.0.\(last):\(UInt16(bigEndian: address.sin_port))/") else {
                close(listener)
                throw Failure()
            }
            self.url = url
            var sockets = [listener]
            for _ in 0..<8 {
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                sockets.append(client)
                withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                        _ = connect(client, generic, length)
                    }
                }
            }
            self.sockets = sockets
        }

        /// Accepts all connections from now on, and sends each this text when it has sent something. The system repeats an attempt that was not
        /// completed, after a second at first.
        package func respond(_ text: String) {
            let listener = sockets[0]
            Thread.detachNewThread {
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    Thread.detachNewThread {
                        var buffer = [UInt8](repeating: 0, count: 4096)
                        if recv(connection, &buffer, buffer.count, 0) > 0 {
                            _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                            while recv(connection, &buffer, buffer.count, 0) > 0 {}
                        }
                        close(connection)
                    }
                }
            }
        }

        deinit {
            // So that the thread in ``respond(_:)`` ends.
            shutdown(sockets[0], Int32(SHUT_RDWR))
            for socket in sockets { close(socket) }
        }
    }
#endif
