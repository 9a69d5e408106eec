#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    // The life of a transfer in its engine, the same for each version of HTTP.
    extension EventLoop: TransferOwner {
        /// Starts a transfer, or its next redirect, that was admitted to this loop.
        func start(_ transfer: LoopTransfer) {
            transfers += 1
            wasUsed = true
            transfer.isHere = true
            transfer.deadline = .max
            if stage == .cutOff { session.cutOff(transfer, phase: .queued) }
            // It may have been cancelled before, even before there was an engine to notify.
            guard transfer.driver.isAwaited else { return end(transfer, nil) }
            transfer.queued &+= now - min(now, transfer.entered)
            transfer.launched = now
            transfer.timeLimits.connect =
                now &+ (transfer.request.timeouts.connect ?? context.configuration.connectTimeout).boundedNanoseconds
            transfer.lastActivity = now
            launch(transfer)
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
                return transfer.driver.end(.failure(error))
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
            // While the driver decides about a redirect, only the body of the request continues.
            transfer.isReceivePaused = transfer.exchange.undecided != nil
            transfer.carrier?.resume(transfer)
        }

        func finish(_ transfer: LoopTransfer) {
            if let next = transfer.exchange.next { return send(next, transfer) }
            end(transfer, .success(transfer.response(.data(transfer.body.take()), at: now)))
        }

        /// Follows the redirect whose head the transfer has delivered: drops its body, then sends the next request.
        func follow(_ transfer: LoopTransfer, _ next: NetworkRequest, cookies: String?) {
            guard transfer.isHere, transfer.exchange.undecided != nil else { return }
            transfer.exchange.undecided = nil
            transfer.exchange.next = next
            transfer.cookies = cookies
            resume(transfer)
        }

        /// Receives the body of the redirect whose head the transfer has delivered.
        func receiveBody(of transfer: LoopTransfer) {
            guard transfer.isHere, let content = transfer.exchange.undecided else { return }
            transfer.exchange.undecided = nil
            do throws(TransportError) {
                try transfer.beginContent(content, at: now)
            } catch {
                return end(transfer, .failure(error))
            }
            resume(transfer)
        }

        private func send(_ next: NetworkRequest, _ transfer: LoopTransfer) {
            if next.body == nil { transfer.upload.length = 0 }
            leave(transfer, isEnd: false)
            transfer.redirects += 1
            transfer.request = next
            transfer.sending = SendRule()
            transfer.versionRule = .any
            transfer.avoidsHTTP3 = false
            transfer.tcpDeadline = .max
            transfer.resetExchange()
            enterAnew(transfer)
        }

        func `repeat`(_ transfer: LoopTransfer) {
            transfer.sending.repeatOnFreshConnection()
            sendAnew(transfer)
        }

        func sendAnew(_ transfer: LoopTransfer) {
            leave(transfer, isEnd: false)
            transfer.resetExchange()
            enterAnew(transfer)
        }

        func end(_ transfer: LoopTransfer, _ outcome: CallDriver.Outcome?) {
            end(transfer, outcome, keepsConnecting: false)
        }

        /// Ends a transfer: removes it from the loop and delivers its outcome.
        ///
        /// - Parameters:
        ///   - outcome: `nil` when an outcome was already delivered.
        ///   - keepsConnecting: Whether an attempt to connect goes on, for later requests.
        func end(_ transfer: LoopTransfer, _ outcome: CallDriver.Outcome?, keepsConnecting: Bool) {
            let outcome = outcome?.mapError { error in
                var error = error
                error.timings = transfer.timings(now)
                return error
            }
            if keepsConnecting, transfer.carrier?.keepConnecting(without: transfer) == true { transfer.carrier = nil }
            leave(transfer, isEnd: true)
            guard let outcome else { return }
            if transfer.download == nil, case .success(let response) = outcome {
                responses.append((transfer.driver, response))
                if responses.count >= Self.maximumResponses { deliverResponses() }
            } else {
                transfer.driver.end(outcome)
            }
        }

        /// The number of responses that are delivered together. More would delay the first ones.
        private static let maximumResponses = 32

        /// Delivers the responses that were received completely. Several at a time, because each may wake a thread for the task that waits for it, which
        /// is a system call: a thread that is about to wake up for the first one finds the others too.
        func deliverResponses() {
            guard !responses.isEmpty else { return }
            for index in responses.indices { responses[index].driver.end(.success(responses[index].response)) }
            responses.removeAll(keepingCapacity: true)
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
