#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import NetworkSupport

    /// Where a transfer is, as the queue sees it. Its members are visible in this file only.
    struct QueuePlace {
        fileprivate enum Station {
            /// It has not entered the queue yet, or is between two requests.
            case outside
            /// It waits in the queue with that ticket.
            case waiting(UInt64)
            /// It belongs to the loop of that number, and may still be in its inbox.
            case inside(Int)
            /// It has ended or was cancelled, and is not admitted again.
            case gone
        }

        fileprivate var station = Station.outside
        /// The origin of the request with which it entered last.
        fileprivate var origin = ""
    }

    /// The queue of a session manager: which loop each transfer belongs to, and which transfers wait. Used only while its lock is held.
    ///
    /// The gate has one shard for each loop: the number of the shard is that of the loop.
    struct AdmissionQueue {
        /// A transfer that is admitted, and the number of its loop.
        struct Admission {
            let member: LoopTransfer
            let shard: Int
        }

        private var gate: ObjectGate
        /// The total deadlines of the waiting transfers.
        private var deadlines = DeadlineHeap<LoopTransfer>()
        /// How far the closing of the session manager has come.
        private(set) var stage = ClosingStage.open
        /// The number of accepted transfers that have ended since the closing began.
        private(set) var ended = 0
        /// Whether there is an observer of events.
        var isObserved = false

        /// What became of a transfer that asked for admission.
        enum Entry {
            /// It was admitted to the loop of that number.
            case inside(Int)
            /// It waits. Says whether its deadline is now the earliest of the queue.
            case waiting(isFirst: Bool)
            /// It was cancelled before.
            case gone
            /// The session manager was closed before it was accepted.
            case refused
            /// It was accepted, but the session manager cancels what is left.
            case cutOff
        }

        init(_ limits: GateLimits) {
            gate = ObjectGate(limits)
        }

        /// Admits a transfer, or appends it to the queue.
        ///
        /// - Parameters:
        ///   - origin: The origin of its current request.
        ///   - priority: The class of its current request.
        ///   - deadline: When its total timeout ends.
        ///   - wasAccepted: Whether it is its first request, and was accepted before.
        mutating func enter(
            _ transfer: LoopTransfer, origin: String, priority: RequestPriority, deadline: UInt64, near preferred: Int?,
            wasAccepted: Bool
        ) -> Entry {
            // It may have been cancelled before, or between two requests.
            guard case .outside = transfer.place.station else {
                if wasAccepted { countEnd() }
                return .gone
            }
            if stage != .open {
                let isAccepted = wasAccepted || !transfer.place.origin.isEmpty
                if !isAccepted || stage == .cutOff {
                    transfer.place.station = .gone
                    guard isAccepted else { return .refused }
                    countEnd()
                    return .cutOff
                }
            }
            transfer.place.origin = origin
            switch gate.enter(origin, transfer, priority: priority, near: preferred) {
            case .inside(let number):
                transfer.place.station = .inside(number)
                return .inside(number)
            case .waiting(let ticket):
                transfer.place.station = .waiting(ticket)
                guard deadline != .max else { return .waiting(isFirst: false) }
                transfer.deadline = deadline
                deadlines.insert(transfer)
                return .waiting(isFirst: deadlines.first === transfer)
            }
        }

        /// Gives the place of a transfer back.
        ///
        /// - Returns: The transfers that were admitted by this, and the number of the loop that the transfer was in.
        mutating func leave(_ transfer: LoopTransfer, isEnd: Bool) -> (admitted: [Admission], number: Int?) {
            guard case .inside(let number) = transfer.place.station else { return ([], nil) }
            transfer.place.station = isEnd ? .gone : .outside
            if isEnd { countEnd() }
            return (admit(gate.leave(transfer.place.origin, shard: number)), number)
        }

        /// Raises the limit of an origin that speaks HTTP/2.
        ///
        /// - Returns: The transfers that were admitted by this.
        mutating func widen(_ origin: String) -> [Admission] {
            admit(gate.widen(origin))
        }

        /// Lowers the limit of an origin again that turns out to speak HTTP/1.1.
        mutating func narrow(_ origin: String) {
            gate.narrow(origin)
        }

        /// Removes a transfer that is not in a loop.
        ///
        /// - Returns: The number of its loop if it is in one; that loop then has to be notified. And the origin for which it has waited.
        mutating func cancel(_ transfer: LoopTransfer) -> (number: Int?, withdrawn: String?) {
            if case .inside(let number) = transfer.place.station { return (number, nil) }
            return (nil, remove(transfer) && isObserved ? transfer.place.origin : nil)
        }

        /// Returns the number of the loop that a transfer is in, if it is in one.
        func loop(of transfer: LoopTransfer) -> Int? {
            if case .inside(let number) = transfer.place.station { number } else { nil }
        }

        /// Removes the transfers whose total deadline has passed.
        ///
        /// - Returns: These transfers, and the next deadline; `UInt64.max` without one.
        mutating func takeLate(_ now: UInt64) -> (late: [LoopTransfer], next: UInt64) {
            var late: [LoopTransfer] = []
            while let first = deadlines.first, first.deadline <= now {
                remove(first)
                late.append(first)
            }
            return (late, deadlines.first?.deadline ?? .max)
        }

        // MARK: Closing

        /// Refuses new transfers.
        mutating func beginClosing() {
            if stage == .open { stage = .draining }
        }

        /// Removes the waiting transfers, and refuses all transfers from now on, redirects included.
        mutating func cutOff() -> [LoopTransfer] {
            stage = .cutOff
            let waiting = gate.removeWaiting().compactMap { $0 as? LoopTransfer }
            for transfer in waiting {
                deadlines.remove(transfer)
                transfer.place.station = .gone
                countEnd()
            }
            return waiting
        }

        /// Whether no transfer is in a loop or waits.
        var isEmpty: Bool { gate.isEmpty }

        /// The number of waiting transfers, by origin.
        var waiting: [String: Int] { gate.waiting }

        private mutating func countEnd() {
            if stage != .open { ended += 1 }
        }

        /// - Returns: Whether the transfer has waited.
        @discardableResult
        private mutating func remove(_ transfer: LoopTransfer) -> Bool {
            defer { transfer.place.station = .gone }
            switch transfer.place.station {
            case .waiting(let ticket):
                gate.stopWaiting(transfer.place.origin, ticket: ticket)
                deadlines.remove(transfer)
                countEnd()
                return true
            case .outside:
                // Between two requests. If it has not entered yet, it counts when it does.
                if !transfer.place.origin.isEmpty { countEnd() }
                return false
            case .inside, .gone: return false
            }
        }

        private mutating func admit(_ admitted: [ObjectGate.Admission]) -> [Admission] {
            if admitted.isEmpty { return [] }
            return admitted.compactMap { next in
                guard let member = next.member as? LoopTransfer else { return nil }
                deadlines.remove(member)
                member.place.station = .inside(next.shard)
                return Admission(member: member, shard: next.shard)
            }
        }
    }
#endif
