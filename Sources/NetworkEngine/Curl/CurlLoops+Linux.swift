#if os(Linux)
    import NetworkTransport
    import Endpoints
    import NetworkSupport

    /// The event loops of a session manager, and the queue of transfers that wait for a connection.
    ///
    /// A transfer in the queue belongs to no loop. When it is admitted, it gets a place, which is the right to use a connection, in one of
    /// the loops, and belongs to that loop until it gives the place back. After a redirect it may be admitted to another loop.
    final class CurlLoops: Sendable {
        let configuration: SessionConfiguration
        let trust: CurlTrustTable
        private let versions: HTTPVersionTable
        /// The cookies, shared by all loops; `nil` when the configuration stores none.
        let cookies: CookieStore?
        /// Where origins speak HTTP/3, shared by all loops.
        let alternatives = Locked(AlternativeServices())
        /// The addresses that replace the lookup of names.
        let overrides: AddressOverrides
        /// The hosts that are contacted over TLS only; `nil` when the configuration remembers none.
        let strictTransport: StrictTransportStore?
        let loops: [CurlLoop]
        private let queue: Locked<CurlQueue>
        let closing = SessionClosing()
        let events = ConnectionEventHub()

        /// Creates the loops of a session manager, without threads.
        ///
        /// - Throws: ``TransportError/Code/invalidConfiguration`` for an invalid choice of versions of HTTP.
        init(
            configuration: SessionConfiguration, trust: CurlTrustTable, overrides: AddressOverrides = AddressOverrides(),
            strictTransport: StrictTransportStore? = nil
        ) throws(TransportError) {
            self.configuration = configuration
            self.overrides = overrides
            self.strictTransport = strictTransport
            self.trust = trust
            versions = try HTTPVersionTable(configuration)
            cookies = configuration.cookies.store
            loops = (0..<configuration.eventLoops).map { CurlLoop(number: $0, configuration: configuration) }
            queue = Locked(CurlQueue(configuration.gateLimits(shards: configuration.eventLoops)))
        }

        /// Makes the loops end after their last transfer. Transfers that were started continue, queued ones included.
        func close() {
            for loop in loops { loop.close() }
            endEvents()
        }

        /// Ends the streams of events if the session manager was released, and no transfer is left. A closing ends them itself.
        func endEvents() {
            if loops.allSatisfy(\.hasEnded), queue.withLock({ $0.isEmpty && $0.stage == .open }) { events.finish() }
        }

        // MARK: For callers

        /// Starts a transfer: applies its trust policy and time limits, and gives it to a loop or to the queue.
        func start(_ transfer: CurlTransfer) {
            let transfer = transfer.loopPart
            do throws(TransportError) {
                try applyPolicies(to: transfer)
            } catch {
                return transfer.end(.failure(error))
            }
            transfer.timeLimits = TimeLimits(of: transfer.request, configuration, submitted: transfer.submitted)
            let engine = CurlEngine.ofThisThread
            // The engine that runs the calling task on its thread.
            let own = engine.flatMap { $0.loops === self && $0.jobs.isRunning ? $0 : nil }
            // With a single loop, the transfer is admitted on the loop's thread: callers would compete for the lock of the queue.
            let isAdmitted = loops.count > 1
            guard let number = isAdmitted ? enter(transfer, near: own?.loop.number) : 0 else { return }
            let command = isAdmitted ? CurlLoop.Command.start(transfer) : .enter(transfer, wasAccepted: false)
            if let own, own.loop.number == number { return own.startForJob(command) }
            // The thread of another loop must not poll for the response.
            switch engine == nil ? loops[number].start(command, of: self) : loops[number].send(command, of: self) {
            case .sent: break
            case .closed: transfer.end(.failure(.refusedByClosedSession(transfer.request)))
            case .outOfResources: refuse(transfer)
            }
        }

        /// Removes a transfer whose outcome was delivered from the queue, or makes its loop remove it.
        func cancel(_ transfer: CurlTransfer) {
            let (number, withdrawn) = queue.withLock { queue in queue.cancel(transfer) }
            if let withdrawn { events.send(.withdrawn, withdrawn) }
            if let number { loops[number].send(.cancel(transfer)) }
        }

        /// Makes the loop of a paused transfer continue it.
        func resume(_ transfer: CurlTransfer) {
            let number = queue.withLock { queue in queue.loop(of: transfer) }
            if let number { loops[number].send(.resume(transfer)) }
        }

        /// Runs a completion on the thread of a loop: that of the calling thread, or else the first one.
        func run(_ completion: @escaping @Sendable () -> Void) {
            let job = LoopJob(completion)
            if let engine = CurlEngine.ofThisThread, engine.loops === self { return engine.jobs.append(job) }
            if !loops[0].send(job, of: self) { BackgroundThreads.completions.run(completion) }
        }

        /// Sets the trust policy and the versions of HTTP for the host of the current request.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable``, or ``TransportError/Code/httpVersionUnavailable`` for a version that cannot be
        ///   used, whatever the server speaks.
        func applyPolicies(to transfer: LoopTransfer) throws(TransportError) {
            let request = transfer.request
            transfer.trust = try trust.policy(for: request)
            transfer.allowedVersions = try versions.rule(for: request)
            try LibraryQuirks.current.admit(request, transfer.allowedVersions)
        }

        // MARK: For the loops' threads

        /// Returns the part of a transfer that belongs to the loop of that number; `nil` if it belongs to another one. A command may reach a
        /// loop after the transfer has moved.
        func part(of transfer: CurlTransfer, in number: Int) -> LoopTransfer? {
            guard loops.count == 1 || queue.withLock({ queue in queue.loop(of: transfer) == number }) else { return nil }
            return transfer.loopPart
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
                if isFirst { for loop in loops { loop.wake() } }
            case .gone: break
            case .refused: transfer.end(.failure(.refusedByClosedSession(transfer.request)))
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
            for other in admitted where other.shard != number { handOver(other.member.loopPart, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member.loopPart : nil }
        }

        /// Marks a transfer that failed between two requests as ended, so that it is not admitted again.
        func drop(_ transfer: CurlTransfer) {
            _ = queue.withLock { queue in queue.cancel(transfer) }
        }

        /// Sends a transfer to the loop that it was admitted to.
        func handOver(_ transfer: LoopTransfer, _ number: Int) {
            if loops[number].send(.start(transfer), of: self) != .sent { refuse(transfer) }
        }

        /// Raises the number of admitted transfers to an origin that speaks HTTP/2 to `maximumStreamsPerHost`.
        ///
        /// - Returns: The transfers that were admitted to the loop of that number by this. Those of other loops are sent there.
        func widen(_ origin: String, loop number: Int) -> [LoopTransfer] {
            let (admitted, isObserved) = queue.withLock { queue in (queue.widen(origin), queue.isObserved) }
            if isObserved { reportAdmission(of: admitted) }
            for other in admitted where other.shard != number { handOver(other.member.loopPart, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member.loopPart : nil }
        }

        /// Ends the queued transfers whose total deadline has passed.
        ///
        /// - Returns: The next deadline in the queue; `UInt64.max` without one.
        func endLate(_ now: UInt64) -> UInt64 {
            let (late, next, isObserved) = queue.withLock { queue in
                let taken = queue.takeLate(now)
                return (taken.late, taken.next, queue.isObserved)
            }
            for transfer in late.map(\.loopPart) {
                if isObserved { events.send(.withdrawn, transfer.origin) }
                transfer.end(.failure(transfer.lateness(transfer.timeLimits.totalLateness, phase: .queued, now)))
            }
            return next
        }

        private func reportAdmission(of admitted: [CurlQueue.Admission]) {
            for other in admitted { events.send(.admitted, other.member.loopPart.origin) }
        }

        // MARK: Counting and observing

        /// Counts the connections of all loops, and the transfers in the queue.
        func counts() async -> PoolCounts {
            let collector = CountCollector(loops: loops.count)
            for loop in loops where !loop.send(.count(collector)) { collector.add([:], of: self) }
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
            for loop in loops { loop.send(.observe) }
        }

        // MARK: Closing

        /// Refuses new transfers, and closes the connections that are not in use.
        func beginClosing() {
            closing.retainPart()
            // Under the lock of the queue, so that after the first refusal, no other loop accepts a transfer.
            queue.withLock { queue in
                queue.beginClosing()
                for loop in loops { loop.advance(to: .draining, of: self) }
            }
            partHasEnded()
        }

        /// Cancels the transfers that are left.
        func cutOff() {
            closing.retainPart()
            let (waiting, isObserved) = queue.withLock { queue in (queue.cutOff(), queue.isObserved) }
            for transfer in waiting.map(\.loopPart) {
                if isObserved { events.send(.withdrawn, transfer.origin) }
                cutOff(transfer, phase: .queued)
            }
            for loop in loops { loop.advance(to: .cutOff, of: self) }
            partHasEnded()
        }

        /// Delivers the error of a transfer that has not ended, and records it.
        func cutOff(_ transfer: LoopTransfer, phase: TransportError.Phase) {
            let error = TransportError.cutOff(transfer.request, phase: phase)
            if transfer.stop(error) { closing.note(error) }
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
                for other in admitted where loops[other.shard].send(.start(other.member.loopPart), of: self) != .sent {
                    refused.append(other.member.loopPart)
                }
                next.end(
                    .failure(
                        TransportError(
                            .outOfResources, "the engine cannot start: this process has no descriptor, thread or memory left",
                            request: next.request)))
            }
        }
    }

    extension CurlTransfer {
        /// The part that belongs to the loop. Only the owner of that part may use it.
        fileprivate var loopPart: LoopTransfer { unsafeDowncast(self, to: LoopTransfer.self) }
    }
#endif
