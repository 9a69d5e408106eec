import Endpoints
import Foundation

/// Drives a Foundation `Progress`, for a view that shows one or a tree of them, and for the cancellation that comes from there.
///
/// ```swift
/// let observer = FoundationProgress()
/// let handle = service.upload(.file(movie), to: endpoint, progress: observer) { result in … }
/// observer.onCancel { handle.cancel() }
/// parent.addChild(observer.progress, withPendingUnitCount: 1)
/// ```
///
/// Its units are bytes, sent and received together; `totalUnitCount` is -1 while it is not known how many there will be. A transfer that went
/// well ends complete, one that failed stays where it was. One observer is for one transfer.
public final class FoundationProgress: TransferProgressObserver, SettlingObserver {
    /// Changed on background threads, one at a time. `cancel()` calls the transfer off once ``onCancel(_:)`` has said how.
    public let progress: Progress
    private let monitor: ProgressMonitor
    private let cancellation = Locked(Cancellation.open(nil))

    private enum Cancellation {
        case open((@Sendable () -> Void)?)
        case cancelled
    }

    /// - Parameter progress: An existing one to drive; a new one without a parent by default.
    public init(_ progress: Progress = Progress(totalUnitCount: -1)) {
        self.progress = progress
        monitor = ProgressMonitor { state in
            progress.totalUnitCount = state.knownTotal ?? -1
            progress.completedUnitCount = state.bytesSent.adding(clamped: state.bytesReceived)
        }
        progress.isCancellable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    /// Says what calls the transfer off: a handle's `cancel()`, or a task's.
    ///
    /// - Parameter action: Runs once, on some thread, when the progress is cancelled; at once if it has been. It takes the place of an earlier
    ///   one.
    public func onCancel(_ action: @escaping @Sendable () -> Void) {
        let isCancelled = cancellation.withLock { cancellation in
            guard case .open = cancellation else { return true }
            cancellation = .open(action)
            return false
        }
        if isCancelled { action() }
    }

    /// Called by the session manager.
    public func transferDidProgress(_ progress: TransferProgress) {
        monitor.transferDidProgress(progress)
    }

    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        monitor.whenSettled(work)
    }

    private func cancel() {
        let action: (@Sendable () -> Void)? = cancellation.withLock { cancellation in
            defer { cancellation = .cancelled }
            if case .open(let action) = cancellation { return action }
            return nil
        }
        action?()
    }
}

extension TransferProgress {
    /// Bytes both ways, as soon as ``fraction`` is known.
    fileprivate var knownTotal: Int64? {
        fraction == nil ? nil : (totalBytesToSend ?? 0).adding(clamped: totalBytesToReceive ?? 0)
    }
}
