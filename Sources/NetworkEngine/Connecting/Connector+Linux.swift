#if os(Linux)
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    /// What a ``Connector`` asks of its event loop.
    protocol ConnectorOwner: AnyObject {
        /// Handles a connection that was made.
        ///
        /// - Parameters:
        ///   - transfer: The transfer that has waited for the connection; `nil` if none has.
        ///   - socket: What owns the socket until the connection takes it over.
        func connectorDidConnect(
            _ attempt: ConnectAttempt, for transfer: LoopTransfer?, _ established: EstablishedConnection, _ socket: ConnectSocket)
        /// Handles the failure of an attempt to connect.
        func connectorDidFail(
            _ attempt: ConnectAttempt, for transfer: LoopTransfer?, _ failure: ConnectFailure, _ timings: ConnectTimings)
        /// Handles the end of an attempt that was given up.
        func connectorDidGiveUp(_ key: ConnectionKey)
    }

    /// Makes the connections of an event loop: name lookup, TCP, proxies and TLS.
    ///
    /// An attempt whose transfer was cancelled goes on, for the next transfer to the same origin. Used only while the lock of the loop is held.
    final class Connector {
        let context: LoopContext
        let names: NameLookups
        /// Passes the outcome of a lookup to the thread of the loop, which calls ``ConnectAttempt/lookupDidEnd(_:_:)``. Called on any thread.
        let deliver: @Sendable (ConnectAttempt, NameQuery, NameResult) -> Void
        /// The event loop, which owns the connector.
        unowned(unsafe) var owner: (any ConnectorOwner)?
        /// Whether attempts that no transfer waits for go on.
        private let keepsAttempts: Bool
        /// Attempts that no transfer waits for. The next transfer to the same origin takes over such an attempt.
        @exclusivity(unchecked) private var attempts = KeyedPool<ConnectAttempt>()
        @exclusivity(unchecked) private var timers = DeadlineHeap<ConnectTimer>()
        /// All attempts.
        @exclusivity(unchecked) private var all: [ObjectIdentifier: ConnectAttempt] = [:]

        init(
            _ context: LoopContext, keepsAttempts: Bool,
            deliver: @escaping @Sendable (ConnectAttempt, NameQuery, NameResult) -> Void
        ) {
            self.context = context
            self.deliver = deliver
            self.keepsAttempts = keepsAttempts
            names = context.session.names
        }

        /// The number of connections that are being made, whether a transfer waits for them or not.
        var connecting: Int { all.count }

        // MARK: Attempts

        /// Begins to make a connection for a transfer, which may end at once.
        ///
        /// - Parameter isTunneled: Whether the connection goes through an HTTP proxy as a tunnel although it has no TLS.
        func connect(
            _ transfer: LoopTransfer, _ policy: TLSPolicy, over route: Route, versions: ConnectionKey.Versions, isTunneled: Bool
        ) {
            let attempt = ConnectAttempt(transfer, policy, over: route, versions: versions, isTunneled: isTunneled, self)
            all[ObjectIdentifier(attempt)] = attempt
            transfer.carrier = attempt
            attempt.begin()
        }

        /// Assigns an attempt with these properties to a transfer.
        ///
        /// - Returns: `false` if no such attempt has lost its transfer.
        func takeOverAttempt(_ key: ConnectionKey, for transfer: LoopTransfer) -> Bool {
            guard let attempt = attempts.take(key) else { return false }
            attempt.takeOver(for: transfer, at: context.now)
            transfer.carrier = attempt
            return true
        }

        /// Keeps an attempt whose transfer is about to end, until a deadline.
        ///
        /// Otherwise requests that are cancelled before their handshake is complete would make the server begin one handshake
        /// after another, and none of them would succeed.
        ///
        /// - Returns: `false` if attempts are not kept.
        func keep(_ attempt: ConnectAttempt, until deadline: UInt64) -> Bool {
            guard keepsAttempts else { return false }
            attempt.transfer = nil
            attempt.deadline = deadline
            attempts.put(attempt)
            return true
        }

        /// Cancels an attempt.
        func giveUp(_ attempt: ConnectAttempt) {
            guard remove(attempt) else { return }
            attempt.forgetAddresses()
            attempt.close()
            owner?.connectorDidGiveUp(attempt.key)
        }

        /// Whether there are attempts that no transfer waits for.
        var hasAttempts: Bool { attempts.first != nil }

        /// Cancels the attempt that has the least time left, of those that no transfer waits for.
        func giveUpAttempt() {
            if let attempt = attempts.first { giveUp(attempt) }
        }

        /// Cancels the attempts that no transfer waits for.
        func giveUpAttempts() {
            while let attempt = attempts.first { giveUp(attempt) }
        }

        /// Cancels the attempts whose time is over, of those that no transfer waits for, and continues those that have waited.
        func endLate() {
            while let attempt = attempts.first, attempt.deadline <= context.now { giveUp(attempt) }
            while let timer = timers.first, timer.deadline <= context.now {
                timers.remove(timer)
                timer.attempt?.timerDidFire()
            }
        }

        /// The time at which the connector has to act even without an event.
        var deadline: UInt64 { min(attempts.first?.deadline ?? .max, timers.first?.deadline ?? .max) }

        /// Adds the attempts that no transfer waits for, by origin.
        func forEachAttempt(_ body: (_ origin: String) -> Void) {
            for attempt in attempts.all { body(attempt.key.origin) }
        }

        /// Cancels all attempts, at the end of the loop.
        func close() {
            for attempt in all.values { attempt.close() }
            all = [:]
        }

        // MARK: For the attempts

        /// Continues an attempt at a time; never if that is `UInt64.max`.
        func schedule(_ timer: ConnectTimer, at time: UInt64) {
            timers.remove(timer)
            guard time != .max else { return }
            timer.deadline = time
            timers.insert(timer)
        }

        func cancel(_ timer: ConnectTimer) {
            timers.remove(timer)
        }

        func attemptDidFinish(_ attempt: ConnectAttempt, _ established: EstablishedConnection, _ socket: ConnectSocket) {
            let transfer = attempt.transfer
            guard remove(attempt) else { return socket.close() }
            owner?.connectorDidConnect(attempt, for: transfer, established, socket)
        }

        func attemptDidFail(_ attempt: ConnectAttempt, _ failure: ConnectFailure, _ timings: ConnectTimings) {
            let transfer = attempt.transfer
            guard remove(attempt) else { return }
            owner?.connectorDidFail(attempt, for: transfer, failure, timings)
        }

        /// Removes an attempt that has ended.
        ///
        /// - Returns: `false` if that was done before.
        private func remove(_ attempt: ConnectAttempt) -> Bool {
            guard all.removeValue(forKey: ObjectIdentifier(attempt)) != nil else { return false }
            attempts.remove(attempt)
            attempt.transfer = nil
            return true
        }
    }
#endif
