#if os(Linux)
    import NetworkTransport
    import CCurl
    import NetworkSupport

    /// A protocol that a connection over HTTP/1.1 was switched to.
    protocol UpgradedProtocol: AnyObject {
        /// Sends and receives what is possible.
        ///
        /// - Parameter isWritable: Whether an event said that the socket takes bytes again.
        func connectionIsReady(isWritable: Bool)
    }

    /// An established connection over HTTP/1.1, which carries one request after another.
    ///
    /// Used only while the lock of the event loop is held.
    final class HTTP1Connection: PoolMember, SocketOwner {
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
        private static let peekFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT | MSG_PEEK)
        // A closed connection is reported as an error, not with a signal.
        private static let sendFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT) | CInt(truncatingIfNeeded: MSG_NOSIGNAL)

        let descriptor: CInt
        let key: ConnectionKey
        /// The libcurl handle that encrypts and decrypts; `nil` for a plain socket.
        let handle: ConnectHandle?
        /// The form of the request target, with the proxy's credentials if an HTTP proxy receives the requests.
        let target: HTTP1RequestWriter.Target
        /// The times at which the phases of connecting ended.
        let timings: ConnectTimings
        let isSecure: Bool
        /// The address of the peer: the server, or a proxy; `nil` for a Unix domain socket.
        let serverAddress: NetworkResponse.ServerAddress?
        /// The number of requests that were sent on the connection.
        var uses = 0
        /// Whether the socket takes only so many bytes ahead of the network (``UnsentBytes``).
        private var areUnsentBytesLimited = false
        /// Whether the connection was idle before, so that the server may have closed it meanwhile.
        var wasIdle = false
        /// The time until which the connection may stay idle, in nanoseconds of the monotonic clock.
        var deadline = UInt64.max
        var heapIndex = -1
        var isOpen = true
        var isWatched = false
        /// Whether there may be bytes to read; cleared by a read that would block.
        var mayRead = false
        var mayWrite = true
        /// Whether reading will reach an end: the peer has closed the connection, or it has failed.
        var hasEnded = false
        var isReady = false

        // MARK: The current exchange

        var transfer: LoopTransfer?
        /// The protocol that the connection was switched to, if it was.
        var upgrade: (any UpgradedProtocol)?
        /// The reason why sending failed, if it did.
        var sendFailure: Failure?
        @exclusivity(unchecked) var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 0)
        @exclusivity(unchecked) var sending = HTTP1Sending()
        /// Bytes that were received, but not parsed yet. `nil` if the parser continues with new input.
        @exclusivity(unchecked) var unread: [UInt8]?

        /// What performs the exchanges of the event loop, and outlives its connections.
        unowned(unsafe) private let exchanges: HTTP1Exchanges

        init(_ established: EstablishedConnection, _ exchanges: HTTP1Exchanges) {
            descriptor = established.descriptor
            key = established.key
            handle = established.handle
            isSecure = established.isSecure
            target = established.forwarder.map { .proxy(authorization: $0.authorization) } ?? .origin
            timings = established.timings
            serverAddress = NetworkResponse.ServerAddress(peerOf: established.descriptor)
            self.exchanges = exchanges
        }

        var isInUse: Bool { isOpen && (transfer != nil || upgrade != nil) }

        func socketIsReady(_ readiness: EpollSet.Readiness) {
            exchanges.react(self, readiness)
        }

        /// The number of bytes of the request's body that were sent.
        var sentBodyBytes: Int64 {
            if sending.isStreamed { return Int64(transfer?.upload.offset ?? 0) }
            return Int64(sending.dataOffset) + Int64(max(sending.copiedBody - sending.pendingCount, 0))
        }

        /// Prepares the socket for a body that it could otherwise take as a whole, long before it is sent.
        func limitUnsentBytes() {
            guard !areUnsentBytesLimited else { return }
            areUnsentBytesLimited = true
            UnsentBytes.limit(descriptor)
        }

        /// Receives bytes without blocking.
        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Movement {
            guard let handle else {
                while true {
                    let count = recv(descriptor, buffer.baseAddress, buffer.count, HTTP1Connection.receiveFlags)
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
        func send(_ bytes: UnsafeRawBufferPointer) -> Movement {
            guard let handle else {
                while true {
                    let count = NetworkSupport.send(descriptor, bytes.baseAddress, bytes.count, HTTP1Connection.sendFlags)
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
        var hasEndedWithoutNotice: Bool {
            guard let handle, LibraryQuirks.current.watchesHandshakes else { return false }
            return handle.handshake.pointee.has_ended == 0
        }

        /// Whether ``LoopGuard`` has ended the connection.
        var wasEndedByGuard: Bool { handle.map { $0.loopGuard.hasEnded(descriptor) } ?? false }

        /// Whether an idle connection can be reused. Checks its socket: a connection that the server has closed, that has failed,
        /// or that has received unrequested bytes is not reused (RFC 9112 §9.2, §9.5).
        var isUsable: Bool {
            guard isOpen else { return false }
            var byte: UInt8 = 0
            if handle == nil {
                let count = recv(descriptor, &byte, 1, HTTP1Connection.peekFlags)
                return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
            }
            // Reading also processes TLS messages, such as session tickets; each call at least one of them.
            return withUnsafeMutableBytes(of: &byte) { byte in
                for _ in 0..<16 {
                    switch receive(into: byte) {
                    case .again: return true
                    case .withoutData: continue
                    case .bytes, .end, .failed: return false
                    }
                }
                return false
            }
        }
    }

    extension HTTP1Connection: RequestCarrier {
        var stage: CarrierStage { sending.awaitsContinue ? .awaitingContinue : .exchanging }

        var awaitedSocket: (any SocketOwner)? { sending.isComplete ? self : nil }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase {
            if parser.hasReceivedBytes { .receive } else { sending.isComplete ? .firstByte : .send }
        }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (transfer.exchange.connectionTimings, sentBodyBytes)
        }

        func unsentBytes(of transfer: LoopTransfer) -> Int? {
            transfer.isLargeUpload && transfer.exchange.firstByte == 0 ? UnsentBytes.count(of: descriptor) : nil
        }

        func resume(_ transfer: LoopTransfer) {
            exchanges.advance(self)
        }

        func stopAwaitingContinue() {
            sending.awaitsContinue = false
            exchanges.advance(self)
        }

        func abandon(_ transfer: LoopTransfer) {
            self.transfer = nil
            exchanges.close(self, .unfinished)
        }
    }
#endif
