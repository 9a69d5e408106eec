#if os(Linux)
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing

    /// Accepts connections one after the other, reads a number of bytes from each, and closes it without a response.
    package final class AbruptListener: Sendable {
        package let url: URL
        private let listener: Int32
        private let accepted = Locked(0)

        /// - Parameter resets: Whether connections are reset explicitly. Otherwise they are closed, possibly with unread bytes.
        package init(after bytes: Int, resets: Bool) throws {
            let (listener, port) = try LoopbackSocket.listen(backlog: 16, blocks: true)
            self.listener = listener
            url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
            let accepted = accepted
            Thread.detachNewThread {
                while true {
                    let connection = uninterrupted { accept(listener, nil, nil) }
                    guard connection >= 0 else { return }
                    accepted.withLock { $0 += 1 }
                    var left = bytes
                    var buffer = [UInt8](repeating: 0, count: 65536)
                    while left > 0 {
                        let count = uninterrupted { recv(connection, &buffer, min(left, buffer.count), 0) }
                        guard count > 0 else { break }
                        left -= count
                    }
                    if resets {
                        var linger = linger(l_onoff: 1, l_linger: 0)
                        setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                    }
                    close(connection)
                }
            }
        }

        package var connections: Int { accepted.withLock { $0 } }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }
#endif
