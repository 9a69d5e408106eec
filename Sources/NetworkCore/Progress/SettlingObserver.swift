import Endpoints

/// An observer that tells somebody else later, on another thread, and knows when it has told the last event: a call ends after that.
package protocol SettlingObserver: TransferProgressObserver {
    /// Runs `work` once, on some thread: as soon as the last event has been told, and at once where none is being told.
    func whenSettled(_ work: @escaping @Sendable () -> Void)
}

extension (any TransferProgressObserver)? {
    /// Runs `work` once the observer's last event, if it has come, has been told; at once for observers that hear it themselves.
    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        guard let observer = self as? any SettlingObserver else { return work() }
        observer.whenSettled(work)
    }

    /// Returns once the observer's last event, if it has come, has been told. A task that is cancelled waits for it, too.
    package func settled() async {
        guard let observer = self as? any SettlingObserver else { return }
        await withUnsafeContinuation { continuation in observer.whenSettled { continuation.resume() } }
    }
}
