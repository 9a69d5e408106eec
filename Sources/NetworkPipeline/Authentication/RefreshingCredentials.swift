import Endpoints
import Foundation
import NetworkCore

/// Credentials that expire and can be refreshed.
///
/// However many requests need newer ones at the same time, only one refresh runs.
///
/// ```swift
/// let credentials = RefreshingCredentials { old in
///     let token = try await service.request(Endpoint<Token>(path: "token", method: .post, body: .form(["grant": "…"])))
///     return .bearer(token.value, expires: token.expires)
/// }
/// let interceptors: [any NetworkInterceptor] = [.authentication(credentials, origins: ["https://api.example.com"])]
/// ```
///
/// Each credential belongs to a generation. A rejected request needs a newer generation than its own: the first such request
/// starts a refresh, others wait for it, and one that finds a newer generation uses that at once. The refresh runs in a
/// separate task, so cancelling a waiting request, even the first, does not affect the others. Requests that the refresh
/// itself sends pass without credentials of this object. If a refresh fails, all requests that wait for it fail; the next
/// request starts another one.
///
/// ``set(_:)`` starts a new identity. It cancels a running refresh and discards its result. A request of the previous
/// identity is never sent with the new credential.
public final class RefreshingCredentials: Sendable {
    /// A closure that returns a new credential. Its parameter is the previous one, or `nil` if there is none.
    public typealias Refresh = @Sendable (_ old: Credential?) async throws -> Credential

    struct Generation: Sendable {
        var number: Int
        /// Incremented by each ``set(_:)``, but not by a refresh.
        var identity: Int
        var credential: Credential
    }

    private struct Waiting {
        let waiter: Waiter<Generation>
        /// The identity of the credential that was rejected; `nil` for a request that started without a credential.
        let identity: Int?
    }

    private struct State {
        var current: Generation?
        var lastGeneration = 0
        var identity = 0
        var isRefreshing = false
        var refreshes = 0
        var work: Task<Credential, any Error>?
        var waiters: [ObjectIdentifier: Waiting] = [:]
    }

    /// The credentials that the current task is refreshing, to let the requests of a refresh pass.
    @TaskLocal private static var refreshing: Set<ObjectIdentifier> = []

    private let state: Locked<State>
    private let refresh: Refresh
    private let limit: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let now: @Sendable () -> Date

    /// Creates credentials that are refreshed by a closure.
    ///
    /// - Parameters:
    ///   - initial: The first credential. Default: `nil`; the first request then waits for a refresh.
    ///   - timeout: The time after which a refresh fails. Default: 30 seconds.
    ///   - clock: The clock that measures the timeout, and the deadlines of requests that wait.
    ///   - now: Returns the date to compare ``Credential/expires`` with.
    ///   - refresh: Returns a new credential. Runs in a separate task, and never concurrently with itself unless ``set(_:)``
    ///     was called in between. ``Credential/parts`` of the old credential contain its refresh token.
    public init(
        initial: Credential? = nil, timeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }, refresh: @escaping Refresh
    ) {
        state = Locked(State(current: initial.map { Generation(number: 0, identity: 0, credential: $0) }))
        limit = timeout
        sleep = { try await clock.sleep(bounded: $0) }
        self.now = now
        self.refresh = refresh
    }

    /// The number of refreshes that were started, including failed ones.
    package var refreshCount: Int { state.withLock(\.refreshes) }

    /// Replaces the credential after a login, or removes it (`nil`) after a logout.
    ///
    /// A running refresh is cancelled and its result discarded. Requests that wait for it fail with
    /// ``NetworkCore/TransportError/Code/authenticationFailed``. The exception are requests that started without a
    /// credential: they continue with the new one.
    public func set(_ credential: Credential?) {
        let (waiting, work, current) = state.withLock { state in
            state.lastGeneration += 1
            state.identity += 1
            state.current = credential.map {
                Generation(number: state.lastGeneration, identity: state.identity, credential: $0)
            }
            defer {
                state.waiters = [:]
                state.isRefreshing = false
                state.work = nil
            }
            return (state.waiters.values.map { $0 }, state.work, state.current)
        }
        work?.cancel()
        for waiting in waiting {
            if let current, waiting.identity == nil {
                waiting.waiter.resolve(.success(current))
            } else {
                waiting.waiter.resolve(.failure(Self.replaced))
            }
        }
    }

    private static var replaced: TransportError {
        TransportError(.authenticationFailed, "the credentials were replaced or removed while the request waited for newer ones")
    }

    /// Whether the current task is refreshing these credentials.
    var isRefreshingHere: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

    /// Returns a credential that has not expired, after a refresh if necessary.
    func current(for request: NetworkRequest) async throws(TransportError) -> Generation {
        guard let current = state.withLock(\.current) else { return try await wait(newerThan: nil, for: request) }
        if let expires = current.credential.expires, expires <= now() { return try await newer(than: current, for: request) }
        return current
    }

    /// Returns a credential of a newer generation than the rejected one.
    func newer(than refused: Generation, for request: NetworkRequest) async throws(TransportError) -> Generation {
        try await wait(newerThan: refused, for: request)
    }

    /// Whether a credential belongs to the identity that was set last.
    func isCurrent(_ generation: Generation) -> Bool { state.withLock { $0.identity == generation.identity } }
}

// MARK: Waiting

extension RefreshingCredentials {
    private func wait(newerThan refused: Generation?, for request: NetworkRequest) async throws(TransportError) -> Generation {
        let waiter = Waiter<Generation>()
        let (current, number): (Result<Generation, TransportError>?, Int?) = state.withLock { state in
            if let refused, refused.identity != state.identity { return (.failure(Self.replaced), nil) }
            if let current = state.current, refused.map({ current.number > $0.number }) ?? true {
                return (.success(current), nil)
            }
            state.waiters[ObjectIdentifier(waiter)] = Waiting(waiter: waiter, identity: refused?.identity)
            guard !state.isRefreshing else { return (nil, nil) }
            state.isRefreshing = true
            state.refreshes += 1
            return (nil, state.refreshes)
        }
        if let current { return try current.get() }
        if let number { startRefresh(number) }
        defer { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = nil } }
        return try await waiter.value("credentials", for: request, sleep: sleep)
    }
}

// MARK: Refreshing

extension RefreshingCredentials {
    private func startRefresh(_ number: Int) {
        // The refresh may have been replaced by `set(_:)` already.
        guard let old = state.withLock({ $0.isRefreshing && $0.refreshes == number ? .some($0.current?.credential) : nil }) else {
            return
        }
        let work = Task { [refresh] in
            try await Self.$refreshing.withValue(Self.refreshing.union([ObjectIdentifier(self)])) { try await refresh(old) }
        }
        let isWanted = state.withLock { state in
            guard state.isRefreshing, state.refreshes == number else { return false }
            state.work = work
            return true
        }
        if !isWanted { work.cancel() }
        // The refresh ends when the timeout has passed, even if its closure does not react to cancellation.
        let timer = Task { [sleep, limit] in
            try await sleep(limit)
            self.finish(
                number, .failure(TransportError(.authenticationFailed, "the credentials' refresh took longer than \(limit)")))
            work.cancel()
        }
        Task {
            let result = await work.result.mapError { error in
                TransportError(
                    .authenticationFailed, "the credentials cannot be refreshed (\(type(of: error)))", underlying: error)
            }
            timer.cancel()
            finish(number, result)
        }
    }

    private func finish(_ number: Int, _ result: Result<Credential, TransportError>) {
        let (waiting, outcome): ([Waiting], Result<Generation, TransportError>) = state.withLock { state in
            guard state.isRefreshing, state.refreshes == number else { return ([], .failure(Self.replaced)) }
            state.isRefreshing = false
            state.work = nil
            defer { state.waiters = [:] }
            let outcome = result.map { credential in
                state.lastGeneration += 1
                return Generation(number: state.lastGeneration, identity: state.identity, credential: credential)
            }
            if case .success(let generation) = outcome { state.current = generation }
            return (state.waiters.values.map { $0 }, outcome)
        }
        for waiting in waiting { waiting.waiter.resolve(outcome) }
    }
}
