#if os(Linux)
    import Foundation
    import Glibc
    import NetworkCore

    /// Accepts connections one after the other, reads so many bytes of each, and ends it without an answer.
    final class AbruptListener: Sendable {
        let url: URL
        private let listener: Int32
        private let accepted = Locked(0)

        struct Failure: Error {}

        /// - Parameter resets: Whether it ends with a reset, rather than in an orderly way with bytes left unread.
        init(after bytes: Int, resets: Bool) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            self.listener = listener
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(listener, generic, length) == 0 && listen(listener, 16) == 0
                        && getsockname(listener, generic, &length) == 0
                }
            }
            guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/") else {
                throw Failure()
            }
            self.url = url
            let accepted = accepted
            Thread.detachNewThread {
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    accepted.withLock { $0 += 1 }
                    var left = bytes
                    var buffer = [UInt8](repeating: 0, count: 65536)
                    while left > 0 {
                        let count = recv(connection, &buffer, min(left, buffer.count), 0)
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

        var connections: Int { accepted.withLock { $0 } }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }
#endif
