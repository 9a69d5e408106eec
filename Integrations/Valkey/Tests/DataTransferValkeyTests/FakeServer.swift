import Foundation
import Synchronization

/// A server on a Unix socket that replies with fixed bytes to whatever it receives, and then closes the connection or stays silent.
final class FakeServer: Sendable {
    let path: String
    private let socket: Int32
    private let connections = Connections()

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
        let (socket, connections) = (socket, connections)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(socket, 64) == 0 else { throw CocoaError(.fileWriteUnknown) }
        Thread.detachNewThread {
            while true {
                let connection = accept(socket, nil, nil)
                // Closed by the thread that uses it: another test could receive the number of a descriptor that is still in use here.
                guard connection >= 0 else { return _ = close(socket) }
                connections.add(connection)
                Thread.detachNewThread {
                    Self.serve(connection, replies, closes, pause)
                    connections.close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        connections.shutDown()
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
    }
}

/// The open connections of a server. A descriptor is closed and removed in one step, so that only open ones are shut down.
private final class Connections: Sendable {
    private let open = Mutex<Set<Int32>>([])

    func add(_ connection: Int32) {
        open.withLock { _ = $0.insert(connection) }
    }

    func close(_ connection: Int32) {
        open.withLock {
            $0.remove(connection)
            _ = Foundation.close(connection)
        }
    }

    func shutDown() {
        open.withLock { for connection in $0 { _ = shutdown(connection, Int32(SHUT_RDWR)) } }
    }
}
