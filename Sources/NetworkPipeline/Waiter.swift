import Endpoints
import NetworkCore

/// A call that waits for a result of another one.
///
/// It returns the result, unless the call is cancelled or its deadline expires first.
final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(UnsafeContinuation<Result<Value, TransportError>, Never>)
        case over(Result<Value, TransportError>?)
    }

    private let state = Locked(State.idle)

    /// Sets the result and resumes the waiting call.
    ///
    /// - Returns: `false` if there was a result already; the new one is then ignored.
    @discardableResult
    func resolve(_ result: Result<Value, TransportError>) -> Bool {
        let (isFirst, continuation): (Bool, UnsafeContinuation<Result<Value, TransportError>, Never>?) = state.withLock { state in
            switch state {
            case .idle:
                state = .over(result)
                return (true, nil)
            case .waiting(let continuation):
                state = .over(nil)
                return (true, continuation)
            case .over: return (false, nil)
            }
        }
        continuation?.resume(returning: result)
        return isFirst
    }

    /// Waits for the result. Must be called only once.
    ///
    /// - Parameters:
    ///   - what: The noun in the error message when the deadline expires: "a slot of the gate".
    ///   - sleep: Waits for a duration, to measure the request's deadline.
    func value(
        _ what: StaticString, for request: NetworkRequest, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws(TransportError) -> Value {
        let timer = request.deadline.map { deadline in
            Task {
                try await sleep(max(.zero, deadline.remaining))
                let message = "the deadline expired while waiting for \(what)"
                self.resolve(.failure(TransportError(.timedOut, message, phase: .queued, request: request)))
            }
        }
        defer { timer?.cancel() }
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let result: Result<Value, TransportError>? = state.withLock { state in
                    if case .over(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            resolve(.failure(TransportError(.cancelled, "cancelled while waiting for \(what)", request: request)))
        }
        return try result.get()
    }
}
