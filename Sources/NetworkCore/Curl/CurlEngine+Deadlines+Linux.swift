#if os(Linux)
    import CCurl
    import Endpoints

    // Time limits that libcurl does not know, or not to the millisecond.
    extension CurlEngine {
        func schedule(_ transfer: CurlTransfer, at deadline: UInt64) {
            deadlines.remove(transfer)
            guard deadline != .max else { return }
            transfer.deadline = deadline
            deadlines.insert(transfer)
        }

        func endLate() {
            while let transfer = deadlines.first, transfer.deadline <= now {
                if transfer.totalDeadline <= now {
                    let phase = transfer.easy?.phase(of: transfer) ?? .queued
                    end(transfer, .failure(transfer.lateness("the total timeout ran out", phase: phase, now)))
                    continue
                }
                let idleDeadline = lastActivity(of: transfer) &+ transfer.idleNanoseconds
                if idleDeadline <= now {
                    let phase = transfer.easy?.phase(of: transfer)
                    end(transfer, .failure(transfer.lateness("no byte moved for the idle timeout", phase: phase, now)))
                } else {
                    schedule(transfer, at: min(transfer.totalDeadline, idleDeadline))
                }
            }
        }

        /// The clock stands still until the connection is ready, since the connect timeout watches over that, and while it is our side
        /// that does not go on.
        private func lastActivity(of transfer: CurlTransfer) -> UInt64 {
            guard let easy = transfer.easy, !transfer.isPaused else { return now }
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

    extension CurlTransfer {
        func lateness(_ what: String, phase: TransportError.Phase?, _ now: UInt64) -> TransportError {
            let milliseconds = (now - min(now, submitted)) / 1_000_000
            return TransportError(.timedOut, "\(what), \(milliseconds) ms after the call", phase: phase, request: request)
        }
    }
#endif
