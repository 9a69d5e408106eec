#if os(Linux)
    import NetworkTransport
    import CCurl
    import NetworkSupport

    /// An established HTTP/1.1 connection, which carries one request after another.
    ///
    /// Used only while the engine's lock is held.
    final class HTTP1Connection: PoolMember {
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
        /// Whether the socket takes only so many bytes ahead of the network (``SendQueue``).
        private var isSendQueueLimited = false
        /// Whether the connection was idle before, so that the server may have closed it meanwhile.
        var wasIdle = false
        /// The time until which the connection may stay idle, in nanoseconds of the monotonic clock.
        var deadline = UInt64.max
        var heapIndex = -1
        var isOpen = true
        /// Whether the engine's thread is notified of events of the socket.
        var isWatched = false
        /// Whether there may be bytes to read; cleared by a read that would block.
        var mayRead = false
        var mayWrite = true
        /// Whether reading will reach an end: the peer has closed the connection, or it has failed.
        var hasEnded = false
        /// Whether the connection is in the engine's list of those with more bytes to process.
        var isReady = false

        // MARK: The current exchange

        var transfer: LoopTransfer?
        /// Set when the connection was switched to another protocol.
        var upgrade: UpgradedSocket?
        /// The reason why sending failed, if it did.
        var sendFailure: Failure?
        @exclusivity(unchecked) var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 0)
        @exclusivity(unchecked) var sending = HTTP1Sending()
        /// Bytes that were received, but not parsed yet. `nil` if the parser continues with new input.
        @exclusivity(unchecked) var unread: [UInt8]?

        init(
            descriptor: CInt, key: ConnectionKey, handle: ConnectHandle?, isSecure: Bool, target: HTTP1RequestWriter.Target,
            timings: ConnectTimings
        ) {
            self.descriptor = descriptor
            self.key = key
            self.handle = handle
            self.isSecure = isSecure
            self.target = target
            self.timings = timings
            serverAddress = NetworkResponse.ServerAddress(peerOf: descriptor)
        }

        /// Whether a request or another protocol uses the connection.
        var isInUse: Bool { transfer != nil || upgrade != nil }

        /// The number of bytes of the request's body that were sent.
        var sentBodyBytes: Int64 {
            if sending.isStreamed { return Int64(transfer?.upload.offset ?? 0) }
            return Int64(sending.dataOffset) + Int64(max(sending.copiedBody - sending.pendingCount, 0))
        }

        /// Prepares the socket for a body that it could otherwise take as a whole, long before it is sent.
        func limitSendQueue() {
            guard !isSendQueueLimited else { return }
            isSendQueueLimited = true
            SendQueue.limit(descriptor)
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

        /// Whether a read would not block: there are bytes, an end or an error.
        var isReadable: Bool {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0
        }

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

    /// The properties that a connection must have in order to be used for a request.
    struct ConnectionKey: Hashable {
        var origin: String
        /// The number of the trust policy.
        var trust: Int
        /// Whether the connection may turn out to speak HTTP/2, which is unknown until its handshake is complete.
        var offersHTTP2 = false
    }

    /// A member of a ``ConnectionPool``, which is found by its key and removed at its deadline.
    protocol PoolMember: DeadlineMember {
        var key: ConnectionKey { get }
    }

    /// The connections of one event loop that no request uses: idle ones, and connection attempts.
    ///
    /// The most recently used connection of an origin is reused first, so that the others can expire.
    struct ConnectionPool<Member: PoolMember> {
        private var byKey: [ConnectionKey: [Member]] = [:]
        private var byDeadline = DeadlineHeap<Member>()
        private(set) var count = 0

        /// The member with the earliest deadline.
        var first: Member? { byDeadline.first }
        /// All members, in no particular order.
        var all: [Member] { byDeadline.all }

        mutating func put(_ member: Member) {
            byKey[member.key, default: []].append(member)
            byDeadline.insert(member)
            count += 1
        }

        /// Removes and returns the member with this key that was added last.
        mutating func take(_ key: ConnectionKey) -> Member? {
            guard let member = byKey[key]?.popLast() else { return nil }
            byDeadline.remove(member)
            count -= 1
            if byKey[key]?.isEmpty == true, byKey.count > 64 { byKey[key] = nil }
            return member
        }

        /// Removes a member. Does nothing if it is not in the pool.
        mutating func remove(_ member: Member) {
            guard member.heapIndex >= 0, let index = byKey[member.key]?.lastIndex(where: { $0 === member }) else { return }
            byKey[member.key]?.remove(at: index)
            if byKey[member.key]?.isEmpty == true { byKey[member.key] = nil }
            byDeadline.remove(member)
            count -= 1
        }
    }
#endif
