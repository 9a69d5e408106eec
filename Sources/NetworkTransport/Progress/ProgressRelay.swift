import Endpoints
import NetworkSupport

extension NetworkRequest {
    /// Reports the end of a request that was never started, or that no engine sent, to its observer.
    package func reportEnd(_ result: Result<NetworkResponse, TransportError>? = nil) {
        guard let progress else { return }
        var last = TransferProgress(isFinished: true)
        if case .success(let response) = result {
            last.bytesSent = Int64(body?.data?.count ?? 0)
            last.totalBytesToSend = last.bytesSent
            last.bytesReceived = Int64(response.data.count)
            last.totalBytesToReceive = last.bytesReceived
        }
        progress.transferDidProgress(last)
    }
}

/// Forwards the progress of several attempts to one observer, so that the end of an attempt is not reported as the end of the
/// call. The observer is called by one thread at a time, in the order of the events, also if the engine reports the end of the attempt
/// while the service reports that of the call.
package final class ProgressRelay: TransferProgressObserver, SettlingObserver {
    private struct State {
        var progress = TransferProgress()
        /// The number of the newest attempt. Events of earlier attempts, such as their cancellation, are ignored.
        var attempt = 0
        var isAttemptOver = false
        /// Whether no further attempt follows.
        var isLastAttempt = false
        var isOver = false
        /// What is to be passed to the observer, in order. Of updates that follow each other, only the newest is kept.
        var waiting: [Event] = []
        /// Whether a thread passes on what is waiting.
        var isDelivering = false

        /// Adds an event, and returns whether the caller has to deliver it.
        mutating func add(_ event: Event) -> Bool {
            if case .update = event, case .update? = waiting.last { waiting.removeLast() }
            waiting.append(event)
            defer { isDelivering = true }
            return !isDelivering
        }

        /// Returns the next event to deliver; ends the delivery if there is no other one.
        mutating func next() -> Event? {
            isDelivering = !waiting.isEmpty
            return isDelivering ? waiting.removeFirst() : nil
        }
    }

    private enum Event {
        case update(TransferProgress)
        case settle(@Sendable () -> Void)
    }

    /// The observer of one attempt.
    private final class Attempt: TransferProgressObserver, SettlingObserver {
        let relay: ProgressRelay
        let number: Int

        init(_ relay: ProgressRelay, number: Int) {
            self.relay = relay
            self.number = number
        }

        func transferDidProgress(_ progress: TransferProgress) {
            relay.report(progress, of: number)
        }

        func whenSettled(_ work: @escaping @Sendable () -> Void) {
            relay.whenSettled(work)
        }
    }

    private let observer: any TransferProgressObserver
    private let state = Locked(State())

    package init(_ observer: any TransferProgressObserver) {
        self.observer = observer
    }

    /// Receives an update that an interceptor reports itself.
    package func transferDidProgress(_ progress: TransferProgress) {
        report(progress, of: state.withLock(\.attempt))
    }

    /// Returns the observer of a further attempt.
    package func beginAttempt() -> any TransferProgressObserver {
        Attempt(
            self,
            number: state.withLock { state in
                state.attempt += 1
                state.isAttemptOver = false
                return state.attempt
            })
    }

    /// Marks the current attempt as the last one: its end is the end of the call.
    func expectEnd() {
        report { state in
            state.isLastAttempt = true
            return state.isAttemptOver
        }
    }

    /// Reports the end of the call when the body of its response has ended, and returns when the observer has processed all events
    /// so far.
    package func end(with response: NetworkResponse) async {
        guard response.body.data == nil else { return await finish() }
        expectEnd()
        await Optional<any TransferProgressObserver>(self).settled()
    }

    /// Reports the end of the call, and returns when the observer has processed all events so far.
    package func finish() async {
        report { _ in true }
        await Optional<any TransferProgressObserver>(self).settled()
    }

    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.add(.settle(work)) }) { deliver() }
    }

    private func deliver() {
        while let event = state.withLock({ $0.next() }) {
            switch event {
            case .update(let progress): observer.transferDidProgress(progress)
            case .settle(let work): Optional(observer).whenSettled(work)
            }
        }
    }

    private func report(_ progress: TransferProgress, of attempt: Int) {
        report { state in
            guard attempt == state.attempt else { return nil }
            state.isAttemptOver = progress.isFinished
            state.progress = progress
            return progress.isFinished && state.isLastAttempt
        }
    }

    /// - Parameter change: Returns whether the call has ended; `nil` if there is nothing to report.
    private func report(_ change: (inout State) -> Bool?) {
        let delivers = state.withLock { state in
            guard !state.isOver, let isOver = change(&state) else { return false }
            state.isOver = isOver
            state.progress.isFinished = isOver
            return state.add(.update(state.progress))
        }
        if delivers { deliver() }
    }
}

extension NetworkRequest {
    /// Returns the request with a relay as its observer, and that relay; without a relay if there is no observer.
    package func relayed() -> (NetworkRequest, ProgressRelay?) {
        guard let progress else { return (self, nil) }
        let relay = ProgressRelay(progress)
        var request = self
        request.progress = relay
        return (request, relay)
    }

    /// Returns the request with the observer of a further attempt.
    mutating func beginProgressOfAttempt() {
        if let relay = progress as? ProgressRelay { progress = relay.beginAttempt() }
    }
}
