#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    // From start to end of a transfer, whatever carries it.
    extension CurlEngine {
        /// Begins a hop that has a place in this loop.
        func start(_ transfer: CurlTransfer) {
            transfers += 1
            wasUsed = true
            transfer.isHere = true
            transfer.deadline = .max
            // A cancellation may have come first, even before there was an engine to tell.
            guard !transfer.isAnswered else { return end(transfer, nil) }
            transfer.queued &+= now - min(now, transfer.entered)
            transfer.launched = now
            transfer.connectDeadline =
                now &+ (transfer.request.timeouts.connect ?? loop.configuration.connectTimeout).boundedNanoseconds
            transfer.sending.begin()
            transfer.lastActivity = now
            launch(transfer)
        }

        /// Gives a hop what carries it: a connection, a stream, or whoever finds out which it has to be.
        func launch(_ transfer: CurlTransfer) {
            transfer.carrier = .none
            guard let trust = transfer.trust else { return }
            guard transfer.origin.hasPrefix("https:") else { return launchHTTP1(transfer, trust) }
            guard LibraryQuirks.current.speaksHTTP2, transfer.versionRule != .http1 else { return launchHTTP1(transfer, trust) }
            switch version(of: transfer) {
            case .known(.http1): launchHTTP1(transfer, trust)
            case .known(.http2): if avoidsHTTP2(transfer) { launchHTTP1(transfer, trust) } else { launchHTTP2(transfer, trust) }
            case .findOut: connect(transfer, trust, offersHTTP2: true)
            case .wait:
                transfer.carrier = .awaitingVersion
                awaitingVersion[transfer.origin, default: []].append(transfer)
                schedule(transfer, at: transfer.connectDeadline)
            }
        }

        private func avoidsHTTP2(_ transfer: CurlTransfer) -> Bool {
            guard transfer.versionRule == .any else { return false }
            // nghttp2 sends no header block of more than 64 KiB (NGHTTP2_MAX_HEADERSLEN).
            if transfer.request.headers.fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) > 60_000 {
                return true
            }
            let quirks = LibraryQuirks.current
            if quirks.losesEarlyResponses, transfer.isLargeUpload { return true }
            return quirks.keepsEndedTunnels && (try? streamRoute(for: transfer))?.proxy.server?.takesAbsoluteForm == true
        }

        /// Those who got a place that one of ours has left.
        func admit(_ next: [CurlTransfer]) {
            let isAdmitting = !admitted.isEmpty
            admitted += next
            // Each may leave at once, and so let another in: not one inside the other.
            if isAdmitting { return }
            var index = 0
            while index < admitted.count {
                start(admitted[index])
                index += 1
            }
            admitted.removeAll(keepingCapacity: admitted.count < 1000)
        }

        /// Gets a place for another hop, under the trust policy of its host.
        func enterAnew(_ transfer: CurlTransfer) {
            transfer.entered = now
            do throws(TransportError) {
                transfer.trust = try loops.trust.policy(for: transfer.request)
            } catch {
                loops.drop(transfer)
                return transfer.end(.failure(error))
            }
            enter(transfer)
        }

        /// Gets a place, or waits for one.
        func enter(_ transfer: CurlTransfer) {
            guard let lane = loops.enter(transfer, near: loop.number) else { return }
            if lane == loop.number { start(transfer) } else { loops.handOver(transfer, lane) }
        }

        func cancel(_ transfer: CurlTransfer) {
            // It may have ended meanwhile, or is still to be started.
            guard transfer.isHere else { return }
            keepConnecting(transfer)
            end(transfer, nil)
        }

        /// Goes on in both directions; what still cannot go on pauses anew.
        func resume(_ transfer: CurlTransfer) {
            guard transfer.isPaused else { return }
            transfer.lastActivity = now
            transfer.isSendPaused = false
            transfer.isReceivePaused = false
            switch transfer.carrier {
            case .http1(let connection): advance(connection)
            case .http2(let easy): resume(transfer, easy)
            case .none, .awaitingVersion, .connecting: break
            }
        }

        /// The response has come whole: follows it where it leads elsewhere, else answers with it.
        func finish(_ transfer: CurlTransfer) {
            if RedirectRules.isRedirect(transfer.status), loop.configuration.maximumRedirects > 0 {
                do throws(TransportError) {
                    let next = try redirectRules.next(
                        after: transfer.request, status: transfer.status,
                        locations: transfer.head.headers.values(for: "Location"),
                        followed: transfer.redirects)
                    if let next { return follow(next, transfer) }
                } catch {
                    return end(transfer, .failure(error))
                }
            }
            let response = RawResponse(
                status: transfer.status, head: transfer.head, body: transfer.body, url: transfer.request.url,
                timings: transfer.timings(now))
            end(transfer, .success(response))
        }

        private func follow(_ next: NetworkRequest, _ transfer: CurlTransfer) {
            if next.body == nil {
                transfer.bodyLength = 0
            } else if !transfer.canSendBodyAgain {
                return end(transfer, .failure(.bodyNotReplayable(for: next)))
            }
            leave(transfer, isEnd: false)
            transfer.redirects += 1
            transfer.request = next
            transfer.origin = next.origin
            transfer.sending = SendRule()
            transfer.versionRule = .any
            transfer.resetResponse()
            enterAnew(transfer)
        }

        /// Sends a request whose kept connection turned out to be closed once more, on a fresh one.
        func `repeat`(_ transfer: CurlTransfer) {
            transfer.sending.repeatOnFreshConnection()
            leave(transfer, isEnd: false)
            transfer.resetResponse()
            enterAnew(transfer)
        }

        /// Takes a transfer out of everything and answers it.
        ///
        /// - Parameter outcome: `nil` when it has been answered already.
        func end(_ transfer: CurlTransfer, _ outcome: CurlTransfer.Outcome?) {
            let outcome = outcome?.mapError { error in
                var error = error
                error.timings = transfer.timings(now)
                return error
            }
            leave(transfer, isEnd: true)
            if let outcome { transfer.end(outcome) }
        }

        /// Takes the current hop out of what carries it, the heap and this loop. An unfinished one has its connection closed.
        func leave(_ transfer: CurlTransfer, isEnd: Bool) {
            transfers -= 1
            transfer.isHere = false
            deadlines.remove(transfer)
            transfer.stopPump()
            transfer.isReceivePaused = false
            let carrier = transfer.carrier
            transfer.carrier = .none
            switch carrier {
            case .none: break
            case .awaitingVersion: awaitingVersion[transfer.origin]?.removeAll { $0 === transfer }
            case .connecting(let handle): giveUp(handle)
            case .http1(let connection):
                connection.transfer = nil
                close(connection)
            case .http2(let easy): release(easy)
            }
            let next = loops.leave(transfer, isEnd: isEnd)
            if !next.isEmpty { admit(next) }
        }
    }

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
