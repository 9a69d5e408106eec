import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Serves one connection as fast as the client reads, on a separate thread, and reports how much it has sent.
final class FlowServer: Sendable {
    struct State {
        var sent = 0
        /// The client has taken nothing for 300 ms.
        var isStalled = false
        var isClosed = false
    }

    let url: URL
    let state = Guarded(State())

    init(sending body: [UInt8]) throws {
        #if canImport(Glibc)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            close(listener)
            throw CocoaError(.featureUnsupported)
        }
        self.url = url
        Thread.detachNewThread { [state] in
            let connection = accept(listener, nil, nil)
            close(listener)
            Self.serve(connection, body, state)
            close(connection)
            state.withLock { $0.isClosed = true }
        }
    }

    private static func serve(_ connection: Int32, _ body: [UInt8], _ state: Guarded<State>) {
        var room: Int32 = 64 << 10
        setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        var head = [UInt8](repeating: 0, count: 4096)
        guard recv(connection, &head, head.count, 0) > 0 else { return }
        let response = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        var sent = 0
        while sent < response.count {
            let count = response.withUnsafeBytes {
                send(
                    connection, $0.baseAddress! + sent, min(64 << 10, response.count - sent),
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                sent += count
                state.withLock { [sent] state in
                    state.sent = sent
                    state.isStalled = false
                }
            } else if errno == EAGAIN {
                var interest = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
                if poll(&interest, 1, 300) == 0 {
                    state.withLock { $0.isStalled = true }
                    poll(&interest, 1, -1)
                }
            } else {
                return
            }
        }
        // Until the client hangs up.
        while recv(connection, &head, head.count, 0) > 0 {}
    }
}
