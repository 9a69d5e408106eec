#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    // The life of a transfer in its engine, the same for both versions of HTTP.
    extension EventLoop: TransferOwner {
        /// Starts a transfer, or its next redirect, that was admitted to this loop.
        func start(_ transfer: LoopTransfer) {
            transfers += 1
            wasUsed = true
            transfer.isHere = true
            transfer.deadline = .max
            if stage == .cutOff { session.cutOff(transfer, phase: .queued) }
            // It may have been cancelled before, even before there was an engine to notify.
            guard !transfer.isDelivered else { return end(transfer, nil) }
            transfer.queued &+= now - min(now, transfer.entered)
            transfer.launched = now
            transfer.timeLimits.connect =
                now &+ (transfer.request.timeouts.connect ?? context.configuration.connectTimeout).boundedNanoseconds
            transfer.sending.begin()
            transfer.lastActivity = now
            launch(transfer)
        }

        // Over an HTTP/1.1 connection or an HTTP/2 stream; before, it may have to find out which version of HTTP the origin speaks.
        func launch(_ transfer: LoopTransfer) {
            transfer.carrier = nil
            transfer.timeLimits.fallback = .max
            guard let trust = transfer.trust else { return }
            if transfer.request.requestsUpgrade {
                // Over HTTP/2 there is no Upgrade (RFC 9113 §8.6), and libcurl has no extended CONNECT (RFC 8441).
                if transfer.versionRule == .http2 {
                    let error = TransportError(
                        .unsupported, "Upgrade: the server speaks HTTP/2 only", phase: .tls, request: transfer.request)
                    return end(transfer, .failure(error))
                }
                transfer.versionRule = .http1
                return launchHTTP1(transfer, trust)
            }
            let hasTrailers = transfer.request.body?.trailers != nil
            if transfer.versionRule == .http2, hasTrailers {
                let error = transfer.request.trailersUnsupported("the server speaks HTTP/2 only, over which libcurl sends none")
                return end(transfer, .failure(error))
            }
            switch transfer.allowedVersions {
            case .http1: return launchHTTP1(transfer, trust)
            case .http2:
                let isShared = transfer.request.parsedURL.isSecure || LibraryQuirks.current.sharesPlainConnections
                return streams.launch(transfer, trust, sharesConnections: isShared)
            case .http3: return streams.launch(transfer, trust, version: .http3(port: nil))
            case .http3Preferred, .http3Advertised: if !hasTrailers, streams.launchAlternative(transfer, trust) { return }
            case .automatic: break
            }
            guard transfer.request.parsedURL.isSecure else { return launchHTTP1(transfer, trust) }
            guard LibraryQuirks.current.speaksHTTP2, transfer.versionRule != .http1 else { return launchHTTP1(transfer, trust) }
            switch versions.lookUp(transfer.origin) {
            case .known(.http1): launchHTTP1(transfer, trust)
            case .known(.http2):
                if avoidsHTTP2(transfer) { launchHTTP1(transfer, trust) } else { streams.launch(transfer, trust) }
            case .findOut: connect(transfer, trust, offersHTTP2: true)
            case .wait:
                versions.wait(transfer)
                schedule(transfer, at: transfer.timeLimits.connect)
            }
        }

        private func avoidsHTTP2(_ transfer: LoopTransfer) -> Bool {
            guard transfer.versionRule == .any else { return false }
            // libcurl sends no trailers over HTTP/2.
            if transfer.request.body?.trailers != nil { return true }
            let quirks = LibraryQuirks.current
            if transfer.request.headerBytes > quirks.maximumHeaderBytesOfHTTP2 { return true }
            if quirks.losesEarlyResponses, transfer.isLargeUpload { return true }
            return quirks.keepsEndedTunnels && (try? streams.route(for: transfer))?.proxy.server?.takesAbsoluteForm == true
        }

        /// Launches the transfers that wait for the version of an origin: it is known, or has to be found out by one of them.
        func launchWaiting(for origin: String) {
            // A launched transfer may have to wait again.
            for transfer in versions.takeWaiting(for: origin) where transfer.isHere { launch(transfer) }
        }

        /// Starts transfers that were admitted because others have left.
        func admit(_ next: [LoopTransfer]) {
            let isAdmitting = !admitted.isEmpty
            admitted += next
            // Each may end at once and so admit another: they are started one after the other, without recursion.
            if isAdmitting { return }
            var index = 0
            while index < admitted.count {
                start(admitted[index])
                index += 1
            }
            admitted.removeAll(keepingCapacity: admitted.count < 1000)
        }

        /// Requests admission for a redirect or a repetition, under the trust policy of its host.
        private func enterAnew(_ transfer: LoopTransfer) {
            transfer.entered = now
            do throws(TransportError) {
                try session.context.applyPolicies(to: transfer)
            } catch {
                session.drop(transfer)
                var error = error
                error.timings = transfer.timings(now)
                return transfer.end(.failure(error))
            }
            enter(transfer)
        }

        /// Requests admission; starts the transfer here or in another loop if it is admitted, else it waits in the queue.
        ///
        /// - Parameter wasAccepted: Whether it was in the inbox, in which only accepted transfers are.
        func enter(_ transfer: LoopTransfer, wasAccepted: Bool = false) {
            guard let number = session.enter(transfer, near: inbox.number, wasAccepted: wasAccepted) else { return }
            if number == inbox.number { start(transfer) } else { session.handOver(transfer, number) }
        }

        /// Ends a cancelled transfer; its connection attempt continues for later requests.
        func cancel(_ transfer: LoopTransfer) {
            // It may have ended already, or not have been started yet.
            guard transfer.isHere else { return }
            end(transfer, nil, keepsConnecting: true)
        }

        /// Continues sending and receiving after a pause. A direction that still has to wait is paused again.
        func resume(_ transfer: LoopTransfer) {
            guard transfer.isPaused else { return }
            transfer.lastActivity = now
            transfer.upload.isPaused = false
            transfer.isReceivePaused = false
            transfer.carrier?.resume(transfer)
        }

        func finish(_ transfer: LoopTransfer) {
            switch transfer.exchange.redirect {
            case .success(let next): return follow(next, transfer)
            case .failure(let error): return end(transfer, .failure(error))
            case nil: break
            }
            let response = RawResponse(
                status: transfer.exchange.status, head: transfer.exchange.head,
                body: PaddedBytes(padding: &transfer.exchange.body),
                lazyURL: transfer.request.lazyURL,
                timings: transfer.timings(now))
            end(transfer, .success(response))
        }

        private func follow(_ next: NetworkRequest, _ transfer: LoopTransfer) {
            if next.body == nil {
                transfer.upload.length = 0
            } else if !transfer.canSendBodyAgain {
                return end(transfer, .failure(.bodyNotReplayable(for: next)))
            }
            leave(transfer, isEnd: false)
            next.attemptObserver?.attemptWasRedirected(to: next)
            transfer.redirects.append(transfer.request)
            transfer.request = next
            transfer.sending = SendRule()
            transfer.versionRule = .any
            transfer.hasFallenBack = false
            transfer.exchange = TransferExchange()
            enterAnew(transfer)
        }

        func `repeat`(_ transfer: LoopTransfer) {
            transfer.sending.repeatOnFreshConnection()
            sendAnew(transfer)
        }

        func sendAnew(_ transfer: LoopTransfer) {
            leave(transfer, isEnd: false)
            transfer.exchange = TransferExchange()
            enterAnew(transfer)
        }

        func end(_ transfer: LoopTransfer, _ outcome: Transfer.Outcome?) {
            end(transfer, outcome, keepsConnecting: false)
        }

        /// Ends a transfer: removes it from the loop and delivers its outcome.
        ///
        /// - Parameters:
        ///   - outcome: `nil` when an outcome was already delivered.
        ///   - keepsConnecting: Whether an attempt to connect goes on, for later requests.
        func end(_ transfer: LoopTransfer, _ outcome: Transfer.Outcome?, keepsConnecting: Bool) {
            let outcome = outcome?.mapError { error in
                var error = error
                error.timings = transfer.timings(now)
                return error
            }
            if keepsConnecting, transfer.carrier?.keepConnecting(without: transfer) == true { transfer.carrier = nil }
            leave(transfer, isEnd: true)
            if let outcome { transfer.end(outcome) }
        }

        /// Removes a transfer from its carrier, the heap of deadlines and this loop. If it has not finished, its connection is closed.
        private func leave(_ transfer: LoopTransfer, isEnd: Bool) {
            transfers -= 1
            transfer.isHere = false
            deadlines.remove(transfer)
            transfer.stopBodyWriter()
            transfer.isReceivePaused = false
            let carrier = transfer.carrier
            transfer.carrier = nil
            carrier?.abandon(transfer)
            let next = session.leave(transfer, isEnd: isEnd)
            if !next.isEmpty { admit(next) }
        }
    }
#endif
