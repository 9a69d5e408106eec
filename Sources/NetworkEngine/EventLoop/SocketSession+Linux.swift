#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import NetworkSupport

    /// The event loops of a session manager, and the queue of transfers that wait for a connection.
    ///
    /// A transfer in the queue belongs to no loop. When it is admitted, it gets a place, which is the right to use a connection, in one of
    /// the loops, and belongs to that loop until it gives the place back. After a redirect it may be admitted to another loop.
    final class SocketSession: TransferDispatcher {
        let context: SessionContext
        let inboxes: [LoopInbox]
        private let queue: Locked<AdmissionQueue>
        let closing = SessionClosing()
        var events: ConnectionEventHub { context.events }

        /// Creates the loops of a session manager, without threads.
        init(_ context: SessionContext) {
            self.context = context
            let configuration = context.configuration
            inboxes = (0..<configuration.eventLoops).map { LoopInbox(number: $0, configuration: configuration) }
            queue = Locked(AdmissionQueue(configuration.gateLimits(shards: configuration.eventLoops)))
        }

        /// Makes the loops end after their last transfer. Transfers that were started continue, queued ones included.
        func close() {
            for loop in inboxes { loop.close() }
            endEvents()
        }

        /// Ends the streams of events if the session manager was released, and no transfer is left. A closing ends them itself.
        func endEvents() {
            if inboxes.allSatisfy(\.hasEnded), queue.withLock({ $0.isEmpty && $0.stage == .open }) { events.finish() }
        }

        // MARK: For callers

        /// Starts a transfer: applies its trust policy and time limits, and gives it to a loop or to the queue.
        func start(_ transfer: LoopTransfer) {
            do throws(TransportError) {
                try context.applyPolicies(to: transfer)
            } catch {
                return transfer.driver.end(.failure(error))
            }
            transfer.timeLimits = TimeLimits(
                of: transfer.request, totalTimeout: context.configuration.totalTimeout,
                idleTimeout: context.configuration.idleTimeout, submitted: transfer.submitted)
            let loop = EventLoop.ofThisThread
            // The loop that runs the calling task on its thread.
            let own = loop.flatMap { $0.session === self && $0.jobs.isRunning ? $0 : nil }
            // With a single loop, the transfer is admitted on the loop's thread: callers would compete for the lock of the queue.
            let isAdmitted = inboxes.count > 1
            guard let number = isAdmitted ? enter(transfer, near: own?.inbox.number) : 0 else { return }
            let command = isAdmitted ? LoopInbox.Command.start(transfer) : .enter(transfer, wasAccepted: false)
            if let own, own.inbox.number == number { return own.startForJob(command) }
            // The thread of another loop must not poll for the response.
            switch loop == nil ? inboxes[number].start(command, of: self) : inboxes[number].send(command, of: self) {
            case .sent: break
            case .closed: transfer.driver.end(.failure(.refusedByClosedSession(transfer.request)))
            case .outOfResources: refuse(transfer)
            }
        }

        /// Removes a transfer whose outcome was delivered from the queue, or makes its loop remove it.
        func cancel(_ transfer: LoopTransfer) {
            let (number, withdrawn) = queue.withLock { queue in queue.cancel(transfer) }
            if let withdrawn { events.send(.withdrawn, withdrawn) }
            if let number { inboxes[number].send(.cancel(transfer)) }
        }

        func resume(_ transfer: LoopTransfer) {
            send(.resume(transfer), toLoopOf: transfer)
        }

        func follow(_ transfer: LoopTransfer, _ next: NetworkRequest, cookies: String?) {
            send(.follow(transfer, next, cookies: cookies), toLoopOf: transfer)
        }

        func receiveBody(_ transfer: LoopTransfer) {
            send(.receiveBody(transfer), toLoopOf: transfer)
        }

        private func send(_ command: LoopInbox.Command, toLoopOf transfer: LoopTransfer) {
            let number = queue.withLock { queue in queue.loop(of: transfer) }
            if let number { inboxes[number].send(command) }
        }

        /// Runs a completion on the thread of a loop: that of the calling thread, or else the first one.
        func run(_ completion: @escaping @Sendable () -> Void) {
            let job = LoopJob(completion)
            if let loop = EventLoop.ofThisThread, loop.session === self { return loop.jobs.append(job) }
            if !inboxes[0].send(job, of: self) { BackgroundThreads.completions.run(completion) }
        }

        // MARK: For the loops' threads

        /// Returns whether a transfer belongs to the loop of that number. A command may reach a loop after the transfer has moved.
        func owns(_ transfer: LoopTransfer, loop number: Int) -> Bool {
            inboxes.count == 1 || queue.withLock { queue in queue.loop(of: transfer) == number }
        }

        /// Admits a transfer to a loop, or appends it to the queue.
        ///
        /// - Parameters:
        ///   - preferred: The number of the loop that is used if it has a place.
        ///   - wasAccepted: Whether it is its first request, and was accepted before.
        /// - Returns: The number of the loop that it belongs to from now on; `nil` when it waits, was cancelled, or was refused because the
        ///   session manager is closed.
        func enter(_ transfer: LoopTransfer, near preferred: Int? = nil, wasAccepted: Bool = false) -> Int? {
            let (origin, priority, deadline) = (transfer.origin, transfer.request.priority, transfer.timeLimits.total)
            let (entry, isObserved) = queue.withLock { queue in
                (
                    queue.enter(
                        transfer, origin: origin, priority: priority, deadline: deadline, near: preferred,
                        wasAccepted: wasAccepted), queue.isObserved
                )
            }
            switch entry {
            case .inside(let number): return number
            case .waiting(let isFirst):
                if isObserved { events.send(.queued, origin) }
                // Any loop may enforce the deadlines of the queue, and while transfers wait, at least one loop runs.
                if isFirst { for loop in inboxes { loop.wake() } }
            case .gone: break
            case .refused: transfer.driver.end(.failure(.refusedByClosedSession(transfer.request)))
            case .cutOff: cutOff(transfer, phase: .queued)
            }
            return nil
        }

        /// Gives the place of a transfer back, and admits the transfers that waited for it.
        ///
        /// - Parameter isEnd: Whether the transfer has ended; `false` when it will be admitted again, as for a redirect.
        /// - Returns: The transfers that were admitted to the same loop. Those of other loops are sent there.
        func leave(_ transfer: LoopTransfer, isEnd: Bool) -> [LoopTransfer] {
            let (admitted, number, isObserved) = queue.withLock { queue in
                let left = queue.leave(transfer, isEnd: isEnd)
                return (left.admitted, left.number, queue.isObserved)
            }
            guard !admitted.isEmpty else { return [] }
            if isObserved { reportAdmission(of: admitted) }
            for other in admitted where other.shard != number { handOver(other.member, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member : nil }
        }

        /// Marks a transfer that failed between two requests as ended, so that it is not admitted again.
        func drop(_ transfer: LoopTransfer) {
            _ = queue.withLock { queue in queue.cancel(transfer) }
        }

        /// Sends a transfer to the loop that it was admitted to.
        func handOver(_ transfer: LoopTransfer, _ number: Int) {
            if inboxes[number].send(.start(transfer), of: self) != .sent { refuse(transfer) }
        }

        /// Raises the number of admitted transfers to an origin that speaks HTTP/2 to `maximumStreamsPerHost`.
        ///
        /// - Returns: The transfers that were admitted to the loop of that number by this. Those of other loops are sent there.
        func widen(_ origin: String, loop number: Int) -> [LoopTransfer] {
            let (admitted, isObserved) = queue.withLock { queue in (queue.widen(origin), queue.isObserved) }
            if isObserved { reportAdmission(of: admitted) }
            for other in admitted where other.shard != number { handOver(other.member, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member : nil }
        }

        /// Lowers that number again, because the origin turns out to speak HTTP/1.1.
        func narrow(_ origin: String) {
            queue.withLock { queue in queue.narrow(origin) }
        }

        /// Ends the queued transfers whose total deadline has passed.
        ///
        /// - Returns: The next deadline in the queue; `UInt64.max` without one.
        func endLate(_ now: UInt64) -> UInt64 {
            let (late, next, isObserved) = queue.withLock { queue in
                let taken = queue.takeLate(now)
                return (taken.late, taken.next, queue.isObserved)
            }
            for transfer in late {
                if isObserved { events.send(.withdrawn, transfer.origin) }
                transfer.driver.end(.failure(transfer.lateness(transfer.timeLimits.totalLateness, phase: .queued, now)))
            }
            return next
        }

        private func reportAdmission(of admitted: [AdmissionQueue.Admission]) {
            for other in admitted { events.send(.admitted, other.member.origin) }
        }

        // MARK: Counting and observing

        /// Counts the connections of all loops, and the transfers in the queue.
        func counts() async -> PoolCounts {
            let collector = CountCollector(loops: inboxes.count)
            for loop in inboxes where !loop.send(.count(collector)) { collector.add([:], of: self) }
            return await collector.value()
        }

        /// The number of waiting transfers, by origin.
        var waiting: [String: Int] { queue.withLock(\.waiting) }

        /// Creates a stream of the events from now on.
        func observe(maximum: Int) -> AsyncStream<ConnectionEvent> {
            let stream = events.stream(maximum: maximum) { [weak self] in self?.updateObservation() }
            updateObservation()
            return stream
        }

        /// Makes the queue and the loops report events if there is an observer, otherwise not.
        private func updateObservation() {
            queue.withLock { $0.isObserved = events.isObserved }
            for loop in inboxes { loop.send(.observe) }
        }

        // MARK: Closing

        /// Refuses new transfers, and closes the connections that are not in use.
        func beginClosing() {
            closing.retainPart()
            // Under the lock of the queue, so that after the first refusal, no other loop accepts a transfer.
            queue.withLock { queue in
                queue.beginClosing()
                for loop in inboxes { loop.advance(to: .draining, of: self) }
            }
            partHasEnded()
        }

        /// Cancels the transfers that are left.
        func cutOff() {
            closing.retainPart()
            let (waiting, isObserved) = queue.withLock { queue in (queue.cutOff(), queue.isObserved) }
            for transfer in waiting {
                if isObserved { events.send(.withdrawn, transfer.origin) }
                cutOff(transfer, phase: .queued)
            }
            for loop in inboxes { loop.advance(to: .cutOff, of: self) }
            partHasEnded()
        }

        /// Delivers the error of a transfer that has not ended, and records it.
        func cutOff(_ transfer: LoopTransfer, phase: TransportError.Phase) {
            let error = TransportError.cutOff(transfer.request, phase: phase)
            if transfer.driver.stop(error) { closing.note(error) }
        }

        /// Completes the closing if this was the last part that it has waited for, and no transfer is left.
        func partHasEnded() {
            guard closing.releasePart() else { return }
            let (isOver, ended) = queue.withLock { ($0.isEmpty && $0.stage != .open, $0.ended) }
            // Otherwise, a transfer is on its way to the inbox of a loop.
            guard isOver else { return }
            closing.finish(ended: ended)
            events.finish()
        }

        /// Fails a transfer whose loop could not be started, and those that are admitted in its place and cannot be started either.
        private func refuse(_ transfer: LoopTransfer) {
            // The closing may wait for these transfers, which belong to no loop that has a thread.
            closing.retainPart()
            defer { partHasEnded() }
            var refused = [transfer]
            while let next = refused.popLast() {
                let (admitted, _) = queue.withLock { queue in queue.leave(next, isEnd: true) }
                for other in admitted where inboxes[other.shard].send(.start(other.member), of: self) != .sent {
                    refused.append(other.member)
                }
                next.driver.end(
                    .failure(
                        TransportError(
                            .outOfResources, "the engine cannot start: this process has no descriptor, thread or memory left",
                            request: next.request)))
            }
        }
    }
#endif
