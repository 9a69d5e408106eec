import Endpoints

/// Stands for an observer while interceptors may send a request more than once: the end of an attempt is not yet the end.
final class ProgressRelay: TransferProgressObserver, SettlingObserver {
    private struct State {
        var progress = TransferProgress()
        /// The newest; what earlier ones still say, such as that they were called off, is of no interest.
        var attempt = 0
        var isAttemptOver = false
        /// Whether no other attempt will follow.
        var isLastAttempt = false
        var isOver = false
    }

    /// One of the times the request is sent.
    private final class Attempt: TransferProgressObserver, SettlingObserver {
        let relay: ProgressRelay
        let number: Int

        init(_ relay: ProgressRelay, number: Int) {
            self.relay = relay
            self.number = number
        }

        func transferDidProgress(_ progress: TransferProgress) {
            relay.tell(progress, of: number)
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

    /// What an interceptor makes up itself.
    func transferDidProgress(_ progress: TransferProgress) {
        tell(progress, of: state.withLock(\.attempt))
    }

    /// The observer of one more attempt.
    func beginAttempt() -> any TransferProgressObserver {
        Attempt(
            self,
            number: state.withLock { state in
                state.attempt += 1
                state.isAttemptOver = false
                return state.attempt
            })
    }

    /// No attempt will follow: the end of this one is the end.
    func expectEnd() {
        tell { state in
            state.isLastAttempt = true
            return state.isAttemptOver
        }
    }

    /// Nothing will follow.
    func finish() {
        tell { _ in true }
    }

    func whenSettled(_ work: @escaping @Sendable () -> Void) {
        Optional(observer).whenSettled(work)
    }

    private func tell(_ progress: TransferProgress, of attempt: Int) {
        tell { state in
            guard attempt == state.attempt else { return nil }
            state.isAttemptOver = progress.isFinished
            state.progress = progress
            return progress.isFinished && state.isLastAttempt
        }
    }

    /// - Parameter change: Returns whether that was the end; `nil` when there is nothing to tell.
    private func tell(_ change: (inout State) -> Bool?) {
        let told: TransferProgress? = state.withLock { state in
            if state.isOver { return nil }
            guard let isOver = change(&state) else { return nil }
            state.isOver = isOver
            state.progress.isFinished = isOver
            return state.progress
        }
        if let told { observer.transferDidProgress(told) }
    }
}

extension NetworkRequest {
    /// The same request, told of through a relay if anybody listens.
    func relayed() -> (NetworkRequest, ProgressRelay?) {
        guard let progress else { return (self, nil) }
        let relay = ProgressRelay(progress)
        var request = self
        request.progress = relay
        return (request, relay)
    }

    /// The same request as one attempt of several.
    func asAttempt() -> NetworkRequest {
        guard let relay = progress as? ProgressRelay else { return self }
        var request = self
        request.progress = relay.beginAttempt()
        return request
    }
}
