import Endpoints
import NetworkCore
import NetworkSupport

/// An adapter that converts the progress of transfers to that of the whole file.
///
/// It adds the bytes of earlier downloads, and sends the last event when the file is complete, not when the last byte has been received.
final class DownloadProgress: Sendable {
    private struct State {
        var progress = TransferProgress()
        /// The position in the file at which the current response's body begins; `nil` until its head has been received.
        var offset: Int64?
        /// The latest progress that was received before `offset` was known.
        var early: TransferProgress?
        var attempt = 0
        /// The rates of the requests that load ranges at the same time, by their numbers; `nil` while one request loads the file.
        var rates: [Int: Double]?
        /// Whether a body has begun.
        var hasBegun = false
        var isFinished = false
    }

    /// The observer of one request of the download. Progress of earlier requests is ignored.
    private final class Attempt: TransferProgressObserver {
        let download: DownloadProgress
        let number: Int

        init(_ download: DownloadProgress, number: Int) {
            self.download = download
            self.number = number
        }

        func transferDidProgress(_ progress: TransferProgress) {
            download.report(progress, of: number)
        }
    }

    private let observer: any TransferProgressObserver
    private let begin = ContinuousClock.now
    private let state = Locked(State())

    /// Creates an adapter for an observer; `nil` if there is no observer.
    init?(_ observer: (any TransferProgressObserver)?) {
        guard let observer else { return nil }
        self.observer = observer
    }

    /// Returns the observer for the next request of the download.
    func beginAttempt() -> any TransferProgressObserver {
        Attempt(
            self,
            number: state.withLock { state in
                state.attempt += 1
                state.offset = nil
                state.early = nil
                state.rates = nil
                return state.attempt
            })
    }

    /// Starts counting ranges that are loaded at the same time. Their bytes are those that ``note(received:)`` records.
    ///
    /// - Parameters:
    ///   - received: The number of bytes of the file that have been received.
    ///   - total: The length of the complete file.
    func beginRanges(at received: Int64, of total: Int64) {
        beginBody(at: received, of: total)
        state.withLock { $0.rates = [:] }
    }

    /// Returns the observer for a request of a range, after ``beginRanges(at:of:)``.
    func beginRange() -> any TransferProgressObserver {
        Attempt(
            self,
            number: state.withLock { state in
                state.attempt += 1
                return state.attempt
            })
    }

    /// Starts counting the body of a response whose head has been received.
    ///
    /// - Parameters:
    ///   - offset: The position in the file at which the body begins.
    ///   - total: The length of the complete file, if it is known.
    func beginBody(at offset: Int64, of total: Int64?) {
        report { state in
            state.offset = offset
            state.progress.bytesReceived = offset
            // Bytes that were received in the same call do not count as resumed.
            state.progress.bytesResumed = state.hasBegun ? min(state.progress.bytesResumed, offset) : offset
            state.hasBegun = true
            state.progress.totalBytesToReceive = total
            defer { state.early = nil }
            return state.early.map { state.progress.add($0, at: offset) } != nil
        }
    }

    /// Records the number of bytes in the file without sending an event. The last event contains it at the latest.
    func note(received: Int64) {
        state.withLock { $0.progress.bytesReceived = received }
    }

    /// Records that the file is complete, without sending an event.
    func complete(length: Int64) {
        state.withLock { state in
            state.progress.bytesReceived = length
            state.progress.totalBytesToReceive = length
        }
    }

    /// Sends the last event. Returns when the observer has processed it.
    func finish() async {
        report { state in
            state.isFinished = true
            state.progress.isFinished = true
            return true
        }
        await Optional(observer).settled()
    }

    private func report(_ progress: TransferProgress, of attempt: Int) {
        report { state in
            if state.rates != nil {
                state.rates?[attempt] = progress.isFinished ? nil : progress.recentBytesPerSecond
                state.progress.recentBytesPerSecond = state.rates?.values.reduce(0, +) ?? 0
                return !progress.isFinished
            }
            // The end of a transfer is not the end of the download.
            guard attempt == state.attempt, !progress.isFinished else { return false }
            guard let offset = state.offset else {
                state.early = progress
                return false
            }
            state.progress.add(progress, at: offset)
            return true
        }
    }

    /// Changes the state, and sends the resulting progress to the observer.
    ///
    /// - Parameter change: Returns whether an event is to be sent.
    private func report(_ change: (inout State) -> Bool) {
        let progress: TransferProgress? = state.withLock { state in
            guard !state.isFinished, change(&state) else { return nil }
            state.progress.elapsed = ContinuousClock.now - begin
            return state.progress
        }
        if let progress { observer.transferDidProgress(progress) }
    }
}

extension TransferProgress {
    /// Adds the progress of a transfer to that of the file.
    ///
    /// - Parameter offset: The position in the file at which the body of the transfer begins.
    fileprivate mutating func add(_ part: TransferProgress, at offset: Int64) {
        bytesSent = part.bytesSent
        totalBytesToSend = part.totalBytesToSend
        bytesReceived = max(bytesReceived, offset + part.bytesReceived)
        recentBytesPerSecond = part.recentBytesPerSecond
    }
}
