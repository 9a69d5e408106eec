import Endpoints
import NetworkSupport

/// Provides the progress of one transfer as an async sequence, or passes it to a closure.
///
/// ```swift
/// let progress = ProgressMonitor()
/// let request = NetworkRequest(url: url, progress: progress)
/// async let response = session.response(for: request)
/// for await state in progress { print(state.bytesReceived, state.fraction ?? 0) }
///
/// ProgressMonitor { @MainActor state in model.fraction = state.fraction ?? 0 }
/// ```
///
/// There are at most 20 events a second. The last one always arrives, with ``Endpoints/TransferProgress/isFinished`` `true`, and
/// the sequence ends after it. A consumer that is slower receives only the newest state. Use one monitor for one transfer and one
/// loop.
public final class ProgressMonitor: TransferProgressObserver, SettlingObserver, AsyncSequence {
    private struct State {
        var current: TransferProgress?
        var isWaiting = false
        var isDelivering = false
        /// Work that runs after the closure has returned from the last event.
        var settling: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    private let onProgress: CallerClosure<TransferProgress>?
    private let stream: AsyncStream<TransferProgress>
    private let sink: AsyncStream<TransferProgress>.Continuation

    /// Creates a monitor, whose states are read from the sequence or from ``current``, or passed to a closure.
    ///
    /// - Parameter onProgress: Called with each state, one call at a time: on the actor to which it is isolated, such as the main actor
    ///   for `{ @MainActor state in … }`, and without one on ``BackgroundThreads/completions``. The call that is monitored returns, throws
    ///   or completes only after the closure has returned from the last event.
    public init(onProgress: (@isolated(any) @Sendable (TransferProgress) -> Void)? = nil) {
        self.onProgress = if let onProgress { CallerClosure(onProgress) } else { nil }
        (stream, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The newest state; `nil` before the first event.
    public var current: TransferProgress? { state.withLock(\.current) }

    /// Returns an iterator over the states from now on.
    public func makeAsyncIterator() -> AsyncStream<TransferProgress>.Iterator { stream.makeAsyncIterator() }

    /// Receives a progress update from the session manager.
    public func transferDidProgress(_ progress: TransferProgress) {
        sink.yield(progress)
        if progress.isFinished { sink.finish() }
        let startsDelivery = state.withLock { state in
            state.current = progress
            state.isWaiting = true
            defer { state.isDelivering = state.isDelivering || onProgress != nil }
            return !state.isDelivering && onProgress != nil
        }
        if startsDelivery { Task { await deliver() } }
    }

    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state in
            guard state.isDelivering, state.current?.isFinished == true else { return true }
            state.settling.append(work)
            return false
        }
        if isSettled { work() }
    }

    private func deliver() async {
        while true {
            let (next, settled): (TransferProgress?, [@Sendable () -> Void]) = state.withLock { state in
                guard state.isWaiting else {
                    state.isDelivering = false
                    defer { state.settling = [] }
                    return (nil, state.settling)
                }
                state.isWaiting = false
                return (state.current, [])
            }
            guard let next else {
                if !settled.isEmpty { BackgroundThreads.completions.run { for work in settled { work() } } }
                return
            }
            await onProgress?.perform(next, on: BackgroundThreads.completions)
        }
    }
}

/// An observer that processes its events later, on another thread. A call ends only after its last event was processed.
protocol SettlingObserver: TransferProgressObserver {
    /// Runs `work` once, on an unspecified thread: after the last event was processed, or at once if no last event is in
    /// progress.
    func whenSettled(_ work: @escaping @Sendable () -> Void)
}

extension (any TransferProgressObserver)? {
    /// Runs `work` after the observer has processed its last event, if one was sent; at once for observers that process events
    /// directly.
    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        guard let observer = self as? any SettlingObserver else { return work() }
        observer.whenSettled(work)
    }

    /// Returns after the observer has processed its last event, if one was sent, even if the task is cancelled.
    package func settled() async {
        guard let observer = self as? any SettlingObserver else { return }
        let settled = Promise<Void>()
        observer.whenSettled { settled.resolve(()) }
        await settled.value()
    }
}
