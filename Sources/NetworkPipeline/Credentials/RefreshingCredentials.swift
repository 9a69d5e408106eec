import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A store of credentials that others use and renew too. It belongs to one ``RefreshingCredentials``, its owner.
package protocol SharedCredentials: Sendable {
    /// Whether another user may have signed in since the store was read.
    var mayHaveAnotherUser: Bool { get }
    /// Reads the store, and replaces the owner's credential if it belongs to another user than the stored one.
    func checkUser() async throws
    /// Returns the credential with which the next requests are sent: the stored one if it is newer than the old one, and otherwise a renewed one.
    func credential(replacing old: Credential?) async throws -> Credential
    /// The owner has replaced or removed (`nil`) its credential.
    func ownerDidSet(_ credential: Credential?)
}

/// Credentials that expire and can be refreshed.
///
/// However many requests need newer ones at the same time, only one refresh runs.
///
/// ```swift
/// let tokens = RefreshingCredentials { old in
///     let token = try await service.request(newToken)
///     return .bearer(token.value, expires: token.expires)
/// }
/// let interceptors: [any NetworkInterceptor] = [.authentication(tokens, for: api)]
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
    final class Generation: Sendable {
        let number: Int
        /// Incremented by each ``set(_:)``, but not by a refresh.
        let identity: Int
        let credential: Credential
        let expires: Date?

        init(number: Int, identity: Int, credential: Credential) {
            self.number = number
            self.identity = identity
            self.credential = credential
            expires = credential.expires
        }
    }

    private enum Refreshed: Sendable {
        case newer(Generation)
        /// ``set(_:)`` was called in the meantime.
        case replaced(by: Generation?)
    }

    private struct State {
        var current: Generation?
        var lastGeneration = 0
        var identity = 0
        var refreshes = 0

        /// Returns the current generation if it is newer than the rejected one.
        func current(newerThan refused: Generation?) -> Generation? {
            guard let current, let refused else { return current }
            return current.number > refused.number ? current : nil
        }
    }

    /// The credentials that the current task is refreshing, to let the requests of a refresh pass.
    @TaskLocal private static var refreshing: Set<ObjectIdentifier> = []

    private let state: Locked<State>
    /// The running refresh of each identity.
    private let flights = SingleFlight<Int, Result<Refreshed, TransportError>>()
    private let refresh: @Sendable (_ old: Credential?) async throws -> Credential
    /// The store from which the credentials are, if there is one.
    private let store: (any SharedCredentials)?
    private let limit: Duration
    private let time: TimeSource
    private let now: @Sendable () -> Date

    /// Creates credentials that are read from a store, and refreshed there.
    package init(timeout: Duration, now: @escaping @Sendable () -> Date, sharing store: any SharedCredentials) {
        state = Locked(State())
        limit = timeout
        time = TimeSource(ContinuousClock())
        self.now = now
        self.store = store
        refresh = { try await store.credential(replacing: $0) }
    }

    /// Creates credentials that are refreshed by a closure.
    ///
    /// - Parameters:
    ///   - initial: The first credential. Default: `nil`; the first request then waits for a refresh.
    ///   - timeout: The time after which a refresh fails. Default: 30 seconds.
    ///   - clock: The clock that measures the timeout, and the deadlines of requests that wait.
    ///   - now: Returns the date to compare ``Credential/expires`` with.
    ///   - refresh: Returns a new credential. Its parameter is the previous one, or `nil` for the first one. Runs in a separate task, and never concurrently with itself unless ``set(_:)``
    ///     was called in between. The old credential contains its refresh token (``Credential/refreshToken``).
    public init(
        initial: Credential? = nil, timeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping @Sendable (_ old: Credential?) async throws -> Credential
    ) {
        state = Locked(State(current: initial.map { Generation(number: 0, identity: 0, credential: $0) }))
        limit = timeout
        time = TimeSource(clock)
        self.now = now
        store = nil
        self.refresh = refresh
    }

    /// The number of refreshes that were started, including failed ones.
    package var refreshCount: Int { state.withLock(\.refreshes) }

    /// Replaces the credential after a login, or removes it (`nil`) after a logout.
    ///
    /// A running refresh is cancelled and its result discarded. Requests that wait for it fail with
    /// ``NetworkCore/TransportError/Code/authenticationFailed``. The exception are requests that started without a
    /// credential: they continue with the new one.
    ///
    /// With `nil`, the next request calls the closure with `nil`. The closure should throw an error until a user has signed in. Credentials of an `OAuthClient`
    /// (`NetworkAuthorization`) do not use the tokens in their store until another user has signed in there; `CredentialStore.signOut(timeout:)` also
    /// removes them.
    public func set(_ credential: Credential?) {
        store?.ownerDidSet(credential)
        replace(credential)
    }

    /// Starts a new identity with a credential, which may come from the store.
    package func replace(_ credential: Credential?) {
        let (previous, current) = state.withLock { state in
            let previous = state.identity
            state.lastGeneration += 1
            state.identity += 1
            state.current = credential.map {
                Generation(number: state.lastGeneration, identity: state.identity, credential: $0)
            }
            return (previous, state.current)
        }
        flights.cancel(previous, with: .success(.replaced(by: current)))
    }

    private static var replaced: TransportError {
        TransportError(.authenticationFailed, "the credentials were replaced or removed while the request waited for newer ones")
    }

    /// Whether the current task is refreshing these credentials.
    var isRefreshingHere: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

    /// The current credential; `nil` without one, after its expiration, and if another user may have signed in.
    var currentIfValid: Generation? {
        guard store?.mayHaveAnotherUser != true, let current = state.withLock({ $0.current }) else { return nil }
        if let expires = current.expires, expires <= now() { return nil }
        return current
    }

    /// Returns a credential that has not expired, after a refresh if necessary.
    func current(for request: NetworkRequest) async throws(TransportError) -> Generation {
        if let store, store.mayHaveAnotherUser {
            do {
                try await store.checkUser()
            } catch {
                throw TransportError(.authenticationFailed, "the credentials cannot be read", request: request, underlying: error)
            }
        }
        guard let current = state.withLock({ $0.current }) else { return try await wait(newerThan: nil, for: request) }
        if let expires = current.expires, expires <= now() { return try await newer(than: current, for: request) }
        return current
    }

    /// Returns a credential of a newer generation than the rejected one.
    func newer(than refused: Generation, for request: NetworkRequest) async throws(TransportError) -> Generation {
        try await wait(newerThan: refused, for: request)
    }

    /// Whether a credential belongs to the identity that was set last.
    func isCurrent(_ generation: Generation) -> Bool { state.withLock { $0.identity == generation.identity } }
}

// MARK: Refreshing

extension RefreshingCredentials {
    private func wait(newerThan refused: Generation?, for request: NetworkRequest) async throws(TransportError) -> Generation {
        while true {
            let (identity, current) = state.withLock { ($0.identity, $0.current(newerThan: refused)) }
            if let refused, refused.identity != identity { throw Self.replaced }
            if let current { return current }
            let call = flights.join(identity) { await self.refreshed(identity, newerThan: refused) }
            defer { flights.leave(call) }
            switch try await call.promise.value("credentials", for: request, on: time) {
            case .newer(let generation):
                // Another request may have started the refresh with an older generation, and have found this one.
                if refused.map({ generation.number > $0.number }) ?? true { return generation }
            case .replaced(let current):
                // A request that started without a credential continues with the new one.
                guard refused == nil, let current else { throw Self.replaced }
                return current
            }
        }
    }

    /// Refreshes the credential of an identity, unless that was done since the request was rejected.
    private func refreshed(
        _ identity: Int, newerThan refused: Generation?
    ) async -> Result<Refreshed, TransportError> {
        let (old, known): (Credential?, Refreshed?) = state.withLock { state in
            if state.identity != identity { return (nil, .replaced(by: state.current)) }
            if let current = state.current(newerThan: refused) { return (nil, .newer(current)) }
            state.refreshes += 1
            return (state.current?.credential, nil)
        }
        if let known { return .success(known) }
        let result = await newCredential(replacing: old)
        return state.withLock { state in
            guard state.identity == identity else { return .success(.replaced(by: state.current)) }
            return result.map { credential in
                state.lastGeneration += 1
                let generation = Generation(number: state.lastGeneration, identity: identity, credential: credential)
                state.current = generation
                return .newer(generation)
            }
        }
    }

    /// Calls the closure. After the timeout, returns even if the closure does not react to its cancellation.
    private func newCredential(replacing old: Credential?) async -> Result<Credential, TransportError> {
        let promise = Promise<Result<Credential, TransportError>>()
        let work = Task { [refresh] in
            do {
                let credential = try await Self.$refreshing.withValue(Self.refreshing.union([ObjectIdentifier(self)])) {
                    try await refresh(old)
                }
                promise.resolve(.success(credential))
            } catch {
                let failure = TransportError(.authenticationFailed, "the credentials cannot be refreshed", causedBy: error)
                promise.resolve(.failure(failure))
            }
        }
        defer { work.cancel() }
        return await promise.value(
            within: { [limit] in limit }, on: time,
            lateness: { [limit] in
                .failure(TransportError(.authenticationFailed, "the credentials' refresh took longer than \(limit)"))
            },
            cancellation: { .failure(Self.replaced) })
    }
}

extension RefreshingCredentials: RedactedStringConvertible {}
