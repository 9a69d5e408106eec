#if os(Linux)
    import Foundation
    import Glibc

    /// A socket whose connections the system accepts, and nobody reads.
    final class DeafServer: Sendable {
        struct Failure: Error {}

        let url: URL
        private let listener: Int32

        init() throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(listener, generic, length) == 0 && listen(listener, 8) == 0
                        && getsockname(listener, generic, &length) == 0
                }
            }
            guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
                throw Failure()
            }
            self.url = url
        }

        /// Resets all connections.
        func close() {
            shutdown(listener, Int32(SHUT_RDWR))
        }

        deinit {
            Glibc.close(listener)
        }
    }
#endif
