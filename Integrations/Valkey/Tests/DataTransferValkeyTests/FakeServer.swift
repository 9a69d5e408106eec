import Foundation
import Synchronization

/// A server on a Unix socket that replies with fixed bytes to whatever it receives, and then closes the connection or stays silent.
final class FakeServer: Sendable {
    let path: String
    private let socket: Int32
    private let accepted = Mutex<[Int32]>([])

    /// - Parameters:
    ///   - replies: What is sent in response to each read, in order. Afterwards nothing is sent.
    ///   - closes: Whether the connection is closed after the last reply.
    ///   - pause: The time between two bytes; `nil` to send each reply at once.
    init(_ replies: [String], closes: Bool = false, microsecondsBetweenBytes pause: UInt32? = nil) throws {
        path = NSTemporaryDirectory() + "fake-" + UUID().uuidString.prefix(8)
        socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let socket = socket
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(socket, 64) == 0 else { throw CocoaError(.fileWriteUnknown) }
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                self?.accepted.withLock { $0.append(connection) }
                Thread.detachNewThread { Self.serve(connection, replies, closes, pause) }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
        for connection in accepted.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
        unlink(path)
    }

    private static func serve(_ connection: Int32, _ replies: [String], _ closes: Bool, _ pause: UInt32?) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        for reply in replies {
            guard recv(connection, &buffer, buffer.count, 0) > 0 else { break }
            let bytes = Array(reply.utf8)
            if let pause {
                for byte in bytes {
                    var byte = byte
                    guard send(connection, &byte, 1, CInt(truncatingIfNeeded: MSG_NOSIGNAL)) == 1 else { break }
                    usleep(pause)
                }
            } else {
                _ = send(connection, bytes, bytes.count, CInt(truncatingIfNeeded: MSG_NOSIGNAL))
            }
        }
        if !closes { while recv(connection, &buffer, buffer.count, 0) > 0 {} }
        close(connection)
    }
}
