#if os(Linux)
    import COpenSSL
    import NetworkSupport
    import NetworkTransport

    /// A QUIC connection (RFC 9000) on a connected UDP socket, over OpenSSL. It neither opens nor closes the socket.
    ///
    /// Nothing is sent except by ``turn()``, ``flush()`` and ``close(_:)``, each of which handles a bounded number of datagrams. Used only while
    /// the lock of the event loop is held.
    final class QUICConnection {
        /// A stream, until ``free(_:)``.
        typealias Stream = UnsafeMutableRawPointer

        enum Turn {
            /// The connection can be used.
            case ready
            /// The handshake goes on.
            case handshake
            /// The connection has ended: ``failure(name:)`` says why.
            case failed
        }

        /// What an attempt to read or write on a stream has achieved.
        enum Movement {
            case bytes(Int)
            /// The operation would block.
            case again
            /// The peer has ended the stream.
            case end
            /// The peer has reset the stream, or does not read it. The code is known of a reset only.
            case reset(UInt64)
            /// The connection has ended.
            case failed
        }

        /// After how much silence the connection is lost: 15 seconds. After half of them, the peer is asked for a sign.
        static let idleMilliseconds: UInt64 = 15_000
        /// How many bytes of a stream may be on their way to the peer before no more are written.
        static let maximumUnacknowledged: UInt64 = 256 << 10

        private let state: UnsafeMutablePointer<copenssl_quic>
        /// Keeps OpenSSL's context alive.
        private let context: TLSPolicy.Context
        private let sessions: TLSSessionCache
        private let sessionKey: TLSSessionCache.Key
        private var items: [copenssl_quic_item] = []

        /// Prepares a connection that speaks HTTP/3, without sending a byte.
        ///
        /// - Returns: `nil` if memory ran out.
        init?(
            _ descriptor: CInt, _ context: TLSPolicy.Context, to server: TLSServerName, sessions: TLSSessionCache,
            sessionKey: TLSSessionCache.Key
        ) {
            self.context = context
            self.sessions = sessions
            self.sessionKey = sessionKey
            state = .allocate(capacity: 1)
            state.initialize(to: copenssl_quic())
            state.pointee.tls.descriptor = descriptor
            let protocols = [2] + Array("h3".utf8)
            let count = CUnsignedInt(protocols.count)
            let session = sessions.take(sessionKey)
            let isOpen =
                switch server {
                case .name(let name):
                    copenssl_quic_open(
                        state, context.pointer, name, nil, 0, protocols, count, session?.pointer, Self.idleMilliseconds)
                case .address(let address):
                    copenssl_quic_open(
                        state, context.pointer, nil, address.bytes, address.bytes.count, protocols, count, session?.pointer,
                        Self.idleMilliseconds)
                }
            // All properties are set, so that `deinit` follows.
            guard isOpen != 0 else { return nil }
        }

        deinit {
            copenssl_close(Self.tls(of: state), 0)
            state.deallocate()
        }

        private static func tls(of state: UnsafeMutablePointer<copenssl_quic>) -> UnsafeMutablePointer<copenssl_connection> {
            // It is the first member.
            UnsafeMutableRawPointer(state).assumingMemoryBound(to: copenssl_connection.self)
        }

        // MARK: Turns

        /// Receives and sends datagrams, and continues the handshake.
        func turn() -> Turn {
            let result = copenssl_quic_turn(state)
            if state.pointee.tls.session_count > 0 { sessions.store(from: Self.tls(of: state), for: sessionKey) }
            switch result {
            case CInt(COPENSSL_DONE): return .ready
            case CInt(COPENSSL_WANTS_READ): return .handshake
            default: return .failed
            }
        }

        /// Sends what was written since the last turn.
        func flush() {
            copenssl_quic_flush(state)
        }

        /// Whether another turn is needed without an event.
        var hasMore: Bool { state.pointee.has_more_input != 0 || state.pointee.has_more_output != 0 }
        /// Whether the last turn has received or sent a datagram.
        var hasMoved: Bool { state.pointee.has_moved != 0 }
        /// The number of datagrams that the last turn has received.
        var received: Int { Int(COPENSSL_DATAGRAMS_IN) - Int(state.pointee.input_budget) }

        /// In how many nanoseconds the next turn is needed without an event; `nil` for never.
        var timeout: UInt64? {
            let microseconds = copenssl_quic_timeout(state)
            return microseconds < 0 ? nil : UInt64(microseconds) &* 1000
        }

        /// Ends the connection with an error code of HTTP/3, which is sent to the peer if possible. All streams must have been freed, and nothing else
        /// may be called afterwards.
        func close(_ code: UInt64) {
            copenssl_quic_close(state, code)
        }

        /// Forgets the sessions that could be resumed: one of them may be the reason why a handshake has failed.
        func forgetSessions() {
            sessions.remove(sessionKey)
        }

        // MARK: Streams

        /// The number of requests for which streams can be opened now.
        var availableStreams: Int { Int(clamping: copenssl_quic_available(state)) }

        /// Opens a stream; `nil` if the peer permits no more.
        func open(isUnidirectional: Bool) -> (stream: Stream, number: UInt64)? {
            var number: UInt64 = 0
            return copenssl_quic_open_stream(state, isUnidirectional ? 1 : 0, &number).map { ($0, number) }
        }

        /// Returns a stream that the peer has opened; `nil` if there is no other one.
        func accept() -> (stream: Stream, number: UInt64)? {
            var number: UInt64 = 0
            return copenssl_quic_accept_stream(state, &number).map { ($0, number) }
        }

        func read(_ stream: Stream, into buffer: UnsafeMutableRawBufferPointer) -> Movement {
            movement(copenssl_quic_read(state, stream, buffer.baseAddress, buffer.count))
        }

        /// Writes bytes, and ends the stream if all of them were taken and `isEnd` is true.
        func write(_ bytes: UnsafeRawBufferPointer, to stream: Stream, isEnd: Bool) -> Movement {
            let result = copenssl_quic_write(state, stream, bytes.baseAddress, bytes.count, isEnd ? 1 : 0)
            return result == 0 ? .bytes(0) : movement(result)
        }

        private func movement(_ result: Int) -> Movement {
            if result > 0 { return .bytes(result) }
            switch CInt(result) {
            case CInt(COPENSSL_END): return .end
            case CInt(COPENSSL_WANTS_READ), CInt(COPENSSL_WANTS_WRITE): return .again
            case CInt(COPENSSL_RESET): return .reset(state.pointee.reset_code)
            default: return .failed
            }
        }

        /// The number of bytes of a stream that were written and not acknowledged.
        func unacknowledged(_ stream: Stream) -> UInt64 { copenssl_quic_unacknowledged(stream) }

        func reset(_ stream: Stream, _ code: UInt64) {
            copenssl_quic_reset(stream, code)
        }

        /// Frees a stream. If the peer has not ended it, it is asked to stop sending.
        func free(_ stream: Stream) {
            copenssl_quic_free_stream(stream)
        }

        // MARK: Events

        struct Events: OptionSet {
            let rawValue: UInt64
            static let closed = Events(rawValue: UInt64(COPENSSL_EVENT_CLOSED))
            static let readable = Events(
                rawValue: UInt64(COPENSSL_EVENT_READ | COPENSSL_EVENT_READ_FAILED))
            static let stopped = Events(rawValue: UInt64(COPENSSL_EVENT_WRITE_FAILED))
        }

        /// Begins a list of events to ask for, with the end of the connection as its first entry.
        func beginPolling() {
            items.removeAll(keepingCapacity: true)
            append(nil, .closed)
        }

        /// Appends an entry to the list.
        func poll(_ stream: Stream, for events: Events) {
            append(stream, events)
        }

        private func append(_ stream: Stream?, _ events: Events) {
            var item = copenssl_quic_item()
            copenssl_quic_watch(&item, state, stream, events.rawValue)
            items.append(item)
        }

        /// Finds out which of these events have occurred.
        ///
        /// - Returns: Whether there are some.
        func endPolling() -> Bool { copenssl_quic_poll(&items, items.count) > 0 }

        /// The events that have occurred of an entry of the list.
        func events(at index: Int) -> Events { Events(rawValue: items[index].ready) }

        // MARK: Errors

        /// The error of the system that the socket has failed with; `nil` for none.
        var systemError: CInt? { state.pointee.tls.system_error == 0 ? nil : state.pointee.tls.system_error }

        /// What is known of a handshake that has failed.
        var problem: TLSProblem { state.pointee.tls.problem }

        /// Whether the end of the connection is one of TLS, or of the verification of the server.
        var isTLSFailure: Bool {
            let tls = state.pointee.tls
            return tls.alert != 0 || tls.verify_result != 0 || tls.is_pin_missing != 0 || tls.refusal != 0
                || isClosedBy(codes: 0x100...0x1FF)
        }

        private func isClosedBy(codes: ClosedRange<UInt64>) -> Bool {
            state.pointee.is_closed != 0 && state.pointee.is_transport_error != 0 && codes.contains(state.pointee.close_code)
        }

        /// Whether nothing has arrived for so long that the connection is lost.
        var hasTimedOut: Bool { state.pointee.is_closed != 0 && state.pointee.close_code == .max }

        /// Returns why the connection has ended.
        ///
        /// - Parameter name: Returns the name of an error code of the protocol that is spoken over QUIC.
        func failure(name: (UInt64) -> String) -> SocketChannel.Failure {
            let state = state.pointee
            if state.tls.alert != 0 { return .tls(state.tls.problem) }
            if let systemError { return .system(systemError) }
            return .tls(TLSProblem(message: closeReason(name)))
        }

        private func closeReason(_ name: (UInt64) -> String) -> String {
            let state = state.pointee
            if state.idle_datagrams > CUnsignedInt(COPENSSL_MAXIMUM_IDLE_DATAGRAMS) {
                return "the server sends datagrams without content"
            }
            guard state.is_closed != 0 else { return "QUIC has failed" }
            if hasTimedOut { return "nothing has arrived for \(Self.idleMilliseconds / 1000) s (RFC 9000 §10.1)" }
            let words = withUnsafeBytes(of: state.close_reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            let side = state.is_closed_here != 0 ? "this side" : "the server"
            let code =
                state.is_transport_error != 0
                ? "the error code \(state.close_code) of QUIC" : name(state.close_code)
            return "\(side) has closed the connection with \(code)" + (words.isEmpty ? "" : ": \(words.printable)")
        }
    }
#endif
