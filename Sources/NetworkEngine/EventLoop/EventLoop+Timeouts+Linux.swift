#if os(Linux)
    import NetworkSupport
    import NetworkTransport

    // Time limits: when they are checked, and what follows (``TimeLimits``).
    extension EventLoop {
        func schedule(_ transfer: LoopTransfer, at deadline: UInt64) {
            let deadline = min(deadline, min(transfer.timeLimits.total, transfer.tcpDeadline))
            guard deadline != transfer.deadline || transfer.heapIndex < 0 else { return }
            deadlines.remove(transfer)
            guard deadline != .max else { return }
            transfer.deadline = deadline
            deadlines.insert(transfer)
        }

        /// Ends transfers, connection attempts and idle connections whose deadlines have passed.
        func endLate() {
            while let transfer = deadlines.first, transfer.deadline <= now { check(transfer) }
            connector.endLate()
            http2.endLate()
            http3.endLate()
            upgrades.closeLate()
            closeLate()
        }

        private func check(_ transfer: LoopTransfer) {
            if transfer.tcpDeadline <= now, stopAwaitingHTTP3(transfer) { return }
            let action = transfer.timeLimits.action(at: now, for: activity(of: transfer))
            if action == .endTotal || action == .endIdle { transfer.carrier?.noteTimeout(of: transfer) }
            switch action {
            case .check(let time): schedule(transfer, at: time)
            case .endTotal:
                let error = transfer.lateness(transfer.timeLimits.totalLateness, phase: transfer.phase, now)
                end(transfer, .failure(error), keepsConnecting: true)
            case .endConnecting:
                end(transfer, .failure(transfer.lateness("the connect timeout ran out", phase: transfer.phase, now)))
            case .endIdle:
                end(transfer, .failure(transfer.lateness(transfer.idleLateness, phase: transfer.phase, now)))
            case .sendBody(let next):
                schedule(transfer, at: next)
                transfer.carrier?.stopAwaitingContinue()
            }
        }

        /// What the transfer is doing. The idle timeout does not run while it is paused on this side.
        private func activity(of transfer: LoopTransfer) -> TimeLimits.Activity {
            guard let carrier = transfer.carrier else { return .exchanging(since: transfer.lastActivity, isUnseen: false) }
            switch carrier.stage {
            case .awaitingVersion, .connecting: return .connecting
            case .awaitingStream: return .exchanging(since: now, isUnseen: false)
            case .awaitingContinue: return .awaitingContinue
            case .exchanging, .streaming: break
            }
            let unsent = carrier.unsentBytes(of: transfer)
            if transfer.isPaused { return .exchanging(since: now, isUnseen: unsent != nil) }
            if let unsent {
                if unsent < transfer.exchange.queuedAtLastCheck { transfer.lastActivity = now }
                transfer.exchange.queuedAtLastCheck = unsent
            }
            return .exchanging(since: carrier.lastActivity(of: transfer, at: now), isUnseen: unsent != nil)
        }
    }
#endif
