import Endpoints

/// Forwards the progress of several attempts to one observer, so that the end of an attempt is not reported as the end of the
/// call.
final class ProgressRelay: TransferProgressObserver, SettlingObserver {
    private struct State {
        var progress = TransferProgress()
        /// The number of the newest attempt. Events of earlier attempts, such as their cancellation, are ignored.
        var attempt = 0
        var isAttemptOver = false
        /// Whether no further attempt follows.
        var isLastAttempt = false
        var isOver = false
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

    init(_ observer: any TransferProgressObserver) {
        self.observer = observer
    }

    /// Receives an update that an interceptor reports itself.
    func transferDidProgress(_ progress: TransferProgress) {
        report(progress, of: state.withLock(\.attempt))
    }

    /// Returns the observer of a further attempt.
    func beginAttempt() -> any TransferProgressObserver {
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

    /// Reports the end of the call.
    func finish() {
        report { _ in true }
    }

    func whenSettled(_ work: @escaping @Sendable () -> Void) {
        Optional(observer).whenSettled(work)
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
        let update: TransferProgress? = state.withLock { state in
            if state.isOver { return nil }
            guard let isOver = change(&state) else { return nil }
            state.isOver = isOver
            state.progress.isFinished = isOver
            return state.progress
        }
        if let update { observer.transferDidProgress(update) }
    }
}

extension NetworkRequest {
    /// Returns the request with a relay as its observer, and that relay; without a relay if there is no observer.
    func relayed() -> (NetworkRequest, ProgressRelay?) {
        guard let progress else { return (self, nil) }
        let relay = ProgressRelay(progress)
        var request = self
        request.progress = relay
        return (request, relay)
    }

    /// Returns the request with the observer of a further attempt.
    func asAttempt() -> NetworkRequest {
        guard let relay = progress as? ProgressRelay else { return self }
        var request = self
        request.progress = relay.beginAttempt()
        return request
    }
}
