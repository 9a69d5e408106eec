#if os(Linux)
    import Foundation
    import Glibc

    /// Responds to each connection to a Unix domain socket with the same bytes, on a separate thread.
    package final class UnixSocketServer {
        package let path: String
        private let listener: Int32

        package struct Failure: Error {}

        package init(response: String) throws {
            path = FileManager.default.temporaryDirectory.appendingPathComponent("s\(UUID().uuidString.prefix(8))").path
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let isListening = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(listener, generic, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 16) == 0
                }
            }
            self.listener = listener
            guard isListening else { throw Failure() }
            Thread.detachNewThread {
                while true {
                    let connection = uninterrupted { accept(listener, nil, nil) }
                    guard connection >= 0 else { return }
                    var buffer = [UInt8](repeating: 0, count: 65536)
                    _ = uninterrupted { recv(connection, &buffer, buffer.count, 0) }
                    _ = Array(response.utf8).withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    close(connection)
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
            unlink(path)
        }
    }
#endif
