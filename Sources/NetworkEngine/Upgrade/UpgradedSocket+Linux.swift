#if os(Linux)
    import NetworkTransport
    import Endpoints
    import NetworkSupport

    /// An upgraded connection of the engine on Linux.
    ///
    /// Bytes are received by the thread of the loop. They are sent by the thread that calls ``send(_:)``; what the socket does not take at once
    /// is sent by the loop. With TLS, a thread sends only while it holds the lock of the loop; if the lock is taken, it leaves that to the loop.
    // Sendable although unchecked: each `let` is immutable, and each `var` is used only while the lock of the loop is held.
    final class UpgradedSocket: UpgradedTransport, UpgradedProtocol, DeadlineMember, @unchecked Sendable {
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

        private struct Outbox {
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
            /// Why no more bytes can be sent.
            var failure: TransportError?
            var waiting: [Promise<TransportError?>] = []
            /// Those that are resumed as soon as the lock is released.
            var woken: [Promise<TransportError?>] = []

            var count: Int { current.count - sent + queued.count }
        }

        /// The event loop, which lives at least as long as the socket.
        private let owner: any UpgradeOwner
        private let sockets: UpgradedSockets
        let connection: HTTP1Connection
        private let request: TransferRequest
        private let outbox = Locked(Outbox())
        private let orders = Locked(Orders())
        var receiver: (any UpgradedReceiver)?
        /// Bytes that were received together with the response.
        var unread: [UInt8]
        var isReadPaused = true
        /// When the connection is closed even if the peer does not close it.
        var deadline = UInt64.max
        var heapIndex = -1

        init(
            _ sockets: UpgradedSockets, _ owner: any UpgradeOwner, _ connection: HTTP1Connection, _ request: NetworkRequest,
            unread: [UInt8]
        ) {
            self.sockets = sockets
            self.owner = owner
            self.connection = connection
            self.request = TransferRequest(request)
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
            let isPlain = connection.handle == nil
            let (count, mustFlush) = try withOutbox { outbox throws(TransportError) in
                if let failure = outbox.failure { throw failure }
                append(&outbox.queued)
                outbox.expectsReply = true
                if isPlain { flush(&outbox) }
                return (outbox.count, !isPlain && !outbox.isBlocked)
            }
            if mustFlush, !owner.flushOnCallingThread(self) { order { _ in } }
            return count < Self.capacity
        }

        func waitForRoom() async throws(TransportError) {
            let promise = Promise<TransportError?>()
            let isFull = try outbox.withLock { outbox throws(TransportError) in
                if let failure = outbox.failure { throw failure }
                guard outbox.count >= Self.capacity else { return false }
                outbox.waiting.append(promise)
                return true
            }
            guard isFull else { return }
            let request = request
            if let error = await promise.value(cancellation: {
                TransportError(.cancelled, "the task was cancelled", phase: .send, request: request.value)
            }) {
                throw error
            }
        }

        // MARK: For the holder of the loop's lock

        func connectionIsReady(isWritable: Bool) {
            sockets.advance(self, isWritable: isWritable)
        }

        /// Returns whether bytes were sent since the last call.
        func takeExpectation() -> Bool {
            outbox.withLock { outbox in
                defer { outbox.expectsReply = false }
                return outbox.expectsReply
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
        var isSent: Bool { outbox.withLock { $0.count == 0 || $0.failure != nil } }

        /// Sends what the socket takes.
        ///
        /// - Parameter isWritable: Whether an event said that the socket takes bytes again.
        func flush(isWritable: Bool) {
            withOutbox { outbox in
                if isWritable { outbox.isBlocked = false }
                flush(&outbox)
            }
        }

        /// Fails what waits to be sent. Afterwards, no thread uses the socket.
        func endSending(_ error: TransportError?) {
            withOutbox { outbox in fail(&outbox, error ?? closedError) }
        }

        /// Calls a closure with the outbox, and then resumes those that waited for what it has done.
        private func withOutbox<Result>(
            _ body: (inout Outbox) throws(TransportError) -> Result
        ) throws(TransportError) -> Result {
            var woken: [Promise<TransportError?>] = []
            var failure: TransportError?
            let result = try outbox.withLock { outbox throws(TransportError) in
                let result = try body(&outbox)
                swap(&woken, &outbox.woken)
                failure = outbox.failure
                return result
            }
            for promise in woken { promise.resolve(failure) }
            return result
        }

        private func withOutbox(_ body: (inout Outbox) -> Void) {
            var woken: [Promise<TransportError?>] = []
            let failure = outbox.withLock { outbox in
                body(&outbox)
                swap(&woken, &outbox.woken)
                return outbox.failure
            }
            for promise in woken { promise.resolve(failure) }
        }

        private func flush(_ outbox: inout Outbox) {
            guard outbox.failure == nil else { return }
            while !outbox.isBlocked {
                if outbox.sent == outbox.current.count {
                    outbox.sent = 0
                    outbox.current.removeAll(keepingCapacity: outbox.current.capacity <= 64 << 10)
                    if outbox.queued.isEmpty { break }
                    swap(&outbox.current, &outbox.queued)
                }
                let sent = outbox.sent
                switch outbox.current.withUnsafeBytes({ connection.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
                case .bytes(let count): outbox.sent += count
                case .again, .withoutData: outbox.isBlocked = true
                case .end: return fail(&outbox, lostError(.system(EPIPE)))
                case .failed(let failure): return fail(&outbox, lostError(failure))
                }
            }
            guard !outbox.waiting.isEmpty, outbox.count < Self.capacity else { return }
            swap(&outbox.woken, &outbox.waiting)
        }

        private func fail(_ outbox: inout Outbox, _ error: TransportError) {
            if outbox.failure == nil { outbox.failure = error }
            outbox.woken += outbox.waiting
            outbox.waiting = []
            // What OpenSSL may still refer to is released with the socket.
            outbox.queued = []
            outbox.sent = outbox.current.count
        }

        private var closedError: TransportError {
            TransportError(.cancelled, "the connection was closed", request: request.value)
        }

        func lostError(_ failure: HTTP1Connection.Failure) -> TransportError {
            connection.error(failure, nil, phase: .receive, request: request.value)
        }

        /// The error of a connection that was lost when its session manager was closed.
        var cutOffError: TransportError { .cutOff(request.value, phase: .receive) }
    }
#endif
