#if os(Linux)
    import CCurl
    import Glibc

    /// A connection that speaks HTTP/1.1, from its handshake until it is closed: one request after another.
    ///
    /// Confined to the holder of the engine's turn.
    final class HTTP1Connection: PoolMember {
        /// What has come of an attempt to move bytes.
        enum Movement {
            case bytes(Int)
            /// Nothing can be moved now; an event says when.
            case again
            /// The server has closed its side.
            case end
            case failed(Failure)
        }

        /// Why bytes could not be moved.
        enum Failure {
            /// By `errno`.
            case system(CInt)
            /// By libcurl's code, with its words.
            case tls(CInt, String)
        }

        private static let receiveFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT)
        private static let peekFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT | MSG_PEEK)
        // A peer that hangs up is an error, not a signal.
        private static let sendFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT) | CInt(truncatingIfNeeded: MSG_NOSIGNAL)

        let descriptor: CInt
        let key: ConnectionKey
        /// The side of libcurl that encrypts; `nil` for a bare socket.
        let handle: ConnectHandle?
        /// Whether an HTTP proxy takes the requests, and what they tell it.
        let target: HTTP1RequestWriter.Target
        /// Where the time went until it was ready.
        let timings: ConnectTimings
        let isSecure: Bool
        /// Requests that have been sent on it.
        var uses = 0
        /// Whether it has been kept for a request, so that the server may have closed it meanwhile.
        var wasIdle = false
        /// Until when it may wait for its next request.
        var deadline = UInt64.max
        var heapIndex = -1
        var isOpen = true
        /// Whether the engine's thread is notified of its socket's events.
        var isWatched = false
        /// Whether there may be something to read; cleared by a read that comes back empty.
        var mayRead = false
        var mayWrite = true
        /// Whether a read comes to an end: the other side has closed, or the connection has failed.
        var hasEnded = false
        /// Whether it is in the engine's list of those that have more to read.
        var isReady = false

        // MARK: The exchange under way

        var transfer: CurlTransfer?
        /// Why it takes no more.
        var sendFailure: Failure?
        var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 0)
        var sending = HTTP1Sending()
        /// Bytes that were read and not looked at while the reader had no room; `nil` where the parser is to go on with what comes.
        var unread: [UInt8]?

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
        }

        /// Bytes of the request's body that were taken.
        var sentBodyBytes: Int64 {
            if sending.isStreamed { return Int64(transfer?.bodyOffset ?? 0) }
            return Int64(sending.dataOffset) + Int64(max(sending.copiedBody - sending.pendingCount, 0))
        }

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
            let code = ccurl_easy_receive(handle.pointer, buffer.baseAddress, buffer.count, &count)
            if Int(code) == CCURLE_OK { return count > 0 ? .bytes(count) : .end }
            return Int(code) == CCURLE_AGAIN ? .again : .failed(.tls(code, handle.message))
        }

        /// Sends what fits. After ``Movement/again``, the same bytes at the same address have to be offered again: OpenSSL may have encrypted
        /// them already.
        func send(_ bytes: UnsafeRawBufferPointer) -> Movement {
            guard let handle else {
                while true {
                    let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, HTTP1Connection.sendFlags)
                    if count >= 0 { return .bytes(count) }
                    if errno == EINTR { continue }
                    return errno == EAGAIN || errno == EWOULDBLOCK ? .again : .failed(.system(errno))
                }
            }
            var count = 0
            let code = ccurl_easy_send(handle.pointer, bytes.baseAddress, bytes.count, &count)
            if Int(code) == CCURLE_OK { return count > 0 ? .bytes(count) : .again }
            return Int(code) == CCURLE_AGAIN ? .again : .failed(.tls(code, handle.message))
        }

        /// Whether TLS, whose end was read, has ended without the server's close_notify (RFC 8446 §6.1): anybody on the way may have ended it.
        var hasEndedWithoutNotice: Bool {
            guard let handle, LibraryQuirks.current.watchesHandshakes else { return false }
            return handle.handshake.pointee.has_ended == 0
        }

        /// Whether a read would bring something, or fail.
        var isReadable: Bool {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0
        }

        /// Looks at the socket of an idle connection: one that the server has closed, that has failed, or that holds bytes nobody asked for
        /// is of no use (RFC 9112 §9.2, §9.5).
        var isUsable: Bool {
            guard isOpen else { return false }
            var byte: UInt8 = 0
            if handle == nil {
                let count = recv(descriptor, &byte, 1, HTTP1Connection.peekFlags)
                return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
            }
            // This also deals with what belongs to TLS, such as session tickets.
            return withUnsafeMutableBytes(of: &byte) { if case .again = receive(into: $0) { true } else { false } }
        }
    }

    /// What connections have to have in common to be used for each other's requests.
    struct ConnectionKey: Hashable {
        var origin: String
        /// The number of the trust policy.
        var trust: Int
        /// Whether it may turn out to speak HTTP/2; not known before its handshake is over.
        var offersHTTP2 = false
    }

    /// A member of a ``ConnectionPool``: found by its key, and due for removal at its deadline.
    protocol PoolMember: DeadlineMember {
        var key: ConnectionKey { get }
    }

    /// The connections of one event loop that no request uses: idle ones, or those that are still being made.
    ///
    /// The connection of an origin that was used last is used next, so that the others come to the end of their time.
    struct ConnectionPool<Member: PoolMember> {
        private var byKey: [ConnectionKey: [Member]] = [:]
        private var byDeadline = DeadlineHeap<Member>()
        private(set) var count = 0

        /// The one whose time ends first.
        var first: Member? { byDeadline.first }

        mutating func put(_ member: Member) {
            byKey[member.key, default: []].append(member)
            byDeadline.insert(member)
            count += 1
        }

        /// The newest of an origin.
        mutating func take(_ key: ConnectionKey) -> Member? {
            guard let member = byKey[key]?.popLast() else { return nil }
            byDeadline.remove(member)
            count -= 1
            if byKey[key]?.isEmpty == true, byKey.count > 64 { byKey[key] = nil }
            return member
        }

        /// Does nothing for one that is not inside.
        mutating func remove(_ member: Member) {
            guard member.heapIndex >= 0, let index = byKey[member.key]?.lastIndex(where: { $0 === member }) else { return }
            byKey[member.key]?.remove(at: index)
            if byKey[member.key]?.isEmpty == true { byKey[member.key] = nil }
            byDeadline.remove(member)
            count -= 1
        }
    }
#endif
