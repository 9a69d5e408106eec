import Endpoints
import NetworkCore
import NetworkSupport

/// An adapter that converts the progress of requests to that of the whole file, which never decreases.
final class UploadProgress: Sendable {
    private struct State {
        var progress = TransferProgress()
        /// The position in the file at which the body of the current request begins.
        var offset: Int64 = 0
        var request = 0
        var hasBegun = false
        var isFinished = false
    }

    /// The observer of one request. Progress of earlier requests is ignored.
    private final class Part: TransferProgressObserver {
        let upload: UploadProgress
        let number: Int

        init(_ upload: UploadProgress, number: Int) {
            self.upload = upload
            self.number = number
        }

        func transferDidProgress(_ progress: TransferProgress) {
            upload.report(progress, of: number)
        }
    }

    private let observer: any TransferProgressObserver
    private let begin = ContinuousClock.now
    private let state: Locked<State>

    /// Creates an adapter for an observer; `nil` if there is no observer.
    init?(_ observer: (any TransferProgressObserver)?) {
        guard let observer else { return nil }
        self.observer = observer
        state = Locked(State())
    }

    /// Returns the observer of a request that sends bytes from a position on.
    func part(from offset: Int64) -> any TransferProgressObserver {
        Part(
            self,
            number: state.withLock { state in
                state.request += 1
                state.offset = offset
                return state.request
            })
    }

    /// Reports the position up to which the server has the file.
    func reached(_ offset: Int64, of length: Int64) {
        report { state in
            state.progress.totalBytesToSend = length
            if !state.hasBegun { state.progress.bytesResumed = offset }
            state.hasBegun = true
            state.progress.bytesSent = max(state.progress.bytesSent, offset)
            return true
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

    private func report(_ part: TransferProgress, of request: Int) {
        report { state in
            // The end of a request is not the end of the upload.
            guard request == state.request, !part.isFinished else { return false }
            let total = state.progress.totalBytesToSend ?? .max
            let sent = min(state.offset + part.bytesSent.clamped(to: 0...UploadRecord.maximumLength), total)
            guard sent > state.progress.bytesSent else { return false }
            state.progress.bytesSent = sent
            state.progress.recentBytesPerSecond = part.recentBytesPerSecond
            return true
        }
    }

    /// Changes the state, and sends the resulting progress to the observer.
    ///
    /// - Parameter change: Returns whether an event is to be sent.
    private func report(_ change: (inout State) -> Bool) {
        let progress: TransferProgress? = state.withLock { state in
            let wasFinished = state.isFinished
            guard !wasFinished, change(&state) else { return nil }
            state.progress.elapsed = ContinuousClock.now - begin
            return state.progress
        }
        if let progress { observer.transferDidProgress(progress) }
    }
}
