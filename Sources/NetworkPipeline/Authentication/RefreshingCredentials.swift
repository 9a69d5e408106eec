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
/// they are. A refresh that fails fails all requests that wait for it, once; the next request tries anew.
///
/// ``set(_:)`` begins a new identity. A refresh that is under way then is cancelled and its result dropped, and a request of the identity
/// before is never sent with the new one.
public final class RefreshingCredentials: Sendable {
    /// Makes a new credential, of the one before if there was one.
    public typealias Refresh = @Sendable (_ old: Credential?) async throws -> Credential

    struct Generation: Sendable {
        var number: Int
        /// Grows with each ``set(_:)``, and not with a refresh.
        var identity: Int
        var credential: Credential
    }

    private struct Waiting {
        let waiter: Waiter<Generation>
        /// `nil` for a request that began when there was no credential.
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
    ///   - refresh: Runs in a task of its own, never twice at once unless ``set(_:)`` was called in between. ``Credential/parts`` of the old
    ///     credential hold its refresh token.
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

    /// How often they have been refreshed, failures included.
    public var refreshCount: Int { state.withLock(\.refreshes) }

    /// Replaces the credential after a login, or with `nil` forgets it after a logout.
    ///
    /// The result of a refresh that began before is dropped. Requests that wait for it fail with
    /// ``NetworkCore/TransportError/Code/authenticationFailed``, but for those that began when there was no credential: they go on with the
    /// new one.
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

    /// Whether the current task is refreshing these.
    var isRefreshingHere: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

    /// One that has not ended; a refresh if there is none.
    func current(for request: NetworkRequest) async throws(TransportError) -> Generation {
        guard let current = state.withLock(\.current) else { return try await wait(newerThan: nil, for: request) }
        if let expires = current.credential.expires, expires <= now() { return try await newer(than: current, for: request) }
        return current
    }

    /// One newer than what was refused.
    func newer(than refused: Generation, for request: NetworkRequest) async throws(TransportError) -> Generation {
        try await wait(newerThan: refused, for: request)
    }

    /// Whether a credential is still that of the identity that was set last.
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
        // It may have been replaced already.
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
