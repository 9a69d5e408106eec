#if os(Linux)
    import COpenSSL
    import NetworkSupport

    /// A TLS session that a server has offered to resume.
    // Sendable although unchecked: OpenSSL counts references to a session with atomic operations, and changes nothing else of it.
    final class TLSSession: @unchecked Sendable {
        let pointer: OpaquePointer

        /// Takes ownership of a session.
        init(owning pointer: OpaquePointer) {
            self.pointer = pointer
        }

        deinit {
            copenssl_session_free(pointer)
        }

        /// Whether it is used once only: with TLS 1.3, observers could link connections that use the same ticket (RFC 8446 §C.4).
        var isSingleUse: Bool { copenssl_session_is_single_use(pointer) != 0 }
    }

    /// The TLS sessions of a session manager that can be resumed, which saves a handshake half of its time, and the server a signature.
    ///
    /// A session is resumed only for the same server, under the same trust policy and so with the same client identity. Used by all event loops.
    final class TLSSessionCache: Sendable {
        struct Key: Hashable {
            /// The host and port, or the origin.
            var place: String
            /// The number of the trust policy.
            var policy: Int
            /// Whether the peer is an HTTPS proxy.
            var isProxy = false
            /// Whether the session is one of QUIC, which cannot be resumed over TCP.
            var isQUIC = false
        }

        /// The largest number of sessions for a key. Servers offer two at a time.
        private static let maximumPerKey = 8
        private static let maximumKeys = 256

        private struct State {
            var sessions: [Key: [TLSSession]] = [:]
            /// The keys in the order in which they were added.
            var order: [Key] = []
        }

        private let state = Locked(State())

        /// Returns the newest session for a key, and removes it if it is used once only.
        func take(_ key: Key) -> TLSSession? {
            state.withLock { state in
                guard let session = state.sessions[key]?.last else { return nil }
                if session.isSingleUse { state.sessions[key]?.removeLast() }
                return session
            }
        }

        /// Adds the sessions that a server has offered on a connection.
        func store(from state: UnsafeMutablePointer<copenssl_connection>, for key: Key) {
            let count = Int(state.pointee.session_count)
            guard count > 0 else { return }
            state.pointee.session_count = 0
            withUnsafeBytes(of: &state.pointee.sessions) { bytes in
                for case let pointer? in bytes.bindMemory(to: OpaquePointer?.self).prefix(count) {
                    put(TLSSession(owning: pointer), for: key)
                }
            }
        }

        /// Adds a session. The oldest ones are removed if there are too many.
        func put(_ session: TLSSession, for key: Key) {
            guard copenssl_session_is_resumable(session.pointer) != 0 else { return }
            state.withLock { state in
                if state.sessions[key] == nil {
                    if state.order.count == Self.maximumKeys { state.sessions[state.order.removeFirst()] = nil }
                    state.order.append(key)
                    state.sessions[key] = []
                }
                // One that is not used up replaces the others: each is as good.
                if !session.isSingleUse { state.sessions[key]?.removeAll() }
                if state.sessions[key]?.count == Self.maximumPerKey { state.sessions[key]?.removeFirst() }
                state.sessions[key]?.append(session)
            }
        }

        /// Removes the sessions for a key: one of them has led to a handshake that failed.
        func remove(_ key: Key) {
            state.withLock { $0.sessions[key]?.removeAll() }
        }
    }
#endif
