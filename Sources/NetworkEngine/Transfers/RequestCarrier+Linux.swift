#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport

    /// What carries the current request of a transfer in its event loop: a connection that is being made for it, or an exchange on one.
    ///
    /// Used only while the lock of the loop is held.
    protocol RequestCarrier: AnyObject {
        var stage: CarrierStage { get }
        /// The socket to poll for the response; `nil` unless the whole request was sent over HTTP/1.1 or HTTP/2.
        var awaitedSocket: (any SocketOwner)? { get }

        /// Returns the phase that the request has reached.
        func phase(of transfer: LoopTransfer) -> TransportError.Phase
        /// Returns the timings of the connection, and the number of bytes of the request's body that were sent.
        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64)
        /// Returns when a byte last moved, as far as the carrier alone has noticed.
        func lastActivity(of transfer: LoopTransfer, at now: UInt64) -> UInt64
        /// Returns the number of bytes of the request that the socket has taken and not yet sent; `nil` if none may be there, or if their
        /// number cannot be known.
        func unsentBytes(of transfer: LoopTransfer) -> Int?
        /// Continues sending and receiving after a pause.
        func resume(_ transfer: LoopTransfer)
        /// Continues on a connection that was made already, although no event has said so, such as within this machine.
        ///
        /// - Returns: Whether the request has continued.
        func continueAtOnce() -> Bool
        /// Sends the body without waiting for a 100 any longer (RFC 9110 §10.1.1).
        func stopAwaitingContinue()
        /// Separates a transfer that is about to end, if the connection is still being made and can serve a later request.
        ///
        /// - Returns: Whether the transfer was separated.
        func keepConnecting(without transfer: LoopTransfer) -> Bool
        /// Notes that a time limit of the transfer has ended, which abandons the exchange next.
        func noteTimeout(of transfer: LoopTransfer)
        /// Ends an exchange that is not finished, or the attempt to connect.
        func abandon(_ transfer: LoopTransfer)
    }

    /// What a ``RequestCarrier`` is doing, as far as time limits and counts are concerned.
    enum CarrierStage {
        /// Another transfer finds out which version of HTTP the origin speaks.
        case awaitingVersion
        /// A connection for HTTP/1.1, or for a version to be agreed on, is being made.
        case connecting
        /// There is a connection over HTTP/2, which takes no more requests at the moment.
        case awaitingStream
        /// An exchange whose body waits for a 100.
        case awaitingContinue
        /// An exchange over HTTP/1.1.
        case exchanging
        /// A stream of HTTP/2, whose connection may still have to be made.
        case streaming
    }

    extension RequestCarrier {
        var awaitedSocket: (any SocketOwner)? { nil }

        func lastActivity(of transfer: LoopTransfer, at now: UInt64) -> UInt64 { transfer.lastActivity }
        func unsentBytes(of transfer: LoopTransfer) -> Int? { nil }
        func resume(_ transfer: LoopTransfer) {}
        func continueAtOnce() -> Bool { false }
        func stopAwaitingContinue() {}
        func keepConnecting(without transfer: LoopTransfer) -> Bool { false }
        func noteTimeout(of transfer: LoopTransfer) {}
    }

    /// What the parts of an event loop that carry requests ask of the loop, which owns the transfers.
    protocol TransferOwner: AnyObject {
        /// Sends the current request of a transfer, or sends it again over another connection.
        func launch(_ transfer: LoopTransfer)
        /// Sets when a transfer is next checked for time limits: at `deadline`, or at its total deadline if that is earlier.
        func schedule(_ transfer: LoopTransfer, at deadline: UInt64)
        /// Completes a transfer whose response was received completely: follows a redirect, or delivers the response.
        func finish(_ transfer: LoopTransfer)
        /// Sends a request again, on a new connection, after the reused connection turned out to be closed.
        func `repeat`(_ transfer: LoopTransfer)
        /// Asks for admission again, to send the same request in another form.
        func sendAnew(_ transfer: LoopTransfer)
        /// Ends a transfer: removes it from the loop and delivers its outcome, if that was not delivered before.
        func end(_ transfer: LoopTransfer, _ outcome: CallDriver.Outcome?)
    }

    /// A part of an event loop that carries requests, and asks the loop to do the rest.
    protocol TransferCarrying: AnyObject {
        /// The event loop, which owns this part, and sets itself when it creates the part.
        var transferOwner: (any TransferOwner)? { get }
    }

    extension TransferCarrying {
        func launch(_ transfer: LoopTransfer) {
            transferOwner?.launch(transfer)
        }

        func schedule(_ transfer: LoopTransfer, at deadline: UInt64) {
            transferOwner?.schedule(transfer, at: deadline)
        }

        func finish(_ transfer: LoopTransfer) {
            transferOwner?.finish(transfer)
        }

        func `repeat`(_ transfer: LoopTransfer) {
            transferOwner?.repeat(transfer)
        }

        func sendAnew(_ transfer: LoopTransfer) {
            transferOwner?.sendAnew(transfer)
        }

        func end(_ transfer: LoopTransfer, _ outcome: CallDriver.Outcome?) {
            transferOwner?.end(transfer, outcome)
        }
    }

    /// What the parts of an event loop share. Used only while the lock of the loop is held.
    final class LoopContext {
        let session: SessionContext
        /// That of the session. Stored, because a computed property would copy it.
        let configuration: SessionConfiguration
        let sockets: EpollSet
        let workspace = Workspace()
        /// The time of the current step, in nanoseconds of the monotonic clock.
        var now: UInt64 = 0
        /// What is left of the current round of the loop.
        @exclusivity(unchecked) var turn = LoopTurn()
        /// Those that still have bytes to read after they reached the limit of one round.
        @exclusivity(unchecked) private var ready: [any SocketOwner] = []
        /// Whether a caller's thread holds the lock. It may poll for the response itself.
        var holdsBackWatching = false
        /// Those that the loop's thread has to watch again when the caller's thread is done.
        @exclusivity(unchecked) private var unwatched: [any SocketOwner] = []
        /// Receives events of connections; `nil` without an observer.
        var events: ConnectionEventHub?

        init(_ session: SessionContext, _ sockets: EpollSet) {
            self.session = session
            configuration = session.configuration
            self.sockets = sockets
        }

        /// Watches the socket of a connection that is about to be used.
        func watch(_ owner: any SocketOwner) {
            if owner.isWatched { return }
            if holdsBackWatching { unwatched.append(owner) } else { sockets.watch(owner, true) }
        }

        /// Stops watching a socket until ``watchAgain()``: the calling thread polls it.
        func stopWatching(_ owner: any SocketOwner) {
            sockets.watch(owner, false)
            unwatched.append(owner)
        }

        /// Resumes watching, on the loop's thread, the sockets that need it.
        func watchAgain() {
            guard !unwatched.isEmpty else { return }
            for owner in unwatched where owner.needsWatching && !owner.isWatched { sockets.watch(owner, true) }
            unwatched.removeAll(keepingCapacity: true)
        }

        /// Whether a connection has to be continued in the next round.
        var hasReady: Bool { !ready.isEmpty }

        /// Continues a connection in the next round of the loop, after the others.
        func yieldToOthers(_ owner: any SocketOwner) {
            if !owner.isReady { ready.append(owner) }
            owner.isReady = true
        }

        /// Continues the connections that were suspended so that others could proceed.
        func continueReady() {
            guard !ready.isEmpty else { return }
            let owners = ready
            ready.removeAll(keepingCapacity: true)
            for (index, owner) in owners.enumerated() {
                // Those that had no turn come first in the next one.
                guard turn.hasRoom else { return ready.insert(contentsOf: owners[index...], at: 0) }
                owner.isReady = false
                owner.socketIsReady(EpollSet.Readiness())
            }
        }
    }
#endif
