import Endpoints
import NetworkCore

/// One call that waits for what another one brings. Whichever comes first counts: that, the call's cancellation, or its deadline.
final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(UnsafeContinuation<Result<Value, TransportError>, Never>)
        case over(Result<Value, TransportError>?)
    }

    private let state = Locked(State.idle)

    /// - Returns: `false` when it came too late: the value is nobody's.
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

    /// Waits. To be called once.
    ///
    /// - Parameters:
    ///   - what: For the error, when no time is left: "a place".
    ///   - sleep: Measures the request's deadline.
    func value(
        _ what: StaticString, for request: NetworkRequest, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws(TransportError) -> Value {
        let timer = request.deadline.map { deadline in
            Task {
                try await sleep(max(.zero, deadline.remaining))
                let message = "no time was left to wait for \(what)"
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
            resolve(.failure(TransportError(.cancelled, "called off while waiting for \(what)", request: request)))
        }
        return try result.get()
    }
}
