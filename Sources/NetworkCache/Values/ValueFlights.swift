import NetworkCore

/// Has one of those who want the same value at the same time make it, and the others wait for it.
///
/// The one that makes it does so in its own task. When it is cancelled, one of those who wait makes it in its place; who waits
/// and is cancelled is told at once.
final class ValueFlights: Sendable {
    struct Key: Hashable, Sendable {
        var value: ValueKey
        var type: ObjectIdentifier
    }

    /// What there is to do for who has come.
    enum Outcome: Sendable {
        /// Make it, and say ``ValueFlights/finish(_:_:)`` in the end.
        case make
        case made(any Sendable)
        case failed(any Error)
        /// The one that made it gave up: come again.
        case retry
        /// The own task is cancelled.
        case cancelled
    }

    private struct State {
        /// Those who wait for each.
        var flights: [Key: [Int: UnsafeContinuation<Outcome, Never>]] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

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
                    // It may have landed since.
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

    /// Tells all who wait.
    func finish(_ key: Key, _ outcome: Outcome) {
        let waiting = state.withLock { $0.flights.removeValue(forKey: key) } ?? [:]
        for continuation in waiting.values { continuation.resume(returning: outcome) }
    }

    /// Whether nobody is making it.
    func isFree(_ key: Key) -> Bool { state.withLock { $0.flights[key] == nil } }

    /// How many wait for a value.
    func waitingCount(_ key: Key) -> Int { state.withLock { $0.flights[key]?.count ?? 0 } }
}
