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
        private let loops: [CurlLoop]
        private let queue: Locked<CurlQueue>

        init(configuration: SessionConfiguration, trust: CurlTrustTable) {
            self.configuration = configuration
            self.trust = trust
            cookies = configuration.storesCookies ? CookieStore() : nil
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
            do throws(TransportError) {
                transfer.trust = try trust.policy(for: transfer.request)
            } catch {
                return transfer.end(.failure(error))
            }
            let timeouts = transfer.request.timeouts
            if let total = timeouts.total ?? configuration.totalTimeout {
                transfer.totalDeadline = transfer.submitted &+ total.boundedNanoseconds
            }
            transfer.idleNanoseconds = (timeouts.idle ?? configuration.idleTimeout).boundedNanoseconds
            if let deadline = transfer.request.headDeadline { transfer.bound(by: deadline) }
            // With a single loop, the transfer is admitted on the loop's thread: callers would compete for the lock of the queue.
            let isAdmitted = loops.count > 1
            guard let number = isAdmitted ? enter(transfer) : 0 else { return }
            if !loops[number].start(transfer, isAdmitted: isAdmitted, of: self) { refuse(transfer) }
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

        // MARK: For the loops' threads

        /// Whether a transfer belongs to the loop of that number. A command may reach a loop after the transfer has moved to another one.
        func isIn(_ number: Int, _ transfer: CurlTransfer) -> Bool {
            loops.count == 1 || queue.withLock { queue in queue.loop(of: transfer) == number }
        }

        /// Admits a transfer to a loop, or appends it to the queue.
        ///
        /// - Parameter preferred: The number of the loop that is used if it has a place.
        /// - Returns: The number of the loop that it belongs to from now on; `nil` when it waits or was cancelled.
        func enter(_ transfer: CurlTransfer, near preferred: Int? = nil) -> Int? {
            let (number, isFirst) = queue.withLock { queue in queue.enter(transfer, near: preferred) }
            // Any loop may enforce the deadlines of the queue, and while transfers wait, at least one loop runs.
            if isFirst { for loop in loops { loop.wake() } }
            return number
        }

        /// Gives the place of a transfer back, and admits the transfers that waited for it.
        ///
        /// - Parameter isEnd: Whether the transfer has ended; `false` when it will be admitted again, as for a redirect.
        /// - Returns: The transfers that were admitted to the same loop. Those of other loops are sent there.
        func leave(_ transfer: CurlTransfer, isEnd: Bool) -> [CurlTransfer] {
            let (admitted, number) = queue.withLock { queue in queue.leave(transfer, isEnd: isEnd) }
            guard !admitted.isEmpty else { return [] }
            for other in admitted where other.shard != number { handOver(other.member, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member : nil }
        }

        /// Marks a transfer that failed between two requests as ended, so that it is not admitted again.
        func drop(_ transfer: CurlTransfer) {
            _ = queue.withLock { queue in queue.cancel(transfer) }
        }

        /// Sends a transfer to the loop that it was admitted to.
        func handOver(_ transfer: CurlTransfer, _ number: Int) {
            if !loops[number].send(.start(transfer), of: self) { refuse(transfer) }
        }

        /// Raises the number of admitted transfers to an origin that speaks HTTP/2 to `maximumStreamsPerHost`.
        ///
        /// - Returns: The transfers that were admitted to the loop of that number by this. Those of other loops are sent there.
        func widen(_ origin: String, loop number: Int) -> [CurlTransfer] {
            let admitted = queue.withLock { queue in queue.widen(origin) }
            for other in admitted where other.shard != number { handOver(other.member, other.shard) }
            return admitted.compactMap { $0.shard == number ? $0.member : nil }
        }

        /// Ends the queued transfers whose total deadline has passed.
        ///
        /// - Returns: The next deadline in the queue; `UInt64.max` if there is none.
        func endLate(_ now: UInt64) -> UInt64 {
            let (late, next) = queue.withLock { queue in queue.takeLate(now) }
            for transfer in late { transfer.end(.failure(transfer.lateness(transfer.totalLateness, phase: .queued, now))) }
            return next
        }

        /// Fails a transfer whose loop could not be started, and those that are admitted in its place and cannot be started either.
        private func refuse(_ transfer: CurlTransfer) {
            var refused = [transfer]
            while let next = refused.popLast() {
                let (admitted, _) = queue.withLock { queue in queue.leave(next, isEnd: true) }
                for other in admitted where !loops[other.shard].send(.start(other.member), of: self) {
                    refused.append(other.member)
                }
                next.end(
                    .failure(
                        TransportError(
                            .outOfResources, "the engine cannot start: this process has no descriptor, thread or memory left",
                            request: next.request)))
            }
        }
    }

    /// The queue of a session manager: which loop each transfer belongs to, and which transfers wait. Used only while its lock is held.
    ///
    /// The gate has one shard for each loop: the number of the shard is that of the loop.
    struct CurlQueue {
        typealias Admission = OriginGate<CurlTransfer>.Admission

        private var gate: OriginGate<CurlTransfer>
        /// The total deadlines of the waiting transfers.
        private var deadlines = DeadlineHeap<CurlTransfer>()

        init(_ limits: GateLimits) {
            gate = OriginGate(limits)
        }

        /// Admits a transfer, or appends it to the queue.
        ///
        /// - Returns: The number of the loop that it was admitted to; or whether its deadline is now the earliest of the queue.
        mutating func enter(_ transfer: CurlTransfer, near preferred: Int?) -> (number: Int?, isFirst: Bool) {
            // It may have been cancelled before, or between two requests.
            guard case .outside = transfer.station else { return (nil, false) }
            switch gate.enter(transfer.origin, transfer, near: preferred) {
            case .inside(let number):
                transfer.station = .inside(number)
                return (number, false)
            case .waiting(let ticket):
                transfer.station = .waiting(ticket)
                guard transfer.totalDeadline != .max else { return (nil, false) }
                transfer.deadline = transfer.totalDeadline
                deadlines.insert(transfer)
                return (nil, deadlines.first === transfer)
            }
        }

        /// Gives the place of a transfer back.
        ///
        /// - Returns: The transfers that were admitted by this, and the number of the loop that the transfer was in.
        mutating func leave(_ transfer: CurlTransfer, isEnd: Bool) -> (admitted: [Admission], number: Int?) {
            guard case .inside(let number) = transfer.station else { return ([], nil) }
            transfer.station = isEnd ? .gone : .outside
            return (admit(gate.leave(transfer.origin, shard: number)), number)
        }

        /// Raises the limit of an origin that speaks HTTP/2.
        ///
        /// - Returns: The transfers that were admitted by this.
        mutating func widen(_ origin: String) -> [Admission] {
            admit(gate.widen(origin))
        }

        /// Removes a transfer that is not in a loop.
        ///
        /// - Returns: The number of its loop if it is in one; that loop then has to be notified.
        mutating func cancel(_ transfer: CurlTransfer) -> Int? {
            if case .inside(let number) = transfer.station { return number }
            remove(transfer)
            return nil
        }

        /// Returns the number of the loop that a transfer is in, if it is in one.
        func loop(of transfer: CurlTransfer) -> Int? {
            if case .inside(let number) = transfer.station { number } else { nil }
        }

        /// Removes the transfers whose total deadline has passed.
        ///
        /// - Returns: These transfers, and the next deadline; `UInt64.max` if there is none.
        mutating func takeLate(_ now: UInt64) -> (late: [CurlTransfer], next: UInt64) {
            var late: [CurlTransfer] = []
            while let first = deadlines.first, first.deadline <= now {
                remove(first)
                late.append(first)
            }
            return (late, deadlines.first?.deadline ?? .max)
        }

        private mutating func remove(_ transfer: CurlTransfer) {
            if case .waiting(let ticket) = transfer.station {
                gate.stopWaiting(transfer.origin, ticket: ticket)
                deadlines.remove(transfer)
            }
            transfer.station = .gone
        }

        private mutating func admit(_ admitted: [Admission]) -> [Admission] {
            for next in admitted {
                deadlines.remove(next.member)
                next.member.station = .inside(next.shard)
            }
            return admitted
        }
    }
#endif
