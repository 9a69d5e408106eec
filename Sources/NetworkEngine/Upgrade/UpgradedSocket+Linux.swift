#if os(Linux)
    import NetworkTransport
    import Endpoints
    import NetworkSupport

    /// An upgraded connection of the engine on Linux: a separate socket, or a stream of a connection over HTTP/2 (RFC 8441).
    ///
    /// Bytes are received by the thread of the loop. They are sent by the thread that calls ``send(_:)``; what the socket does not take at once
    /// is sent by the loop. With TLS, a thread sends only while it holds the lock of the loop; if the lock is taken, it leaves that to the loop.
    /// To a stream, only the thread of the loop writes.
    // Sendable although unchecked: each `let` is immutable, and each `var` is used only while the lock of the loop is held.
    final class UpgradedSocket: UpgradedTransport, UpgradedProtocol, TunneledProtocol, DeadlineMember, @unchecked Sendable {
        /// The number of bytes that wait to be sent at which writers are suspended.
        static let capacity = 256 << 10

        /// What the loop is requested to do.
        struct Orders {
            var receiver: (any UpgradedReceiver)?
            var resumes = false
            var closes = false
            /// Whether the end waits for the peer, for at most a second.
            var awaitsPeer = false
            /// Whether the command is in the inbox of the loop.
            var isSent = false
        }

        private struct Outbox: PipeContent {
            /// The bytes that are being sent. They keep their address until they are sent, as OpenSSL requires.
            var current: [UInt8] = []
            /// The number of bytes of `current` that were sent.
            var sent = 0
            /// The bytes that follow.
            var queued: [UInt8] = []
            /// Whether the socket takes no more bytes for now.
            var isBlocked = false
            /// Whether bytes were sent since the loop last polled for a reply.
            var expectsReply = false

            var weight: Int { current.count - sent + queued.count }

            /// What OpenSSL may still refer to is released with the socket.
            mutating func removeAll() {
                queued = []
                sent = current.count
            }

            /// Sends what the connection takes. Returns the failure, if it fails.
            mutating func flush(
                with send: (UnsafeRawBufferPointer) -> SocketConnection.Movement
            ) -> SocketConnection.Failure? {
                while !isBlocked {
                    if sent == current.count {
                        sent = 0
                        current.removeAll(keepingCapacity: current.capacity <= 64 << 10)
                        if queued.isEmpty { break }
                        swap(&current, &queued)
                    }
                    let start = sent
                    switch current.withUnsafeBytes({ send(UnsafeRawBufferPointer(rebasing: $0[start...])) }) {
                    case .bytes(let count): sent += count
                    case .again, .withoutData: isBlocked = true
                    case .end: return .system(EPIPE)
                    case .failed(let failure): return failure
                    }
                }
                return nil
            }
        }

        /// The event loop, which lives at least as long as the socket.
        private let owner: any UpgradeOwner
        private let sockets: UpgradedSockets
        let connection: SocketConnection
        /// The stream of the connection, if it is one over HTTP/2.
        let stream: HTTP2Exchange?
        let request: NetworkRequest
        /// What is to be sent. Its failure is why nothing more can be.
        private let outbox = BoundedPipe<Outbox, Never, TransportError>(Outbox(), capacity: capacity)
        private let orders = Locked(Orders())
        var receiver: (any UpgradedReceiver)?
        /// Bytes that were received together with the response, or on a stream while reading was paused: at most its window.
        var unread: [UInt8]
        var isReadPaused = true
        /// Whether the stream has ended, before its last bytes were read.
        var hasStreamEnded = false
        /// Why the stream has ended; `nil` if the peer has ended it in an orderly way.
        var streamError: TransportError?
        /// Whether the connection or the stream was closed.
        var isClosed = false
        /// When the connection is closed even if the peer does not close it.
        var deadline = UInt64.max
        var heapIndex = -1

        init(
            _ sockets: UpgradedSockets, _ owner: any UpgradeOwner, _ connection: SocketConnection,
            stream: HTTP2Exchange? = nil, _ request: NetworkRequest, unread: [UInt8] = []
        ) {
            self.sockets = sockets
            self.owner = owner
            self.connection = connection
            self.stream = stream
            self.request = request
            self.unread = unread
        }

        // MARK: For any thread

        func start(_ receiver: any UpgradedReceiver) {
            order { $0.receiver = receiver }
        }

        func resumeReading() {
            order { $0.resumes = true }
        }

        func close(awaitsPeer: Bool) {
            order {
                $0.awaitsPeer = awaitsPeer && ($0.awaitsPeer || !$0.closes)
                $0.closes = true
            }
        }

        private func order(_ change: (inout Orders) -> Void) {
            let isNew = orders.withLock { orders in
                change(&orders)
                defer { orders.isSent = true }
                return !orders.isSent
            }
            if isNew { owner.perform(later: self) }
        }

        func send(_ append: (inout [UInt8]) -> Void) throws(TransportError) -> Bool {
            let isPlain = connection.tls == nil && stream == nil
            let result: Result<(Bool, Bool), TransportError> = outbox.access { state in
                if case .failure(let failure) = state.end { return .failure(failure) }
                append(&state.content.queued)
                state.content.expectsReply = true
                if isPlain { flush(&state) }
                return .success((state.hasRoom, !isPlain && !state.content.isBlocked))
            }
            let (hasRoom, mustFlush) = try result.get()
            if mustFlush, !owner.flushOnCallingThread(self) { order { _ in } }
            return hasRoom
        }

        func waitForRoom() async throws(TransportError) {
            try await outbox.waitForRoom(cancellation: .taskCancelled(request, phase: .send))
        }

        // MARK: For the holder of the loop's lock

        func connectionIsReady(isWritable: Bool) {
            sockets.advance(self, isWritable: isWritable)
        }

        func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
            sockets.receive(bytes, for: self)
        }

        func streamDidEnd(_ error: TransportError?) {
            sockets.streamDidEnd(self, error)
        }

        /// Returns whether bytes were sent since the last call.
        func takeExpectation() -> Bool {
            outbox.access { state in
                defer { state.content.expectsReply = false }
                return state.content.expectsReply
            }
        }

        func takeOrders() -> Orders {
            orders.withLock { orders in
                let taken = orders
                orders.receiver = nil
                orders.resumes = false
                orders.isSent = false
                return taken
            }
        }

        /// Whether nothing waits to be sent.
        var isSent: Bool { outbox.access { $0.content.weight == 0 || $0.end != nil } }

        /// Sends what the socket takes.
        ///
        /// - Parameter isWritable: Whether an event said that the socket takes bytes again.
        func flush(isWritable: Bool) {
            outbox.access { state in
                if isWritable { state.content.isBlocked = false }
                flush(&state)
            }
        }

        /// Fails what waits to be sent. Afterwards, no thread uses the socket.
        func endSending(_ error: TransportError?) {
            outbox.cancel(error ?? closedError)
        }

        private func flush(_ state: inout PipeState<Outbox, Never, TransportError>) {
            guard state.end == nil, let failure = state.content.flush(with: write) else { return }
            state.cancel(lostError(failure))
        }

        private func write(_ bytes: UnsafeRawBufferPointer) -> SocketConnection.Movement {
            stream.map { $0.exchanges.write(bytes, to: $0) } ?? connection.send(bytes)
        }

        private var closedError: TransportError {
            TransportError(.cancelled, "the connection was closed", request: request)
        }

        func lostError(_ failure: SocketConnection.Failure) -> TransportError {
            connection.error(endedBy: failure, phase: .receive, request: request)
                ?? connection.error(failure, .connectionLost, phase: .receive, request: request)
        }

        /// The error of a connection that was lost when its session manager was closed.
        var cutOffError: TransportError { .cutOff(request, phase: .receive) }
    }
#endif
