import NetworkCore

/// A coordinator for concurrent calls that need the same value: one of them makes the value, and the others wait for it.
///
/// The value is made in the task of one call. If that task is cancelled, a waiting call makes the value instead. A waiting call
/// that is cancelled returns immediately.
final class ValueFlights: Sendable {
    struct Key: Hashable, Sendable {
        var value: ValueKey
        var type: ObjectIdentifier
    }

    /// The result of joining: what the caller has to do.
    enum Outcome: Sendable {
        /// Make the value, and call ``ValueFlights/finish(_:_:)`` afterwards.
        case make
        case made(any Sendable)
        case failed(any Error)
        /// The call that made the value was cancelled: join again.
        case retry
        /// The caller's own task was cancelled.
        case cancelled
    }

    private struct State {
        /// The waiting calls for each value that is being made.
        var flights: [Key: [Int: UnsafeContinuation<Outcome, Never>]] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    /// Joins the calls for a value. The first one returns immediately, and the others wait for its outcome.
    func join(_ key: Key) async -> Outcome {
        let number: Int? = state.withLock { state in
            guard state.flights[key] != nil else {
                state.flights[key] = [:]
                return nil
            }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return .make }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let outcome: Outcome? = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    // The value may have been finished since the first check.
                    guard state.flights[key] != nil else { return .retry }
                    state.flights[key]?[number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let waiting = state.withLock { $0.flights[key]?.removeValue(forKey: number) }
            waiting?.resume(returning: .cancelled)
        }
    }

    /// Resumes all waiting calls with an outcome.
    func finish(_ key: Key, _ outcome: Outcome) {
        let waiting = state.withLock { $0.flights.removeValue(forKey: key) } ?? [:]
        for continuation in waiting.values { continuation.resume(returning: outcome) }
    }

    /// Returns whether no call is making a value.
    func isFree(_ key: Key) -> Bool { state.withLock { $0.flights[key] == nil } }

    /// Returns the number of calls that wait for a value.
    func waitingCount(_ key: Key) -> Int { state.withLock { $0.flights[key]?.count ?? 0 } }
}
