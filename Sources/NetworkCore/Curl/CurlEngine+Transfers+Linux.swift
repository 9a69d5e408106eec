#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    // From start to end of a transfer.
    extension CurlEngine {
        func start(_ transfer: CurlTransfer) {
            // A cancellation may have come first, even before there was a loop to tell.
            guard !transfer.isEnded, !transfer.isAnswered else { return }
            transfers += 1
            wasUsed = true
            let timeouts = transfer.request.timeouts
            if let total = timeouts.total ?? loop.configuration.totalTimeout {
                transfer.totalDeadline = transfer.submitted &+ total.boundedNanoseconds
            }
            transfer.idleNanoseconds = (timeouts.idle ?? loop.configuration.idleTimeout).boundedNanoseconds
            enter(transfer)
        }

        /// Begins a hop under the trust policy of its host, or makes it wait for a connection.
        func enter(_ transfer: CurlTransfer) {
            do throws(TransportError) {
                transfer.trust = try loop.trust.policy(for: transfer.request)
            } catch {
                return end(transfer, .failure(error))
            }
            transfer.ticket = gate.enter(transfer.origin, transfer)
            guard transfer.ticket == nil else { return schedule(transfer, at: transfer.totalDeadline) }
            launch(transfer)
        }

        /// Hands a hop that the gate let in to libcurl.
        private func launch(_ transfer: CurlTransfer) {
            transfer.isInside = true
            transfer.ticket = nil
            let connectTimeout = transfer.request.timeouts.connect ?? loop.configuration.connectTimeout
            guard let trust = transfer.trust, let easy = spares.take(for: trust) ?? makeHandle(trust),
                easy.configure(
                    transfer.request, connectTimeout: connectTimeout, userAgent: loop.configuration.userAgent,
                    onFreshConnection: transfer.sending.needsFreshConnection)
            else {
                return end(
                    transfer,
                    .failure(TransportError(.outOfResources, "no memory for the transfer", request: transfer.request)))
            }
            easy.transfer = transfer
            transfer.easy = easy
            transfer.queued &+= now - min(now, transfer.entered)
            transfer.launched = now
            transfer.sending.begin()
            transfer.lastActivity = now
            transfer.firstByte = 0
            transfer.bodyOffset = 0
            let result = ccurl_multi_add(multi, easy.pointer)
            guard result == 0 else {
                let reason = String(cString: ccurl_multi_strerror(result))
                return end(transfer, .failure(TransportError(.other, reason, request: transfer.request, engineCode: Int(result))))
            }
            schedule(transfer, at: min(transfer.totalDeadline, now &+ transfer.idleNanoseconds))
        }

        func cancel(_ transfer: CurlTransfer) {
            // It may never have been started, or have ended meanwhile.
            guard transfer.isInside || transfer.ticket != nil else {
                transfer.isEnded = true
                return
            }
            end(transfer, nil)
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
            guard code == CInt(CCURLE_OK) else {
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
            for next in gate.widen(origin, to: loop.configuration.maximumStreamsPerHost) {
                deadlines.remove(next)
                launch(next)
            }
        }

        private func follow(_ next: NetworkRequest, _ transfer: CurlTransfer) {
            leave(transfer)
            transfer.redirects += 1
            transfer.entered = now
            transfer.request = next
            transfer.origin = URLText(next.url).origin
            transfer.sending = SendRule()
            transfer.head.reset()
            transfer.body = Data()
            enter(transfer)
        }

        /// Takes a transfer out of everything and answers it.
        ///
        /// - Parameter outcome: `nil` when it has been answered already.
        func end(_ transfer: CurlTransfer, _ outcome: CurlTransfer.Outcome?) {
            leave(transfer)
            transfers -= 1
            transfer.isEnded = true
            if let outcome { transfer.end(outcome) }
        }

        /// Takes the current hop out of libcurl, the heap and the gate. An unfinished one has its socket closed.
        func leave(_ transfer: CurlTransfer) {
            deadlines.remove(transfer)
            if let easy = transfer.easy {
                ccurl_multi_remove(multi, easy.pointer)
                easy.transfer = nil
                transfer.easy = nil
                if !transfer.sending.wasAskedAgain { spares.put(easy) }
            }
            if let ticket = transfer.ticket {
                gate.stopWaiting(transfer.origin, ticket: ticket)
                transfer.ticket = nil
            }
            if transfer.isInside {
                transfer.isInside = false
                while let next = gate.leave(transfer.origin) {
                    deadlines.remove(next)
                    guard next.isAnswered else { return launch(next) }
                    // It was called off while it stood in line, and its place passes on.
                    next.isEnded = true
                    next.ticket = nil
                    transfers -= 1
                }
            }
        }
    }
#endif
