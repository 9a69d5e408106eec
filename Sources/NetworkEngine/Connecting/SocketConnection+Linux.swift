#if os(Linux)
    import NetworkTransport
    import CCurl
    import NetworkSupport

    /// An established connection: a socket, with TLS if it is encrypted. Its subclasses speak a version of HTTP on it.
    ///
    /// Used only while the lock of the event loop is held.
    class SocketConnection: PoolMember, SocketOwner {
        /// The result of an attempt to send or receive bytes.
        enum Movement {
            case bytes(Int)
            /// The operation would block; an event reports when it can be repeated.
            case again
            /// Only messages of TLS were received, and there may be more: no event reports them.
            case withoutData
            /// The server has closed its side.
            case end
            case failed(Failure)
        }

        /// The reason why sending or receiving failed.
        enum Failure {
            /// A system error, as the value of `errno`.
            case system(CInt)
            /// A TLS error, as libcurl's result code and message.
            case tls(CInt, String)
            /// The peer sends messages of TLS without end, and no data.
            case withoutData
        }

        /// How many messages of TLS without data between them are accepted. A server that issues tickets and changes keys sends a few.
        static let maximumMessages = 1024

        private static let receiveFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT)
        static let peekFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT | MSG_PEEK)
        // A closed connection is reported as an error, not with a signal.
        private static let sendFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT) | CInt(truncatingIfNeeded: MSG_NOSIGNAL)

        final let descriptor: CInt
        final let key: ConnectionKey
        /// The libcurl handle that encrypts and decrypts; `nil` for a plain socket.
        final let handle: ConnectHandle?
        final let isSecure: Bool
        /// The times at which the phases of connecting ended.
        final let timings: ConnectTimings
        /// The address of the peer: the server, or a proxy; `nil` for a Unix domain socket.
        final let serverAddress: NetworkResponse.ServerAddress?
        /// The number of requests that were sent on the connection.
        @exclusivity(unchecked) final var uses = 0
        /// Whether the connection was idle before, so that the server may have closed it meanwhile.
        @exclusivity(unchecked) final var wasIdle = false
        /// The time until which the connection may stay idle, in nanoseconds of the monotonic clock.
        @exclusivity(unchecked) final var deadline = UInt64.max
        @exclusivity(unchecked) final var heapIndex = -1
        final var isOpen = true
        final var isWatched = false
        /// Whether there may be bytes to read; cleared by a read that would block.
        @exclusivity(unchecked) final var mayRead = false
        @exclusivity(unchecked) final var mayWrite = true
        /// Whether reading will reach an end: the peer has closed the connection, or it has failed.
        @exclusivity(unchecked) final var hasEnded = false
        @exclusivity(unchecked) final var isReady = false
        /// Whether the socket takes only so many bytes ahead of the network (``UnsentBytes``).
        private final var areUnsentBytesLimited = false

        init(_ established: EstablishedConnection) {
            descriptor = established.descriptor
            key = established.key
            handle = established.handle
            isSecure = established.isSecure
            timings = established.timings
            serverAddress = NetworkResponse.ServerAddress(peerOf: established.descriptor)
        }

        /// Whether the socket is open, and a request or another protocol uses it.
        var isInUse: Bool { false }

        /// Handles what the socket is ready for.
        func socketIsReady(_ readiness: EpollSet.Readiness) {
            note(readiness)
        }

        /// Prepares for the end of the connection, which is about to be closed on this side.
        func willClose() {}

        /// Records what the socket is ready for.
        final func note(_ readiness: EpollSet.Readiness) {
            if readiness.mayRead { mayRead = true }
            if readiness.mayWrite { mayWrite = true }
            if readiness.hasEnded { hasEnded = true }
        }

        /// Prepares the socket for a body that it could otherwise take as a whole, long before it is sent.
        final func limitUnsentBytes() {
            guard !areUnsentBytesLimited else { return }
            areUnsentBytesLimited = true
            UnsentBytes.limit(descriptor)
        }

        /// Receives bytes without blocking.
        final func receive(into buffer: UnsafeMutableRawBufferPointer) -> Movement {
            guard let handle else {
                while true {
                    let count = recv(descriptor, buffer.baseAddress, buffer.count, SocketConnection.receiveFlags)
                    if count > 0 { return .bytes(count) }
                    if count == 0 { return .end }
                    if errno == EINTR { continue }
                    return errno == EAGAIN || errno == EWOULDBLOCK ? .again : .failed(.system(errno))
                }
            }
            var count = 0
            let before = handle.handshake.pointee.messages
            let code = handle.loopGuard.call { ccurl_easy_receive(handle.pointer, buffer.baseAddress, buffer.count, &count) }
            if Int(code) == CCURLE_OK {
                handle.handshake.pointee.messages = 0
                return count > 0 ? .bytes(count) : .end
            }
            guard Int(code) == CCURLE_AGAIN else { return .failed(.tls(code, handle.message)) }
            let messages = handle.handshake.pointee.messages
            if messages == before { return .again }
            return messages > Self.maximumMessages ? .failed(.withoutData) : .withoutData
        }

        /// Sends as many bytes as possible without blocking. After ``Movement/again``, the same bytes at the same address must be
        /// passed again: OpenSSL may have encrypted them already.
        final func send(_ bytes: UnsafeRawBufferPointer) -> Movement {
            guard let handle else {
                while true {
                    let count = NetworkSupport.send(descriptor, bytes.baseAddress, bytes.count, SocketConnection.sendFlags)
                    if count >= 0 { return .bytes(count) }
                    if errno == EINTR { continue }
                    return errno == EAGAIN || errno == EWOULDBLOCK ? .again : .failed(.system(errno))
                }
            }
            var count = 0
            let code = handle.loopGuard.call { ccurl_easy_send(handle.pointer, bytes.baseAddress, bytes.count, &count) }
            if Int(code) == CCURLE_OK { return count > 0 ? .bytes(count) : .again }
            return Int(code) == CCURLE_AGAIN ? .again : .failed(.tls(code, handle.message))
        }

        /// Whether the TLS connection, whose end was read, ended without the server's close_notify (RFC 8446 §6.1): anybody on
        /// the network may have ended it.
        final var hasEndedWithoutNotice: Bool {
            guard let handle, LibraryQuirks.current.watchesHandshakes else { return false }
            return handle.handshake.pointee.has_ended == 0
        }

        /// Whether ``LoopGuard`` has ended the connection.
        final var wasEndedByGuard: Bool { handle.map { $0.loopGuard.hasEnded(descriptor) } ?? false }
    }
#endif
