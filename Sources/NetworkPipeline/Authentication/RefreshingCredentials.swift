import Endpoints
import Foundation
import NetworkCore

/// Credentials that end and can be had anew: however many requests find out at once, they are refreshed once.
///
/// ```swift
/// let credentials = RefreshingCredentials { old in
///     let token = try await service.request(Endpoint<Token>(path: "token", method: .post, body: .form(["grant": "…"])))
///     return .bearer(token.value, expires: token.expires)
/// }
/// let interceptors: [any NetworkInterceptor] = [.authentication(credentials, origins: ["https://api.example.com"])]
/// ```
///
/// Each credential is of a generation. A request that was refused asks for one newer than its own: the first starts a refresh, others wait
/// for it, and one that comes late, when there is a newer one already, gets that at once. The refresh runs in a task of its own, so that
/// cancelling a request that waits, also the first, leaves the others alone. Requests that the refresh itself sends are let through as
/// they are. A refresh that fails fails whoever waits for it, once; the next request tries anew.
public final class RefreshingCredentials: Sendable {
    /// Makes a new credential, of the one before if there was one.
    public typealias Refresh = @Sendable (_ old: Credential?) async throws -> Credential

    struct Generation: Sendable {
        var number: Int
        var credential: Credential
    }

    private struct State {
        var current: Generation?
        var lastGeneration = 0
        var isRefreshing = false
        var refreshes = 0
        var waiters: [ObjectIdentifier: Waiter<Generation>] = [:]
    }

    /// The credentials that the current task is refreshing.
    @TaskLocal private static var refreshing: Set<ObjectIdentifier> = []

    private let state: Locked<State>
    private let refresh: Refresh
    private let limit: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - initial: None unless given: the first request waits for a refresh.
    ///   - timeout: After which a refresh has failed. 30 seconds unless given.
    ///   - clock: What the timeout is measured with.
    ///   - now: What ``Credential/expires`` is compared with.
    ///   - refresh: Runs in a task of its own, never twice at once.
    public init(
        initial: Credential? = nil, timeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }, refresh: @escaping Refresh
    ) {
        state = Locked(State(current: initial.map { Generation(number: 0, credential: $0) }))
        limit = timeout
        sleep = { try await clock.sleep(bounded: $0) }
        self.now = now
        self.refresh = refresh
    }

    /// How often they have been refreshed, failures included.
    public var refreshCount: Int { state.withLock(\.refreshes) }

    /// Replaces the credential, after a login for example: a newer generation. `nil` forgets it.
    public func set(_ credential: Credential?) {
        state.withLock { state in
            state.lastGeneration += 1
            state.current = credential.map { Generation(number: state.lastGeneration, credential: $0) }
        }
    }

    /// Whether the current task is refreshing these.
    var isRefreshingHere: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

    /// One that has not ended; a refresh if there is none.
    func current(for request: NetworkRequest) async throws(TransportError) -> Generation {
        guard let current = state.withLock(\.current) else { return try await wait(newerThan: nil, request) }
        if let expires = current.credential.expires, expires <= now() { return try await newer(than: current, for: request) }
        return current
    }

    /// One newer than what was refused.
    func newer(than refused: Generation, for request: NetworkRequest) async throws(TransportError) -> Generation {
        try await wait(newerThan: refused.number, request)
    }
}

// MARK: Waiting

extension RefreshingCredentials {
    private func wait(newerThan refused: Int?, _ request: NetworkRequest) async throws(TransportError) -> Generation {
        let waiter = Waiter<Generation>()
        let (current, starts): (Generation?, Bool) = state.withLock { state in
            if let current = state.current, refused.map({ current.number > $0 }) ?? true { return (current, false) }
            state.waiters[ObjectIdentifier(waiter)] = waiter
            defer { state.isRefreshing = true }
            return (nil, !state.isRefreshing)
        }
        if let current { return current }
        if starts { startRefresh() }
        defer { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = nil } }
        return try await waiter.value("credentials", for: request, sleep: sleep)
    }
}

// MARK: Refreshing

extension RefreshingCredentials {
    private func startRefresh() {
        let (old, number) = state.withLock { state in
            state.refreshes += 1
            return (state.current?.credential, state.refreshes)
        }
        let work = Task { [refresh] in
            try await Self.$refreshing.withValue(Self.refreshing.union([ObjectIdentifier(self)])) { try await refresh(old) }
        }
        // It counts as over when its time is, also where it does not heed its cancellation.
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
        let (waiters, answer): ([Waiter<Generation>], Result<Generation, TransportError>) = state.withLock { state in
            guard state.isRefreshing, state.refreshes == number else { return ([], .failure(TransportError(.other, ""))) }
            state.isRefreshing = false
            defer { state.waiters = [:] }
            let waiters = Array(state.waiters.values)
            let answer = result.map { credential in
                state.lastGeneration += 1
                return Generation(number: state.lastGeneration, credential: credential)
            }
            if case .success(let generation) = answer { state.current = generation }
            return (waiters, answer)
        }
        for waiter in waiters { waiter.resolve(answer) }
    }
}
