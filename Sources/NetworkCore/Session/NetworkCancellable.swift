/// Something under way that can be called off.
public protocol NetworkCancellable: Sendable {
    /// Calls it off. Safe from any thread, any number of times, before, during and after the work; returns at once.
    ///
    /// If the work had not ended, its completion runs with a cancellation error.
    func cancel()
}

/// An async operation with a completion, for callers without tasks.
package struct TaskCancellable: NetworkCancellable {
    private let task: Task<Void, Never>

    /// - Parameter completion: Runs exactly once, on ``BackgroundThreads/completions``, so it may block.
    package init<Value: Sendable, Failure: Error>(
        _ operation: @escaping @Sendable () async throws(Failure) -> Value,
        completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        task = Task {
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            BackgroundThreads.completions.run { completion(result) }
        }
    }

    package func cancel() {
        task.cancel()
    }
}

/// The handle of a request that failed before it began.
package struct FailedRequest: NetworkCancellable {
    package func cancel() {}

    /// Runs the completion on ``BackgroundThreads/completions``.
    package static func deliver<Value: Sendable, Failure: Error>(
        _ error: Failure, to completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> any NetworkCancellable {
        BackgroundThreads.completions.run { completion(.failure(error)) }
        return FailedRequest()
    }
}

/// Turns a completion call that returns a handle into an async one.
///
/// The state is `idle | running(handle) | cancelled`; whoever comes second acts, so a cancellation that arrives before the
/// handle exists is not lost. The continuation resumes once, with whichever comes first: the result or the cancellation.
package final class CancellationBridge<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var continuation: UnsafeContinuation<Result<Value, Failure>, Never>?
        var handle: (any NetworkCancellable)?
        var isCancelled = false
        var isFinished = false
    }

    private let state = Locked(State())
    private let cancellation: Failure

    /// - Parameter cancellation: What is thrown when the task is cancelled.
    package init(cancellation: Failure) {
        self.cancellation = cancellation
    }

    /// Runs `start`, which calls its completion at most once and from any thread.
    package func run(
        _ start: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> any NetworkCancellable
    ) async throws(Failure) -> Value {
        if Task.isCancelled { throw cancellation }
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.continuation = continuation }
                    return state.isCancelled
                }
                if isCancelled { return continuation.resume(returning: .failure(cancellation)) }
                let handle = start { self.finish($0) }
                let comesTooLate = state.withLock { state in
                    if !state.isFinished { state.handle = handle }
                    return state.isCancelled
                }
                if comesTooLate { handle.cancel() }
            }
        } onCancel: {
            let handle = state.withLock { state in
                state.isCancelled = true
                return state.handle
            }
            finish(.failure(cancellation))
            handle?.cancel()
        }
        return try result.get()
    }

    private func finish(_ result: Result<Value, Failure>) {
        let continuation = state.withLock { state in
            defer {
                state.continuation = nil
                if !state.isCancelled { state.handle = nil }
            }
            state.isFinished = state.isFinished || state.continuation != nil
            return state.continuation
        }
        continuation?.resume(returning: result)
    }
}
