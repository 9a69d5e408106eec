#if os(Linux)
    import Foundation
    import Glibc
    import NetworkCore
    import TransferTestSupport

    /// One connection of a ``RawServer``. Its calls block for at most 50 seconds each, and are made only by the thread that
    /// serves it.
    final class RawConnection {
        enum Failure: Error {
            /// The peer has closed or reset the connection.
            case ended
            /// No byte was sent or received for 50 seconds.
            case late
            /// The received bytes are not valid HTTP.
            case malformed
        }

        /// The number of the connection, counted from 0 in the order of acceptance.
        let number: Int
        let descriptor: Int32
        private let server: Watched<RawServer.State>
        /// The received bytes that have not been read yet.
        private var unread: ArraySlice<UInt8> = []
        private var isClosed = false
        /// The time limit of a call, in milliseconds. It is high because a busy machine may suspend a test for many seconds.
        private static let callTimeout: Int32 = 50_000

        init(_ descriptor: Int32, number: Int, server: Watched<RawServer.State>, sendBuffer: Int?) {
            self.descriptor = descriptor
            self.number = number
            self.server = server
            set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
            set(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: Int(Self.callTimeout) / 1000, tv_usec: 0))
            if let sendBuffer { set(SOL_SOCKET, SO_SNDBUF, Int32(sendBuffer)) }
        }

        private func set<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) {
            var value = value
            _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
        }
    }

    extension RawConnection {
        /// Returns whether bytes or the end of the stream can be read within this number of milliseconds.
        func waitForBytes(_ milliseconds: Int32) -> Bool {
            guard unread.isEmpty else { return true }
            var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return uninterrupted { poll(&interest, 1, milliseconds) } > 0
        }

        /// Appends the available bytes to the unread ones.
        ///
        /// - Returns: `false` at the end of the stream.
        @discardableResult
        func receive(within milliseconds: Int32 = callTimeout) throws(Failure) -> Bool {
            var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard uninterrupted({ poll(&interest, 1, milliseconds) }) > 0 else { throw .late }
            let capacity = 64 << 10
            let piece = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                count = max(0, uninterrupted { recv(descriptor, buffer.baseAddress, capacity, 0) })
            }
            if unread.isEmpty { unread = piece[...] } else { unread += piece }
            return !piece.isEmpty
        }

        /// Reads the head of the next request, without its body.
        ///
        /// - Returns: `nil` if the connection ends before another request.
        func head() throws(Failure) -> RawRequest? {
            var searched = 0
            while true {
                if let length = Self.headLength(unread, from: searched) {
                    let request = RawRequest(unread.prefix(length))
                    unread.removeFirst(length)
                    server.withLock { server in
                        guard server.keepsArrivals else { return }
                        server.arrivals.append(RawServer.Arrival(request: request, connection: number))
                    }
                    return request
                }
                searched = max(0, unread.count - 3)
                guard try receive() else {
                    if unread.isEmpty { return nil }
                    throw .ended
                }
            }
        }

        /// The head that was being read when the connection ended.
        var partialHead: RawRequest? { unread.isEmpty ? nil : RawRequest(unread) }

        private static func headLength(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
            bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return nil }
                var start = start
                while start + 4 <= bytes.count, let found = memchr(base + start, 0x0D, bytes.count - start - 3) {
                    start = UnsafeRawPointer(found) - base
                    if memcmp(found, "\r\n\r\n", 4) == 0 { return start + 4 }
                    start += 1
                }
                return nil
            }
        }

        /// Reads this number of bytes.
        func take(_ count: Int) throws(Failure) -> [UInt8] {
            while unread.count < count { guard try receive() else { throw .ended } }
            defer { unread.removeFirst(count) }
            return Array(unread.prefix(count))
        }

        private func line() throws(Failure) -> String {
            while true {
                if let end = unread.firstIndex(of: 0x0A) {
                    let line = unread[..<end]
                    unread = unread[(end + 1)...]
                    return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
                }
                guard try receive() else { throw .ended }
            }
        }

        /// Reads the body of a request whose head has been read.
        func body(of request: RawRequest) throws(Failure) -> Data {
            guard request.isChunked else { return Data(try take(request.length)) }
            var body = Data()
            while true {
                guard let size = Int(try line().prefix { $0 != ";" }, radix: 16) else { throw .malformed }
                if size == 0 { break }
                body.append(contentsOf: try take(size))
                guard try line().isEmpty else { throw .malformed }
            }
            while try !line().isEmpty {}
            return body
        }

        /// Reads the next request, and discards its body.
        func request() throws(Failure) -> RawRequest? {
            guard let request = try head() else { return nil }
            if request["expect"]?.lowercased() == "100-continue" { try send("HTTP/1.1 100 Continue\r\n\r\n") }
            _ = try body(of: request)
            return request
        }

        /// Waits, without reading, until the peer closes or resets the connection.
        func waitForHangUp() {
            // 0x2000 is POLLRDHUP, which Glibc's module does not contain.
            var interest = pollfd(fd: descriptor, events: 0x2000, revents: 0)
            _ = uninterrupted { poll(&interest, 1, Self.callTimeout) }
        }

        /// Discards received bytes until the peer closes or resets the connection.
        ///
        /// - Returns: Whether the peer does so within this number of milliseconds.
        @discardableResult
        func drain(within milliseconds: Int32 = callTimeout) -> Bool {
            let end = ContinuousClock.now + .milliseconds(milliseconds)
            unread = []
            while case let left = end - .now, left > .zero {
                let wait = Int32(left / .milliseconds(1))
                guard let isMore = try? receive(within: wait) else { return false }
                unread = []
                if !isMore { return true }
            }
            return false
        }
    }

    extension RawConnection {
        func send(_ text: String) throws(Failure) {
            try send(Array(text.utf8))
        }

        func send(_ bytes: some ContiguousBytes) throws(Failure) {
            let isSent = bytes.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let buffer = UnsafeRawBufferPointer(rebasing: rest)
                    let count = Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else {
                        if errno == EINTR { continue }
                        return false
                    }
                    rest = rest.dropFirst(count)
                }
                return true
            }
            if !isSent { throw .ended }
        }

        /// Sends as many bytes as the system accepts without blocking, and returns their number, which may be 0.
        func sendSome(_ bytes: some ContiguousBytes) throws(Failure) -> Int {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno != EAGAIN { throw .ended }
            return max(0, count)
        }

        /// The number of bytes that are queued on this side because the peer's receive window has no room for them.
        var unsent: Int {
            var count: Int32 = 0
            // 0x894B is SIOCOUTQNSD, which Glibc's module does not contain.
            return ioctl(descriptor, 0x894B, &count) == 0 ? Int(count) : 0
        }

        /// Waits until the peer has acknowledged all bytes, so that a later reset does not discard them.
        ///
        /// - Parameter seconds: The maximum time. A peer that does not read acknowledges no more than its buffer holds.
        func flush(within seconds: Int = 2) {
            // For the acknowledgement of bytes, the system has no event.
            for _ in 0..<seconds * 1000 {
                var unacknowledged: Int32 = 0
                guard ioctl(descriptor, UInt(TIOCOUTQ), &unacknowledged) == 0, unacknowledged > 0 else { return }
                usleep(1000)
            }
        }

        /// The number of the server's connections that are open on both sides: neither side has sent FIN.
        var establishedConnections: Int {
            server.withLock { server in
                server.open.values.count { descriptor in
                    // The state is the first byte of `tcp_info`, and TCP_ESTABLISHED is 1.
                    var information = [UInt8](repeating: 0, count: 256)
                    var length = socklen_t(information.count)
                    return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &length) == 0 && information[0] == 1
                }
            }
        }

        /// Sets `SO_SNDBUF`, in bytes.
        func setSendBuffer(_ bytes: Int) {
            set(SOL_SOCKET, SO_SNDBUF, Int32(bytes))
        }

        /// Closes the sending side of the connection (FIN). Reading is still possible.
        func finish() {
            shutdown(descriptor, Int32(SHUT_WR))
        }

        /// Closes the connection with FIN, or with a reset if received bytes were not read.
        func close() {
            guard !isClosed else { return }
            isClosed = true
            server.withLock { state in
                state.open[number] = nil
                Glibc.close(descriptor)
            }
        }

        /// Closes the connection with a reset; queued bytes are lost.
        func reset() {
            guard !isClosed else { return }
            set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
            close()
        }
    }
#endif
