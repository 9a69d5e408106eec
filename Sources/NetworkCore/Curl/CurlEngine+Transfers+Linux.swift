#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    // From start to end of a transfer.
    extension CurlEngine {
        /// Begins a hop that has a place in this loop.
        func start(_ transfer: CurlTransfer) {
            transfers += 1
            wasUsed = true
            transfer.isHere = true
            // A cancellation may have come first, even before there was an engine to tell.
            guard !transfer.isAnswered else { return end(transfer, nil) }
            launch(transfer)
        }

        /// Those who got a place that one of ours has left.
        private func admit(_ next: [CurlTransfer]) {
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

        /// Hands a hop to libcurl.
        private func launch(_ transfer: CurlTransfer) {
            let connectTimeout = transfer.request.timeouts.connect ?? loop.configuration.connectTimeout
            guard let trust = transfer.trust, let easy = spares.take(for: trust) ?? makeHandle(trust),
                easy.configure(
                    transfer.request, bodyLength: transfer.bodyLength, connectTimeout: connectTimeout,
                    userAgent: loop.configuration.userAgent, onFreshConnection: transfer.sending.needsFreshConnection)
            else {
                return end(
                    transfer,
                    .failure(TransportError(.outOfResources, "no memory for the transfer", request: transfer.request)))
            }
            easy.setBuffer(isStreamed: transfer.download != nil)
            if transfer.download != nil { transfer.arrivals = arrivals }
            easy.transfer = transfer
            transfer.easy = easy
            transfer.queued &+= now - min(now, transfer.entered)
            transfer.launched = now
            transfer.sending.begin()
            transfer.lastActivity = now
            transfer.firstByte = 0
            let result = ccurl_multi_add(multi, easy.pointer)
            guard result == 0 else {
                let reason = String(cString: ccurl_multi_strerror(result))
                return end(transfer, .failure(TransportError(.other, reason, request: transfer.request, engineCode: Int(result))))
            }
            schedule(transfer, at: min(transfer.totalDeadline, now &+ transfer.idleNanoseconds))
        }

        func cancel(_ transfer: CurlTransfer) {
            // It may have ended meanwhile, or is still to be started.
            if transfer.isHere { end(transfer, nil) }
        }

        func finishDone() {
            var pointer: UnsafeMutableRawPointer?
            var code: CInt = 0
            while ccurl_multi_next_done(multi, &pointer, &code) != 0 {
                var context: UnsafeMutableRawPointer?
                guard let pointer, ccurl_easy_get_pointer(pointer, CInt(CCURLINFO_PRIVATE), &context) == 0, let context else {
                    continue
                }
                let easy = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
                if let transfer = easy.transfer { finish(transfer, easy, code) }
            }
        }

        private func finish(_ transfer: CurlTransfer, _ easy: EasyHandle, _ code: CInt) {
            if let failure = transfer.failure { return end(transfer, .failure(failure)) }
            guard code == CInt(CCURLE_OK) || easy.hasWholeResponse(code, transfer: transfer) else {
                if mayRepeat(transfer, easy, code) { return `repeat`(transfer) }
                return end(transfer, .failure(transfer.lostConnection(code) ?? easy.error(code, transfer: transfer)))
            }
            guard transfer.head.isComplete else {
                // libcurl takes a connection closed inside the head for the end of an empty body.
                return end(
                    transfer,
                    .failure(
                        TransportError(
                            .connectionLost, "the connection was closed inside the response head", phase: .receive,
                            request: transfer.request)))
            }
            multiplexedPorts.note(transfer.sending.port, isMultiplexed: easy.isMultiplexed)
            if easy.isMultiplexed { widen(transfer.origin) }
            let status = easy.statusCode
            if RedirectRules.isRedirect(status), loop.configuration.maximumRedirects > 0 {
                do throws(TransportError) {
                    let next = try redirectRules.next(
                        after: transfer.request, status: status, location: transfer.head.headers["Location"],
                        followed: transfer.redirects)
                    if let next { return follow(next, transfer) }
                } catch {
                    return end(transfer, .failure(error))
                }
            }
            end(transfer, .success(easy.response(status: status, transfer: transfer)))
        }

        /// A host that speaks HTTP/2 bears more requests at once, on the connections it has.
        private func widen(_ origin: String) {
            admit(loops.widen(origin, lane: loop.number))
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
            transfer.head.reset()
            transfer.body = Data()
            enterAnew(transfer)
        }

        /// Takes a transfer out of everything and answers it.
        ///
        /// - Parameter outcome: `nil` when it has been answered already.
        func end(_ transfer: CurlTransfer, _ outcome: CurlTransfer.Outcome?) {
            let outcome = outcome?.mapError { error in
                var error = error
                error.timings = transfer.easy?.timings(transfer: transfer) ?? transfer.timingsInLine(now)
                return error
            }
            leave(transfer, isEnd: true)
            if let outcome { transfer.end(outcome) }
        }

        /// Takes the current hop out of libcurl, the heap and this loop. An unfinished one has its socket closed.
        func leave(_ transfer: CurlTransfer, isEnd: Bool) {
            transfers -= 1
            transfer.isHere = false
            deadlines.remove(transfer)
            transfer.stopPump()
            transfer.isReceivePaused = false
            if let easy = transfer.easy {
                ccurl_multi_remove(multi, easy.pointer)
                easy.transfer = nil
                transfer.easy = nil
                if !transfer.sending.wasAskedAgain { spares.put(easy) }
            }
            let next = loops.leave(transfer, isEnd: isEnd)
            if !next.isEmpty { admit(next) }
        }
    }
#endif
