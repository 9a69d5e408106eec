import Endpoints

/// Stands for an observer while interceptors may send a request more than once: the end of an attempt is not yet the end.
final class ProgressRelay: TransferProgressObserver {
    private struct State {
        var progress = TransferProgress()
        /// Whether the attempt that was heard of last has ended.
        var isAttemptOver = false
        /// Whether no other attempt will follow.
        var isLastAttempt = false
        var isOver = false
    }

    private let observer: any TransferProgressObserver
    private let state = Locked(State())

    init(_ observer: any TransferProgressObserver) {
        self.observer = observer
    }

    func transferDidProgress(_ progress: TransferProgress) {
        tell { state in
            state.isAttemptOver = progress.isFinished
            state.progress = progress
            return progress.isFinished && state.isLastAttempt
        }
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

    /// - Parameter change: Returns whether that was the end.
    private func tell(_ change: (inout State) -> Bool) {
        let told: TransferProgress? = state.withLock { state in
            if state.isOver { return nil }
            state.isOver = change(&state)
            state.progress.isFinished = state.isOver
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
}
