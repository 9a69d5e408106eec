#if os(Linux)
    import Foundation
    import Glibc
    import NetworkTesting
    import Testing

    /// A server whose connections the system accepts, but from which it never reads.
    package final class DeafServer: Sendable {
        package let url: URL
        private let listener: Int32

        package init() throws {
            let (listener, port) = try LoopbackSocket.listen(backlog: 8)
            self.listener = listener
            url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        }

        /// Resets all connections.
        package func close() {
            shutdown(listener, Int32(SHUT_RDWR))
        }

        deinit {
            Glibc.close(listener)
        }
    }
#endif
