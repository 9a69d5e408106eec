#if os(Linux)
    import Endpoints

    /// The event loops of a session manager, and the line in front of them.
    ///
    /// A transfer waits here, with no loop, until it gets a place: a connection in one of the loops. It then belongs to that loop until
    /// it leaves the place, and may get its next one, after a redirect, in another.
    final class CurlLoops: Sendable {
        let configuration: SessionConfiguration
        let trust: CurlTrustTable
        /// All loops see the same.
        let cookies: CookieStore?
        private let loops: [CurlLoop]
        private let line: Locked<CurlLine>

        init(configuration: SessionConfiguration, trust: CurlTrustTable) {
            self.configuration = configuration
            self.trust = trust
            cookies = configuration.storesCookies ? CookieStore() : nil
            loops = (0..<configuration.eventLoops).map { CurlLoop(number: $0, configuration: configuration) }
            line = Locked(CurlLine(configuration.gateLimits(lanes: configuration.eventLoops)))
        }

        /// No transfer will be started any more; those under way, and in line, go on.
        func close() {
            for loop in loops { loop.close() }
        }

        // MARK: For callers

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
            // Where there is no choice, it gets its place on the loop's thread: callers would be in each other's way.
            let hasPlace = loops.count > 1
            guard let lane = hasPlace ? enter(transfer) : 0 else { return }
            if !loops[lane].start(transfer, hasPlace: hasPlace, of: self) { refuse(transfer) }
        }

        /// Takes a transfer that has been answered out of the line, or out of its loop.
        func cancel(_ transfer: CurlTransfer) {
            let lane = line.withLock { line in line.cancel(transfer) }
            if let lane { loops[lane].send(.cancel(transfer)) }
        }

        /// Has a transfer that was paused go on.
        func resume(_ transfer: CurlTransfer) {
            let lane = line.withLock { line in line.lane(of: transfer) }
            if let lane { loops[lane].send(.resume(transfer)) }
        }

        // MARK: For the loops' threads

        /// Whether a transfer is in a loop, or on the way to it. What is sent to one may arrive after it went to another, which
        /// it then belongs to.
        func isIn(_ lane: Int, _ transfer: CurlTransfer) -> Bool {
            loops.count == 1 || line.withLock { line in line.lane(of: transfer) == lane }
        }

        /// Gives a hop its place, or has it wait for one.
        ///
        /// - Parameter preferred: The loop it would stay in.
        /// - Returns: The loop it belongs to from now on; `nil` when it waits, or has been called off.
        func enter(_ transfer: CurlTransfer, near preferred: Int? = nil) -> Int? {
            let (lane, isFirst) = line.withLock { line in line.enter(transfer, near: preferred) }
            // Any loop will do to watch over the line, and where there is a line, one runs.
            if isFirst { for loop in loops { loop.wake() } }
            return lane
        }

        /// Gives a place back.
        ///
        /// - Parameter isEnd: Whether the transfer has ended, rather than going to another place.
        /// - Returns: Those who got a place in this loop.
        func leave(_ transfer: CurlTransfer, isEnd: Bool) -> [CurlTransfer] {
            let (admitted, lane) = line.withLock { line in line.leave(transfer, isEnd: isEnd) }
            guard !admitted.isEmpty else { return [] }
            for other in admitted where other.lane != lane { handOver(other.member, other.lane) }
            return admitted.compactMap { $0.lane == lane ? $0.member : nil }
        }

        /// A transfer between two hops gets no other place.
        func drop(_ transfer: CurlTransfer) {
            _ = line.withLock { line in line.cancel(transfer) }
        }

        /// Gives a transfer to the loop it has a place in.
        func handOver(_ transfer: CurlTransfer, _ lane: Int) {
            if !loops[lane].send(.start(transfer), of: self) { refuse(transfer) }
        }

        /// Lets more transfers into a host that speaks HTTP/2.
        ///
        /// - Returns: Those who got a place in this loop.
        func widen(_ origin: String, lane: Int) -> [CurlTransfer] {
            let admitted = line.withLock { line in line.widen(origin) }
            for other in admitted where other.lane != lane { handOver(other.member, other.lane) }
            return admitted.compactMap { $0.lane == lane ? $0.member : nil }
        }

        /// Ends those who have waited too long.
        ///
        /// - Returns: When the next will have.
        func endLate(_ now: UInt64) -> UInt64 {
            let (late, next) = line.withLock { line in line.takeLate(now) }
            for transfer in late { transfer.end(.failure(transfer.lateness(transfer.totalLateness, phase: .queued, now))) }
            return next
        }

        /// There is no thread for the transfer's loop, and so for none of those who get its place.
        private func refuse(_ transfer: CurlTransfer) {
            var refused = [transfer]
            while let next = refused.popLast() {
                let (admitted, _) = line.withLock { line in line.leave(next, isEnd: true) }
                for other in admitted where !loops[other.lane].send(.start(other.member), of: self) {
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

    /// Where each transfer of a session manager is, and those who wait for a place. Used under its lock alone.
    struct CurlLine {
        typealias Admission = OriginGate<CurlTransfer>.Admission

        private var gate: OriginGate<CurlTransfer>
        /// Of those who wait.
        private var deadlines = DeadlineHeap<CurlTransfer>()

        init(_ limits: GateLimits) {
            gate = OriginGate(limits)
        }

        /// - Returns: The loop it got a place in; or whether its deadline now comes first in the line.
        mutating func enter(_ transfer: CurlTransfer, near preferred: Int?) -> (lane: Int?, isFirst: Bool) {
            // It may have been called off before, or between two hops.
            guard case .outside = transfer.station else { return (nil, false) }
            switch gate.enter(transfer.origin, transfer, near: preferred) {
            case .inside(let lane):
                transfer.station = .inside(lane)
                return (lane, false)
            case .waiting(let ticket):
                transfer.station = .waiting(ticket)
                guard transfer.totalDeadline != .max else { return (nil, false) }
                transfer.deadline = transfer.totalDeadline
                deadlines.insert(transfer)
                return (nil, deadlines.first === transfer)
            }
        }

        /// - Returns: Those who got a place by this, and the loop it was in.
        mutating func leave(_ transfer: CurlTransfer, isEnd: Bool) -> (admitted: [Admission], lane: Int?) {
            guard case .inside(let lane) = transfer.station else { return ([], nil) }
            transfer.station = isEnd ? .gone : .outside
            return (admit(gate.leave(transfer.origin, lane: lane)), lane)
        }

        /// - Returns: Those who got a place by this.
        mutating func widen(_ origin: String) -> [Admission] {
            admit(gate.widen(origin))
        }

        /// - Returns: The loop it is in, which has to be told.
        mutating func cancel(_ transfer: CurlTransfer) -> Int? {
            if case .inside(let lane) = transfer.station { return lane }
            remove(transfer)
            return nil
        }

        /// - Returns: The loop it is in, if it is in one.
        func lane(of transfer: CurlTransfer) -> Int? {
            if case .inside(let lane) = transfer.station { lane } else { nil }
        }

        /// - Returns: Those who have waited too long, and when the next will have.
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
                next.member.station = .inside(next.lane)
            }
            return admitted
        }
    }
#endif
