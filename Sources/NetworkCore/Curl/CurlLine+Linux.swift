#if os(Linux)
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
