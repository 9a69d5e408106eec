/// A cancellable operation.
public protocol NetworkCancellable: Sendable {
    /// Cancels the operation and returns at once.
    ///
    /// It can be called from any thread, any number of times, before, during and after the operation. If the operation had not
    /// ended, its completion is called with a cancellation error.
    func cancel()
}

/// An async operation with a completion, for callers that do not use tasks.
package struct TaskCancellable: NetworkCancellable {
    private let task: Task<Void, Never>

    /// Starts the operation in a new task.
    ///
    /// - Parameter completion: Called exactly once, on ``BackgroundThreads/completions``, so it may block.
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

    /// Calls the completion with the error, on ``BackgroundThreads/completions``.
    package static func deliver<Value: Sendable, Failure: Error>(
        _ error: Failure, to completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> any NetworkCancellable {
        BackgroundThreads.completions.run { completion(.failure(error)) }
        return FailedRequest()
    }
}

/// Adapts a function with a completion and a handle to an async call.
///
/// A cancellation that arrives before the handle exists is not lost: whichever of the two comes second cancels the operation. The
/// continuation is resumed once, with the result or the cancellation, whichever comes first.
package final class CancellationBridge<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var continuation: UnsafeContinuation<Result<Value, Failure>, Never>?
        var handle: (any NetworkCancellable)?
        var isCancelled = false
        var isFinished = false
    }

    private let state = Locked(State())
    private let cancellation: Failure

    /// - Parameter cancellation: The error that is thrown when the task is cancelled.
    package init(cancellation: Failure) {
        self.cancellation = cancellation
    }

    /// Calls `start`, which calls its completion at most once, on any thread.
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
                let wasCancelled = state.withLock { state in
                    if !state.isFinished { state.handle = handle }
                    return state.isCancelled
                }
                if wasCancelled { handle.cancel() }
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
