#if os(Linux)
    import Endpoints

    /// The event loops of a session manager, and the queue of transfers that wait for a connection.
    ///
    /// A transfer in the queue belongs to no loop. When it is admitted, it gets a place, which is the right to use a connection, in one of
    /// the loops, and belongs to that loop until it gives the place back. After a redirect it may be admitted to another loop.
    final class CurlLoops: Sendable {
        let configuration: SessionConfiguration
        let trust: CurlTrustTable
        /// The cookies, shared by all loops; `nil` when the configuration stores none.
        let cookies: CookieStore?
        let loops: [CurlLoop]
        private let queue: Locked<CurlQueue>

        init(configuration: SessionConfiguration, trust: CurlTrustTable) {
            self.configuration = configuration
            self.trust = trust
            cookies = configuration.cookies.store
            loops = (0..<configuration.eventLoops).map { CurlLoop(number: $0, configuration: configuration) }
            queue = Locked(CurlQueue(configuration.gateLimits(shards: configuration.eventLoops)))
        }

        /// Makes the loops end after their last transfer. Transfers that were started continue, queued ones included.
        func close() {
            for loop in loops { loop.close() }
        }

        // MARK: For callers

        /// Starts a transfer: applies its trust policy and time limits, and gives it to a loop or to the queue.
        func start(_ transfer: CurlTransfer) {
            let transfer = transfer.loopPart
            do throws(TransportError) {
                transfer.trust = try trust.policy(for: transfer.request)
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
            let command = isAdmitted ? CurlLoop.Command.start(transfer) : .enter(transfer)
            if let own, own.loop.number == number { return own.startForJob(command) }
            // The thread of another loop must not poll for the response.
            let isStarted = engine == nil ? loops[number].start(command, of: self) : loops[number].send(command, of: self)
            if !isStarted { refuse(transfer) }
        }

        /// Removes a transfer whose outcome was delivered from the queue, or makes its loop remove it.
        func cancel(_ transfer: CurlTransfer) {
            let number = queue.withLock { queue in queue.cancel(transfer) }
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

        // MARK: For the loops' threads

        /// Returns the part of a transfer that belongs to the loop of that number; `nil` if it belongs to another one. A command may reach a
        /// loop after the transfer has moved.
        func part(of transfer: CurlTransfer, in number: Int) -> LoopTransfer? {
            guard loops.count == 1 || queue.withLock({ queue in queue.loop(of: transfer) == number }) else { return nil }
            return transfer.loopPart
        }

        /// Admits a transfer to a loop, or appends it to the queue.
        ///
        /// - Parameter preferred: The number of the loop that is used if it has a place.
        /// - Returns: The number of the loop that it belongs to from now on; `nil` when it waits or was cancelled.
        func enter(_ transfer: LoopTransfer, near preferred: Int? = nil) -> Int? {
            let (origin, priority, deadline) = (transfer.origin, transfer.request.priority, transfer.timeLimits.total)
            let (number, isFirst) = queue.withLock { queue in
                queue.enter(transfer, origin: origin, priority: priority, deadline: deadline, near: preferred)
            }
            // Any loop may enforce the deadlines of the queue, and while transfers wait, at least one loop runs.
            if isFirst { for loop in loops { loop.wake() } }
            return number
        }

        /// Gives the place of a transfer back, and admits the transfers that waited for it.
        ///
        /// - Parameter isEnd: Whether the transfer has ended; `false` when it will be admitted again, as for a redirect.
        /// - Returns: The transfers that were admitted to the same loop. Those of other loops are sent there.
        func leave(_ transfer: LoopTransfer, isEnd: Bool) -> [LoopTransfer] {
            let (admitted, number) = queue.withLock { queue in queue.leave(transfer, isEnd: isEnd) }
            guard !admitted.isEmpty else { return [] }
            for other in admitted where other.shard != number { handOver(other.member.loopPart, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member.loopPart : nil }
        }

        /// Marks a transfer that failed between two requests as ended, so that it is not admitted again.
        func drop(_ transfer: CurlTransfer) {
            _ = queue.withLock { queue in queue.cancel(transfer) }
        }

        /// Sends a transfer to the loop that it was admitted to.
        func handOver(_ transfer: LoopTransfer, _ number: Int) {
            if !loops[number].send(.start(transfer), of: self) { refuse(transfer) }
        }

        /// Raises the number of admitted transfers to an origin that speaks HTTP/2 to `maximumStreamsPerHost`.
        ///
        /// - Returns: The transfers that were admitted to the loop of that number by this. Those of other loops are sent there.
        func widen(_ origin: String, loop number: Int) -> [LoopTransfer] {
            let admitted = queue.withLock { queue in queue.widen(origin) }
            for other in admitted where other.shard != number { handOver(other.member.loopPart, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member.loopPart : nil }
        }

        /// Ends the queued transfers whose total deadline has passed.
        ///
        /// - Returns: The next deadline in the queue; `UInt64.max` without one.
        func endLate(_ now: UInt64) -> UInt64 {
            let (late, next) = queue.withLock { queue in queue.takeLate(now) }
            for transfer in late.map(\.loopPart) {
                transfer.end(.failure(transfer.lateness(transfer.timeLimits.totalLateness, phase: .queued, now)))
            }
            return next
        }

        /// Fails a transfer whose loop could not be started, and those that are admitted in its place and cannot be started either.
        private func refuse(_ transfer: LoopTransfer) {
            var refused = [transfer]
            while let next = refused.popLast() {
                let (admitted, _) = queue.withLock { queue in queue.leave(next, isEnd: true) }
                for other in admitted where !loops[other.shard].send(.start(other.member.loopPart), of: self) {
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
