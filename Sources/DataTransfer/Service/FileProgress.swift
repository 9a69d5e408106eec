import Endpoints
import NetworkCore
import NetworkSupport

/// An adapter that converts the progress of requests to that of a whole file, which several of them transfer.
///
/// What is counted differs between downloads and uploads: ``Counting``. Progress of earlier requests is ignored, and the last event is sent by
/// ``finish()``, not at the end of a request.
package final class FileProgress<Counting: FileCounting>: Sendable {
    package struct State: Sendable {
        package var progress = TransferProgress()
        /// The number of the current request.
        package var request = 0
        package var counting = Counting()
        /// Whether a body has begun.
        package var hasBegun = false
    }

    /// The observer of one request.
    private final class Part: TransferProgressObserver {
        let file: FileProgress
        let number: Int

        init(_ file: FileProgress, number: Int) {
            self.file = file
            self.number = number
        }

        func transferDidProgress(_ progress: TransferProgress) {
            // The end of a request is not the end of the file.
            file.report { Counting.add(progress, of: number, to: &$0) }
        }
    }

    private let observer: any TransferProgressObserver
    private let begin = ContinuousClock.now
    private let state = Locked(State())

    /// Creates an adapter for an observer; `nil` if there is no observer.
    package init?(_ observer: (any TransferProgressObserver)?) {
        guard let observer else { return nil }
        self.observer = observer
    }

    /// Returns the observer for the next request.
    ///
    /// - Parameter change: Changes what is counted, without sending an event.
    package func beginRequest(_ change: (inout Counting) -> Void = { _ in }) -> any TransferProgressObserver {
        Part(
            self,
            number: state.withLock { state in
                state.request += 1
                change(&state.counting)
                return state.request
            })
    }

    /// Sends the last event. Returns when the observer has processed it.
    package func finish() async {
        report { state in
            state.progress.isFinished = true
            return true
        }
        await Optional(observer).settled()
    }

    /// Changes the state, and sends the resulting progress to the observer, unless the last event has been sent.
    ///
    /// - Parameter change: Returns whether an event is to be sent.
    package func report(_ change: (inout State) -> Bool) {
        let progress: TransferProgress? = state.withLock { state in
            guard !state.progress.isFinished, change(&state) else { return nil }
            state.progress.elapsed = ContinuousClock.now - begin
            return state.progress
        }
        if let progress { observer.transferDidProgress(progress) }
    }
}

/// What is counted during the transfer of a file.
package protocol FileCounting: Sendable {
    init()

    /// Adds the progress of a request to that of the file.
    ///
    /// - Returns: Whether an event is to be sent.
    static func add(_ part: TransferProgress, of request: Int, to state: inout FileProgress<Self>.State) -> Bool
}
