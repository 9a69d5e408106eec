import Endpoints
import NetworkSupport

/// The progress of an attempt that runs beside another one. It is reported only from the time on at which the attempt takes the
/// place of the other.
package final class HeldProgress: TransferProgressObserver, SettlingObserver {
    private let observer: any TransferProgressObserver
    private let events = HeldEvents<TransferProgress>(keepsOnlyNewest: true)

    fileprivate init(_ observer: any TransferProgressObserver) {
        self.observer = observer
    }

    package func transferDidProgress(_ progress: TransferProgress) {
        events.send(progress)
    }

    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        Optional(observer).whenSettled(work)
    }

    /// Reports the progress from now on. That of the other attempt is ignored then. Called once.
    package func release() {
        let observer = (observer as? ProgressRelay)?.beginAttempt() ?? observer
        events.release { observer.transferDidProgress($0) }
    }
}

extension NetworkRequest {
    /// Keeps the progress of the request, which is sent beside another one for the same call.
    ///
    /// - Returns: The object that reports the progress later; `nil` if the request has no observer.
    package mutating func holdProgress() -> HeldProgress? {
        guard let progress else { return nil }
        let held = HeldProgress(progress)
        self.progress = held
        return held
    }
}
