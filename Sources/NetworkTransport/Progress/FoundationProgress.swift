import Endpoints
import Foundation
import NetworkSupport

/// Updates a Foundation `Progress`, for views that show one, and forwards its cancellation.
///
/// ```swift
/// let observer = FoundationProgress()
/// let upload = Task {
///     try await service.upload(.file(movie), to: movies, progress: observer)
/// }
/// observer.onCancel { upload.cancel() }
/// parent.addChild(observer.progress, withPendingUnitCount: 1)
/// ```
///
/// Its units are bytes, sent and received together; `totalUnitCount` is -1 while the total is not known. The progress of a
/// successful transfer ends complete; that of a failed transfer stays as it was. Use one observer for one transfer.
public final class FoundationProgress: TransferProgressObserver, SettlingObserver {
    /// The progress that this observer updates, on background threads, one update at a time.
    ///
    /// Its `cancel()` cancels the transfer if an action was set with ``onCancel(_:)``.
    public let progress: Progress
    private let monitor: ProgressMonitor
    private let cancellation = Locked(Cancellation.open(nil))

    private enum Cancellation {
        case open((@Sendable () -> Void)?)
        case cancelled
    }

    /// Creates an observer that updates a `Progress`.
    ///
    /// - Parameter progress: The progress to update. Default: a new one without a parent.
    public init(_ progress: Progress = Progress(totalUnitCount: -1)) {
        self.progress = progress
        monitor = ProgressMonitor { state in
            progress.totalUnitCount = state.knownTotal ?? -1
            progress.completedUnitCount = state.bytesSent.adding(clamped: state.bytesReceived)
        }
        progress.isCancellable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    /// Sets the action that cancels the transfer, such as the `cancel()` of a handle or a task.
    ///
    /// - Parameter action: Called once, on an unspecified thread, when the progress is cancelled, or at once if it was cancelled
    ///   before. It replaces an earlier action.
    public func onCancel(_ action: @escaping @Sendable () -> Void) {
        let isCancelled = cancellation.withLock { cancellation in
            guard case .open = cancellation else { return true }
            cancellation = .open(action)
            return false
        }
        if isCancelled { action() }
    }

    /// Receives a progress update from the session manager.
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
    /// The total number of bytes in both directions; `nil` while ``fraction`` is not known.
    fileprivate var knownTotal: Int64? {
        fraction == nil ? nil : (totalBytesToSend ?? 0).adding(clamped: totalBytesToReceive ?? 0)
    }
}
