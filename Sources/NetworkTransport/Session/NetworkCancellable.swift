import NetworkSupport

/// A handle to cancel an operation.
public protocol NetworkCancellable: Sendable {
    /// Cancels the operation and returns at once.
    ///
    /// It can be called from any thread, any number of times, before, during and after the operation. If the operation had not
    /// ended, its completion is called with a cancellation error.
    func cancel()
}

extension Result {
    /// Returns what an async function returns or throws.
    package static func from(_ work: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}

extension TransportError {
    /// Returns the error of an operation whose task was cancelled.
    package static func taskCancelled(_ request: NetworkRequest? = nil, phase: Phase? = nil) -> TransportError {
        TransportError(.cancelled, "the task was cancelled", phase: phase, request: request)
    }
}

/// The handle of an operation that has ended: cancelling it does nothing.
///
/// Test doubles and session managers that respond at once return it.
///
/// ```swift
/// func response(for _: NetworkRequest, completion: …) -> any NetworkCancellable {
///     completion(.success(response))
///     return EndedOperation()
/// }
/// ```
public struct EndedOperation: NetworkCancellable {
    /// Creates a handle.
    public init() {}

    /// Does nothing.
    public func cancel() {}

    /// Calls the completion with the error, on ``BackgroundThreads/completions``.
    package static func deliver<Value: Sendable, Failure: Error>(
        _ error: Failure, to completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> any NetworkCancellable {
        BackgroundThreads.completions.run { completion(.failure(error)) }
        return EndedOperation()
    }
}

/// Adapts a function with a completion and a handle to an async call.
///
/// A cancellation that arrives before the handle exists is not lost: whichever of the two comes second cancels the operation. The
/// call returns the result or throws the cancellation, whichever comes first.
package struct CancellationBridge<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var handle: (any NetworkCancellable)?
        var isCancelled = false
    }

    private let state = Locked(State())
    private let promise = Promise<Result<Value, Failure>>()
    private let cancellation: Failure

    /// - Parameter cancellation: The error that is thrown when the task is cancelled.
    package init(cancellation: Failure) {
        self.cancellation = cancellation
    }

    /// Calls `start`, which calls its completion at most once, on any thread. Must be called only once.
    package func run(
        _ start: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> any NetworkCancellable
    ) async throws(Failure) -> Value {
        if Task.isCancelled { throw cancellation }
        let result = await withTaskCancellationHandler {
            if state.withLock(\.isCancelled) { return Result<Value, Failure>.failure(cancellation) }
            let handle = start { [promise] in promise.resolve($0) }
            let isCancelled = state.withLock { state in
                state.handle = handle
                return state.isCancelled
            }
            if isCancelled { handle.cancel() }
            return await promise.value()
        } onCancel: {
            let handle = state.withLock { state in
                state.isCancelled = true
                return state.handle
            }
            promise.resolve(.failure(cancellation))
            handle?.cancel()
        }
        return try result.get()
    }
}
