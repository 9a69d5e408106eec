import Foundation

/// The POSIX socket calls of the server, with their results as values. `LoopbackSocket+Linux.swift` and
/// `LoopbackSocket+Darwin.swift` contain the differences between systems.
package enum LoopbackSocket {
    enum Transfer: Equatable {
        case bytes(Int)
        /// No bytes can be read or written at the moment.
        case wouldBlock
        /// The connection has failed.
        case failed
    }

    enum Accepted {
        case connection(Int32)
        /// No connection is waiting.
        case none
        /// The process or the system has no free descriptors or memory.
        case exhausted
    }

    /// Creates a socket that listens on 127.0.0.1, and returns it with its port.
    ///
    /// - Parameter blocks: Whether `accept` waits for a connection.
    /// - Throws: ``LoopbackServerError`` with the system call that failed.
    package static func listen(
        port: UInt16 = 0, backlog: Int, blocks: Bool = false
    ) throws(LoopbackServerError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = makeStreamSocket()
        guard descriptor >= 0 else { throw LoopbackServerError(operation: "socket", code: errno) }
        do throws(LoopbackServerError) {
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
            guard prepare(descriptor, blocks: blocks) else { throw LoopbackServerError(operation: "fcntl", code: errno) }
            var address = loopbackAddress(port: port)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withSocketAddress(&address) { bind(descriptor, $0, size) }
            guard bound == 0 else { throw LoopbackServerError(operation: "bind", code: errno) }
            guard systemListen(descriptor, Int32(clamping: backlog)) == 0 else {
                throw LoopbackServerError(operation: "listen", code: errno)
            }
            guard withSocketAddress(&address, { getsockname(descriptor, $0, &size) }) == 0 else {
                throw LoopbackServerError(operation: "getsockname", code: errno)
            }
            return (descriptor, UInt16(bigEndian: address.sin_port))
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
    }

    /// Accepts the next waiting connection, and makes it non-blocking and without Nagle's delay.
    static func accept(_ listener: Int32) -> Accepted {
        while true {
            let descriptor = systemAccept(listener)
            guard descriptor < 0 else {
                guard prepare(descriptor, blocks: false) else {
                    closeDescriptor(descriptor)
                    continue
                }
                setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
                return .connection(descriptor)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    /// Reads the bytes that have arrived; returns `.bytes(0)` at the end of the stream.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed
        }
    }

    /// Writes as many bytes as the system accepts, and never raises SIGPIPE.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? .wouldBlock : .failed
        }
    }

    /// Makes the next `close` of the descriptor a reset: SO_LINGER with a time of zero.
    static func resetOnClose(_ descriptor: Int32) {
        setOption(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    /// Closes the sending side (FIN). Bytes can still be read.
    static func finishSending(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    static func setOption<Value: BitwiseCopyable>(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Value) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
    }

    private static func prepare(_ descriptor: Int32, blocks: Bool) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { return false }
        return blocks || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
    }

    private static func withSocketAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}
