import Endpoints
import NetworkCore

/// Stands between the engine and an observer: counts what was there already, and ends when the file is whole, not when the last byte has come.
final class DownloadProgress: Sendable {
    private struct State {
        var progress = TransferProgress()
        /// Where the current response's body begins; `nil` until its head has come.
        var offset: Int64?
        /// What came before that was known.
        var early: TransferProgress?
        var attempt = 0
        /// Whether a body has begun.
        var hasBegun = false
        var isFinished = false
    }

    /// One of the requests that it may take. What earlier ones still say is of no interest.
    private final class Attempt: TransferProgressObserver {
        let whole: DownloadProgress
        let number: Int

        init(_ whole: DownloadProgress, number: Int) {
            self.whole = whole
            self.number = number
        }

        func transferDidProgress(_ progress: TransferProgress) {
            whole.tell(progress, of: number)
        }
    }

    private let observer: any TransferProgressObserver
    private let begin = ContinuousClock.now
    private let state = Locked(State())

    /// `nil` when nobody listens.
    init?(_ observer: (any TransferProgressObserver)?) {
        guard let observer else { return nil }
        self.observer = observer
    }

    /// The observer of one more request.
    func beginAttempt() -> any TransferProgressObserver {
        Attempt(
            self,
            number: state.withLock { state in
                state.attempt += 1
                state.offset = nil
                state.early = nil
                return state.attempt
            })
    }

    /// The head has come.
    ///
    /// - Parameter total: How long the whole will be.
    func beginBody(at offset: Int64, of total: Int64?) {
        tell { state in
            state.offset = offset
            state.progress.bytesReceived = offset
            // What came in this call does not count.
            state.progress.bytesResumed = state.hasBegun ? min(state.progress.bytesResumed, offset) : offset
            state.hasBegun = true
            state.progress.totalBytesToReceive = total
            defer { state.early = nil }
            return state.early.map { state.progress.add($0, at: offset) } != nil
        }
    }

    /// Bytes are here: not told now, but in the last event at the latest.
    func note(received: Int64) {
        state.withLock { $0.progress.bytesReceived = received }
    }

    /// The file is whole.
    func complete(length: Int64) {
        state.withLock { state in
            state.progress.bytesReceived = length
            state.progress.totalBytesToReceive = length
        }
    }

    /// The last event. Returns when the observer has told it.
    func finish() async {
        tell { state in
            state.isFinished = true
            state.progress.isFinished = true
            return true
        }
        await Optional(observer).settled()
    }

    private func tell(_ progress: TransferProgress, of attempt: Int) {
        tell { state in
            // The transfer's end is not yet the end.
            guard attempt == state.attempt, !progress.isFinished else { return false }
            guard let offset = state.offset else {
                state.early = progress
                return false
            }
            state.progress.add(progress, at: offset)
            return true
        }
    }

    /// - Parameter change: Returns whether there is something to tell.
    private func tell(_ change: (inout State) -> Bool) {
        let told: TransferProgress? = state.withLock { state in
            guard !state.isFinished, change(&state) else { return nil }
            state.progress.elapsed = ContinuousClock.now - begin
            return state.progress
        }
        if let told { observer.transferDidProgress(told) }
    }
}

extension TransferProgress {
    /// - Parameter offset: Where the body begins that `part` tells of.
    fileprivate mutating func add(_ part: TransferProgress, at offset: Int64) {
        bytesSent = part.bytesSent
        totalBytesToSend = part.totalBytesToSend
        bytesReceived = max(bytesReceived, offset + part.bytesReceived)
        recentBytesPerSecond = part.recentBytesPerSecond
    }
}
