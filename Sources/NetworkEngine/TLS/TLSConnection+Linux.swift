#if os(Linux)
    import COpenSSL
    import NetworkSupport
    import NetworkTransport

    /// The name that a server is asked for in the TLS handshake, and that its certificate has to contain.
    enum TLSServerName: Hashable {
        /// A host name in ASCII, without a final dot.
        case name(String)
        case address(IPAddress)
    }

    /// TLS on a socket, or inside the TLS connection to an HTTPS proxy. It neither opens nor closes the socket.
    ///
    /// Used only while the lock of the event loop is held.
    final class TLSConnection {
        /// What a call has achieved, as ``SocketConnection/Movement``.
        typealias Movement = SocketChannel.Movement

        enum Handshake {
            case done
            /// An event of the socket reports when it can be continued.
            case again
            /// It has to be continued without an event, when others have had their turn.
            case more
            case failed
        }

        let state: UnsafeMutablePointer<copenssl_connection>
        /// Keeps OpenSSL's context alive.
        private let context: TLSPolicy.Context
        /// The connection that carries this one.
        private let below: TLSConnection?
        private let sessions: TLSSessionCache
        private let sessionKey: TLSSessionCache.Key

        /// Prepares TLS, without sending a byte.
        ///
        /// - Parameters:
        ///   - descriptor: The socket.
        ///   - below: The connection to an HTTPS proxy, through which this one goes; `nil` for none.
        ///   - protocols: What is offered by ALPN, as RFC 7301 §3.1 writes it.
        ///   - sessions: Where the sessions are that this connection may resume, and where its own ones are put.
        /// - Returns: `nil` if memory ran out.
        init?(
            _ descriptor: CInt, over below: TLSConnection?, _ context: TLSPolicy.Context, to server: TLSServerName,
            protocols: [UInt8], sessions: TLSSessionCache, sessionKey: TLSSessionCache.Key
        ) {
            self.context = context
            self.below = below
            self.sessions = sessions
            self.sessionKey = sessionKey
            state = .allocate(capacity: 1)
            state.initialize(to: copenssl_connection())
            state.pointee.descriptor = descriptor
            state.pointee.below = below?.state
            let session = sessions.take(sessionKey)
            let isOpen =
                switch server {
                case .name(let name):
                    copenssl_open(
                        state, context.pointer, name, nil, 0, protocols, CUnsignedInt(protocols.count), session?.pointer)
                case .address(let address):
                    copenssl_open(
                        state, context.pointer, nil, address.bytes, address.bytes.count, protocols, CUnsignedInt(protocols.count),
                        session?.pointer)
                }
            // All properties are set, so that `deinit` follows.
            guard isOpen != 0 else { return nil }
        }

        deinit {
            copenssl_close(state, 0)
            state.deallocate()
        }

        /// Sends and receives what the handshake needs and the socket permits.
        func handshake() -> Handshake {
            switch copenssl_handshake(state) {
            case CInt(COPENSSL_DONE):
                storeSessions()
                return .done
            case CInt(COPENSSL_WANTS_READ), CInt(COPENSSL_WANTS_WRITE): return .again
            case CInt(COPENSSL_MORE): return .more
            default: return .failed
            }
        }

        /// Receives bytes without blocking.
        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Movement {
            let result = copenssl_receive(state, buffer.baseAddress, buffer.count)
            if state.pointee.session_count > 0 { storeSessions() }
            if result > 0 { return .bytes(result) }
            switch CInt(result) {
            case CInt(COPENSSL_END): return .end
            case CInt(COPENSSL_WANTS_READ), CInt(COPENSSL_WANTS_WRITE): return .again
            case CInt(COPENSSL_MORE): return .withoutData
            default: return .failed(failure)
            }
        }

        /// Sends as many bytes as one record has, without blocking. After ``SocketChannel/Movement/again``, the same bytes must be passed again.
        func send(_ bytes: UnsafeRawBufferPointer) -> Movement {
            // OpenSSL would take that for a closed connection.
            if bytes.isEmpty { return .bytes(0) }
            let result = copenssl_send(state, bytes.baseAddress, bytes.count)
            if result > 0 { return .bytes(result) }
            switch CInt(result) {
            case CInt(COPENSSL_WANTS_READ), CInt(COPENSSL_WANTS_WRITE), CInt(COPENSSL_MORE): return .again
            default: return .failed(failure)
            }
        }

        /// Whether everything that the socket has received was returned, so that an event reports what follows.
        var isDrained: Bool { copenssl_is_drained(state) != 0 }

        /// Whether reading has to wait until the socket takes bytes: TLS has to respond to a message first.
        var readingWaitsForWriting: Bool { state.pointee.reading_waits_for_write != 0 }

        /// Whether the peer has ended its side with a close_notify (RFC 8446 §6.1). Otherwise anybody on the network may have ended it.
        var hasEndedOrderly: Bool { state.pointee.has_ended_orderly != 0 }

        /// Sends a close_notify if the socket takes it at once, and then one to the HTTPS proxy that carries the connection. Nothing else can be sent
        /// afterwards.
        func close() {
            copenssl_close(state, 1)
            below?.close()
        }

        /// The protocol that was agreed on by ALPN.
        var agreedProtocol: AgreedProtocol {
            var size: CUnsignedInt = 0
            guard let name = copenssl_protocol(state, &size), size > 0 else { return .none }
            switch String(decoding: UnsafeBufferPointer(start: name, count: Int(size)), as: UTF8.self) {
            case "h2": return .http2
            case "http/1.1": return .http1
            default: return .other
            }
        }

        enum AgreedProtocol {
            case none
            case http1
            case http2
            case other
        }

        /// Forgets the sessions that could be resumed: one of them may be the reason why a handshake has failed.
        func forgetSessions() {
            sessions.remove(sessionKey)
        }

        private func storeSessions() {
            sessions.store(from: state, for: sessionKey)
        }
    }
#endif
