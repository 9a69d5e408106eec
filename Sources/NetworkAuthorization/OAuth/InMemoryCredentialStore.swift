import NetworkCore
import NetworkLogging
import NetworkSupport

/// A ``CredentialStore`` in memory, for tests and for programs that need tokens only until they end.
///
/// Copies share the record and its lock.
public struct InMemoryCredentialStore: CredentialStore {
    private struct State {
        var record: CredentialRecord?
        var isLocked = false
        var waiting: [Promise<Outcome>] = []
    }

    private enum Outcome: Sendable {
        case locked, late, cancelled
    }

    private let state: Locked<State>
    private let time: TimeSource

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of a user who has signed in. Default: none.
    ///   - clock: The clock that measures the time to wait for the lock.
    public init(_ tokens: OAuthTokens? = nil, clock: any Clock<Duration> = ContinuousClock()) {
        state = Locked(State(record: tokens.map { CredentialRecord($0) }))
        time = TimeSource(clock)
    }

    /// Returns the record. Throws no error.
    public func load() -> CredentialRecord? { state.withLock(\.record) }

    /// Replaces or removes the record. Throws no error.
    public func save(_ record: CredentialRecord?) { state.withLock { $0.record = record } }

    /// Runs a closure while no other task runs one. Tasks take turns in the order of their calls.
    ///
    /// - Throws: ``CredentialStoreError/Code/lockTimedOut`` or ``CredentialStoreError/Code/cancelled`` while it waits; otherwise what
    ///   `body` throws.
    public func withLock<Value: Sendable>(
        timeout: Duration, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let turn = Promise<Outcome>()
        let isFirst = state.withLock { state in
            defer { state.isLocked = true }
            if state.isLocked { state.waiting.append(turn) }
            return !state.isLocked
        }
        if !isFirst {
            let limit = timeout.bounded
            switch await turn.value(
                within: { limit }, on: time, lateness: { .late }, cancellation: { .cancelled })
            {
            case .locked: break
            case .late: throw CredentialStoreError(.lockTimedOut, "the tokens were locked for longer than \(limit)")
            case .cancelled: throw CredentialStoreError(.cancelled, "cancelled while the lock of the tokens was awaited")
            }
        }
        defer { unlock() }
        return try await body()
    }

    private func unlock() {
        while true {
            let next: Promise<Outcome>? = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.isLocked = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            // One that was late or cancelled has a value already.
            guard let next, !next.resolve(.locked) else { return }
        }
    }
}

extension InMemoryCredentialStore: RedactedStringConvertible {}
