#if os(Linux)
    import NetworkTransport
    import NetworkSupport

    /// A connection that was made, as the protocol that is spoken on it takes it over.
    struct EstablishedConnection {
        var descriptor: CInt
        var key: ConnectionKey
        /// What encrypts and decrypts; `nil` for a plain socket.
        var tls: TLSConnection?
        /// What QUIC does over a UDP socket; `nil` for TCP.
        var quic: QUICConnection?
        /// Whether the connection to the server is encrypted, not only that to a proxy.
        var isSecure: Bool
        /// The HTTP proxy that receives the requests; `nil` if they are for the server, or go through a tunnel.
        var forwarder: ProxyServer?
        var timings: ConnectTimings
        /// The address of the peer: the server, or a proxy; `nil` for a Unix domain socket.
        var serverAddress: NetworkResponse.ServerAddress?
        /// What the socket is known to be ready for.
        var readiness = EpollSet.Readiness()
    }

    /// An established connection: a socket, with TLS if it is encrypted. Its subclasses speak a version of HTTP on it.
    ///
    /// Used only while the lock of the event loop is held.
    class SocketConnection: PoolMember, SocketOwner {
        typealias Movement = SocketChannel.Movement
        typealias Failure = SocketChannel.Failure

        static let peekFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT | MSG_PEEK)

        final let channel: SocketChannel
        final let key: ConnectionKey
        final let isSecure: Bool
        /// How long the phases of connecting took.
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
        @exclusivity(unchecked) final var mayRead = true
        @exclusivity(unchecked) final var mayWrite = true
        /// Whether reading will reach an end: the peer has closed the connection, or it has failed.
        @exclusivity(unchecked) final var hasEnded = false
        @exclusivity(unchecked) final var isReady = false
        /// Whether the socket takes only so many bytes ahead of the network (``UnsentBytes``).
        private final var areUnsentBytesLimited = false

        init(_ established: EstablishedConnection) {
            channel = SocketChannel(descriptor: established.descriptor, tls: established.tls)
            key = established.key
            isSecure = established.isSecure
            timings = established.timings
            serverAddress = established.serverAddress
            hasEnded = established.readiness.hasEnded
        }

        final var descriptor: CInt { channel.descriptor }
        /// What encrypts and decrypts; `nil` for a plain socket.
        final var tls: TLSConnection? { channel.tls }

        /// Whether a request or another protocol uses the connection.
        var isInUse: Bool { false }

        /// Not while it is idle, except after its first request: the next one may be far away, and the server may close the connection before.
        final var needsWatching: Bool { isOpen && (isInUse || uses <= 1) }

        /// Handles what the socket is ready for.
        func socketIsReady(_ readiness: EpollSet.Readiness) {
            note(readiness)
        }

        /// Prepares for the end of the connection, which is about to be closed on this side.
        func willClose() {}

        /// Records what the socket is ready for.
        final func note(_ readiness: EpollSet.Readiness) {
            if readiness.mayRead { mayRead = true }
            if readiness.mayWrite {
                mayWrite = true
                if let tls, tls.readingWaitsForWriting { mayRead = true }
            }
            if readiness.hasEnded { hasEnded = true }
        }

        /// Prepares the socket for a body that it could otherwise take as a whole, long before it is sent.
        final func limitUnsentBytes() {
            guard !areUnsentBytesLimited else { return }
            areUnsentBytesLimited = true
            UnsentBytes.limit(descriptor)
        }

        /// Receives bytes without blocking.
        final func receive(into buffer: UnsafeMutableRawBufferPointer) -> Movement { channel.receive(into: buffer) }

        /// Records that a read has returned `count` bytes of `size` that it could have returned. A socket that returns fewer is empty.
        final func noteRead(_ count: Int, of size: Int) {
            if !hasEnded, channel.isDrained(after: count, of: size) { mayRead = false }
        }

        /// Sends as many bytes as possible without blocking (``SocketChannel/send(_:)``).
        final func send(_ bytes: UnsafeRawBufferPointer) -> Movement { channel.send(bytes) }

        /// Whether the TLS connection, whose end was read, ended without the server's close_notify (RFC 8446 §6.1): anybody on
        /// the network may have ended it.
        final var hasEndedWithoutNotice: Bool { tls.map { !$0.hasEndedOrderly } ?? false }
    }
#endif
