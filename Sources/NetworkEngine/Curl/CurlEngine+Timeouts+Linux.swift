#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    // Time limits. The engine enforces them itself; libcurl enforces only the connect timeout of HTTP/2.
    extension CurlEngine {
        /// Sets when a transfer is next checked for time limits: at `deadline`, or at its total deadline if that is earlier.
        func schedule(_ transfer: LoopTransfer, at deadline: UInt64) {
            let deadline = min(deadline, transfer.timeLimits.total)
            guard deadline != transfer.deadline || transfer.heapIndex < 0 else { return }
            deadlines.remove(transfer)
            guard deadline != .max else { return }
            transfer.deadline = deadline
            deadlines.insert(transfer)
        }

        /// Ends transfers, connection attempts and idle connections whose deadlines have passed.
        func endLate() {
            while let transfer = deadlines.first, transfer.deadline <= now {
                if transfer.timeLimits.total <= now {
                    let error = transfer.lateness(transfer.timeLimits.totalLateness, phase: transfer.phase, now)
                    keepConnecting(transfer)
                    end(transfer, .failure(error))
                    continue
                }
                if isConnecting(transfer) {
                    guard transfer.timeLimits.connect <= now else {
                        schedule(transfer, at: transfer.timeLimits.connect)
                        continue
                    }
                    end(transfer, .failure(transfer.lateness("the connect timeout ran out", phase: transfer.phase, now)))
                    continue
                }
                if case .http1(let connection) = transfer.carrier, connection.sending.awaitsContinue {
                    schedule(transfer, at: now &+ transfer.timeLimits.idleNanoseconds)
                    stopAwaitingContinue(connection)
                    continue
                }
                if transfer.fallbackAt <= now, case .http2(let easy) = transfer.carrier {
                    transfer.fallbackAt = .max
                    if !easy.isReady {
                        fallBack(transfer, easy, isOver: false)
                        continue
                    }
                }
                let idleDeadline = lastActivity(of: transfer) &+ transfer.timeLimits.idleNanoseconds
                if idleDeadline <= now {
                    end(transfer, .failure(transfer.lateness(transfer.idleLateness, phase: transfer.phase, now)))
                } else {
                    // What the socket has taken may move unnoticed: it is compared with what was there half the time before.
                    let next =
                        isInSendQueue(transfer) ? min(idleDeadline, now &+ transfer.timeLimits.idleNanoseconds / 2) : idleDeadline
                    schedule(transfer, at: min(next, transfer.fallbackAt))
                }
            }
            while let attempt = attempts.first, attempt.deadline <= now { giveUp(attempt) }
            closeLateUpgrades()
            while let idle = pool.first, idle.deadline <= now {
                pool.remove(idle)
                close(idle, .idleTimeout)
            }
        }

        private func isConnecting(_ transfer: LoopTransfer) -> Bool {
            switch transfer.carrier {
            case .connecting, .awaitingVersion: true
            case .none, .http1, .http2: false
            }
        }

        /// Whether a part of the request may be in the queue of the socket, where no event of this loop shows that it moves. Over HTTP/2, the
        /// queue is that of all streams; it counts for those that have nothing left to write.
        private func isInSendQueue(_ transfer: LoopTransfer) -> Bool {
            guard transfer.isLargeUpload, transfer.exchange.firstByte == 0 else { return false }
            switch transfer.carrier {
            case .http1: return true
            case .http2: return transfer.upload.isSent || transfer.upload.length == Int64(transfer.upload.offset)
            case .none, .awaitingVersion, .connecting: return false
            }
        }

        private func sendQueue(of transfer: LoopTransfer) -> Int? {
            switch transfer.carrier {
            case .http1(let connection): SendQueue.count(of: connection.descriptor)
            case .http2(let easy): SendQueue.count(of: ccurl_easy_get_socket(easy.pointer))
            case .none, .awaitingVersion, .connecting: nil
            }
        }

        /// When a byte last moved. The idle timeout does not run while the transfer is paused on this side.
        private func lastActivity(of transfer: LoopTransfer) -> UInt64 {
            if transfer.isPaused { return now }
            if isInSendQueue(transfer), let count = sendQueue(of: transfer) {
                if count < transfer.exchange.queuedAtLastCheck { transfer.lastActivity = now }
                transfer.exchange.queuedAtLastCheck = count
            }
            guard case .http2(let easy) = transfer.carrier else { return transfer.lastActivity }
            // Until the connection is ready, the connect timeout applies instead.
            let ready = easy.microseconds(CCURLINFO_PRETRANSFER_TIME_T)
            if ready == 0 { return now }
            // libcurl sends small bodies from its own copy, without calling back.
            let uploaded = easy.offset(CCURLINFO_SIZE_UPLOAD_T)
            if uploaded != transfer.exchange.uploadedAtLastCheck {
                transfer.exchange.uploadedAtLastCheck = uploaded
                if transfer.isSending(uploaded: uploaded) { return now }
            }
            return max(transfer.lastActivity, transfer.launched &+ UInt64(ready) * 1000)
        }
    }
#endif
