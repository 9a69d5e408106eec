import Endpoints

/// How one transfer comes along, as an async sequence beside its result, or told to a closure.
///
/// ```swift
/// let progress = ProgressMonitor()
/// async let response = session.response(for: NetworkRequest(method: .put, url: url, body: .file(movie), progress: progress))
/// for await state in progress { print(state.bytesSent, state.fractionSent ?? 0) }
/// ```
///
/// At most 20 events a second, and always a last one, for which ``Endpoints/TransferProgress/isFinished`` is true; the sequence ends after it. Who
/// is slower gets the newest only. One monitor is for one transfer, and for one loop.
public final class ProgressMonitor: TransferProgressObserver, SettlingObserver, AsyncSequence {
    /// How far the transfer has come.
    public typealias Element = TransferProgress

    private struct State {
        var current: TransferProgress?
        var isWaiting = false
        var isDelivering = false
        /// What waits for the closure to have returned from the last event.
        var settling: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    private let onProgress: (@Sendable (TransferProgress) -> Void)?
    private let stream: AsyncStream<TransferProgress>
    private let sink: AsyncStream<TransferProgress>.Continuation

    /// To be iterated, or asked for ``current``.
    public convenience init() {
        self.init(nil)
    }

    /// - Parameter onProgress: Never runs twice at once, on ``BackgroundThreads/completions``. The call that it tells of returns, throws or
    ///   completes after it has returned from the last event.
    public convenience init(onProgress: @escaping @Sendable (TransferProgress) -> Void) {
        self.init(.some(onProgress))
    }

    private init(_ onProgress: (@Sendable (TransferProgress) -> Void)?) {
        self.onProgress = onProgress
        (stream, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The newest state; `nil` before the first.
    public var current: TransferProgress? { state.withLock(\.current) }

    /// Iterates over what comes from now on.
    public func makeAsyncIterator() -> AsyncStream<TransferProgress>.Iterator { stream.makeAsyncIterator() }

    /// Called by the session manager.
    public func transferDidProgress(_ progress: TransferProgress) {
        sink.yield(progress)
        if progress.isFinished { sink.finish() }
        let startsDelivery = state.withLock { state in
            state.current = progress
            state.isWaiting = true
            defer { state.isDelivering = state.isDelivering || onProgress != nil }
            return !state.isDelivering && onProgress != nil
        }
        if startsDelivery { BackgroundThreads.completions.run { self.deliver() } }
    }

    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state in
            guard state.isDelivering, state.current?.isFinished == true else { return true }
            state.settling.append(work)
            return false
        }
        if isSettled { work() }
    }

    private func deliver() {
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
                for work in settled { work() }
                return
            }
            onProgress?(next)
        }
    }
}

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
