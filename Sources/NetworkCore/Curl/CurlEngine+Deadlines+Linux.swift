#if os(Linux)
    import CCurl
    import Endpoints

    // Time limits. libcurl's own are not relied on.
    extension CurlEngine {
        /// Has a transfer looked at again no later than at a time.
        func schedule(_ transfer: CurlTransfer, at deadline: UInt64) {
            let deadline = min(deadline, transfer.totalDeadline)
            guard deadline != transfer.deadline || transfer.heapIndex < 0 else { return }
            deadlines.remove(transfer)
            guard deadline != .max else { return }
            transfer.deadline = deadline
            deadlines.insert(transfer)
        }

        func endLate() {
            while let transfer = deadlines.first, transfer.deadline <= now {
                if transfer.totalDeadline <= now {
                    let error = transfer.lateness(transfer.totalLateness, phase: transfer.phase, now)
                    keepConnecting(transfer)
                    end(transfer, .failure(error))
                    continue
                }
                if isConnecting(transfer) {
                    guard transfer.connectDeadline <= now else {
                        schedule(transfer, at: transfer.connectDeadline)
                        continue
                    }
                    end(transfer, .failure(transfer.lateness("the connect timeout ran out", phase: transfer.phase, now)))
                    continue
                }
                if case .http1(let connection) = transfer.carrier, connection.sending.awaitsContinue {
                    schedule(transfer, at: now &+ transfer.idleNanoseconds)
                    stopAwaitingContinue(connection)
                    continue
                }
                let idleDeadline = lastActivity(of: transfer) &+ transfer.idleNanoseconds
                if idleDeadline <= now {
                    end(transfer, .failure(transfer.lateness(transfer.idleLateness, phase: transfer.phase, now)))
                } else {
                    schedule(transfer, at: idleDeadline)
                }
            }
            while let attempt = attempts.first, attempt.deadline <= now { giveUp(attempt) }
            while let idle = pool.first, idle.deadline <= now {
                pool.remove(idle)
                close(idle)
            }
        }

        private func isConnecting(_ transfer: CurlTransfer) -> Bool {
            switch transfer.carrier {
            case .connecting, .awaitingVersion: true
            case .none, .http1, .http2: false
            }
        }

        /// The clock stands still while it is our side that does not go on.
        private func lastActivity(of transfer: CurlTransfer) -> UInt64 {
            if transfer.isPaused { return now }
            guard case .http2(let easy) = transfer.carrier else { return transfer.lastActivity }
            // Until the connection is ready, the connect timeout watches over it.
            let ready = easy.microseconds(CCURLINFO_PRETRANSFER_TIME_T)
            if ready == 0 { return now }
            // What libcurl sends from its own copy moves no callback of ours.
            let uploaded = easy.offset(CCURLINFO_SIZE_UPLOAD_T)
            if uploaded != transfer.uploadedAtLastCheck {
                transfer.uploadedAtLastCheck = uploaded
                if transfer.isSending(uploaded: uploaded) { return now }
            }
            return max(transfer.lastActivity, transfer.launched &+ UInt64(ready) * 1000)
        }
    }
#endif
