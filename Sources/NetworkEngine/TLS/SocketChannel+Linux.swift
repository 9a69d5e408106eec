#if os(Linux)
    import COpenSSL
    import NetworkSupport
    import NetworkTransport

    /// The bytes that go through a socket: plain, or encrypted by TLS.
    ///
    /// Used only while the lock of the event loop is held.
    struct SocketChannel {
        /// The result of an attempt to send or receive bytes.
        enum Movement {
            case bytes(Int)
            /// The operation would block; an event reports when it can be repeated.
            case again
            /// Only messages of TLS were received, and there may be more: no event reports them.
            case withoutData
            /// The peer has closed its side.
            case end
            case failed(Failure)
        }

        /// The reason why sending or receiving failed.
        enum Failure {
            /// A system error, as the value of `errno`.
            case system(CInt)
            case tls(TLSProblem)
            /// The peer sends messages of TLS without end, and no data.
            case withoutData
        }

        /// How many bytes of TLS are accepted without data between them. A server that issues tickets and changes keys sends a few hundred.
        static let maximumWithoutData = Int(COPENSSL_MAXIMUM_WITHOUT_DATA)

        private static let receiveFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT)
        // A closed connection is reported as an error, not with a signal.
        private static let sendFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT) | CInt(truncatingIfNeeded: MSG_NOSIGNAL)

        let descriptor: CInt
        let tls: TLSConnection?

        /// Receives bytes without blocking.
        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Movement {
            if let tls { return tls.receive(into: buffer) }
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Self.receiveFlags)
                if count > 0 { return .bytes(count) }
                if count == 0 { return .end }
                if errno == EINTR { continue }
                return errno == EAGAIN || errno == EWOULDBLOCK ? .again : .failed(.system(errno))
            }
        }

        /// Sends as many bytes as possible without blocking. After ``Movement/again``, the same bytes must be passed again: OpenSSL may have
        /// encrypted them already.
        func send(_ bytes: UnsafeRawBufferPointer) -> Movement {
            if let tls { return tls.send(bytes) }
            while true {
                let count = NetworkSupport.send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags)
                if count >= 0 { return .bytes(count) }
                if errno == EINTR { continue }
                return errno == EAGAIN || errno == EWOULDBLOCK ? .again : .failed(.system(errno))
            }
        }

        /// Whether a read that has returned `count` bytes has emptied the socket, so that an event reports what follows.
        func isDrained(after count: Int, of size: Int) -> Bool {
            if let tls { return tls.isDrained }
            return count < size
        }
    }
#endif
