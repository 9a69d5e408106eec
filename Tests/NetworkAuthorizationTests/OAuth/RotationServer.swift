import DataTransfer
import Foundation
import NetworkCore
import NetworkAuthorization
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import TransferTestSupport

/// A model of an authorization server that rotates refresh tokens and detects their reuse, and of a resource server. It judges its clients by the
/// file in which they keep their tokens.
///
/// The use of a replaced refresh token revokes all tokens of the user (RFC 9700 §4.14.2), unless the server has a grace period, in which it
/// returns others.
final class RotationServer: Sendable {
    /// The fate of a request.
    enum Fault: CaseIterable {
        case none, notConnected, lostBefore, lostAfter, unavailable, failedAfter, cutAfter
    }

    private struct Token {
        var user: Int
        var previous: String?
        var access: String
        var isSpent = false
    }

    private struct State {
        var random: SeededGenerator
        var tokens: [String: Token] = [:]
        /// The refresh token of each access token.
        var accesses: [String: String] = [:]
        var revokedUsers: Set<Int> = []
        var expiredAccesses: Set<String> = []
        var users = 0
        var inFlight = 0
        var violations: [String] = []
        var rotations = 0
        var revocations = 0
        var lost = 0
    }

    private let state: Locked<State>
    private let file: URL
    private let hasGrace: Bool
    private let faultPercent: Locked<Int>
    private let rejectPercent: Int

    /// - Parameters:
    ///   - file: The file in which the clients keep their tokens.
    ///   - faultPercent: How many requests for tokens fail.
    ///   - rejectPercent: How many requests with an access token expire it.
    init(seed: UInt64, file: URL, hasGrace: Bool, faultPercent: Int, rejectPercent: Int = 30) {
        state = Locked(State(random: SeededGenerator(seed: seed)))
        self.file = file
        self.hasGrace = hasGrace
        self.faultPercent = Locked(faultPercent)
        self.rejectPercent = rejectPercent
    }

    var violations: [String] { state.withLock(\.violations) }
    var rotations: Int { state.withLock(\.rotations) }
    var revocations: Int { state.withLock(\.revocations) }
    var lost: Int { state.withLock(\.lost) }

    func endFaults() { faultPercent.withLock { $0 = 0 } }

    /// Returns the tokens of another user who has signed in.
    func signIn() -> OAuthTokens {
        state.withLock { state in
            state.users += 1
            let (refresh, access) = Self.issue(state.users, after: nil, &state)
            return OAuthTokens(accessToken: access, refreshToken: refresh)
        }
    }

    private static func issue(_ user: Int, after previous: String?, _ state: inout State) -> (refresh: String, access: String) {
        let refresh = "refresh-\(state.random.next())"
        let access = "access-\(state.random.next())"
        state.tokens[refresh] = Token(user: user, previous: previous, access: access)
        state.accesses[access] = refresh
        return (refresh, access)
    }

    private var stored: CredentialRecord? {
        (try? Data(contentsOf: file)).flatMap { try? CredentialRecord(json: $0) }
    }

    // MARK: Tokens

    func fault() -> Fault {
        let percent = faultPercent.withLock { $0 }
        return state.withLock { $0.random.chance(percent) ? $0.random.pick(Fault.allCases) : .none }
    }

    func begin() {
        state.withLock { state in
            state.inFlight += 1
            if state.inFlight > 1 { state.violations.append("two refreshes at the same time") }
        }
    }

    func end() { state.withLock { $0.inFlight -= 1 } }

    func countLost() { state.withLock { $0.lost += 1 } }

    /// Processes a refresh, and returns the status and the body.
    func refresh(_ token: String) -> (status: Int, body: String) {
        let stored = stored
        return state.withLock { state in
            if stored?.tokens.refreshToken != token {
                state.violations.append("a refresh token that is not the stored one was sent")
            }
            if stored?.pendingSince == nil { state.violations.append("a refresh token was sent before that was saved") }
            if stored?.isRefused == true { state.violations.append("a refused refresh token was sent again") }
            let refusal = (400, #"{"error":"invalid_grant","error_description":"token \#(token) is not valid"}"#)
            guard let known = state.tokens[token], !state.revokedUsers.contains(known.user) else { return refusal }
            if known.isSpent, !hasGrace {
                state.revokedUsers.insert(known.user)
                state.revocations += 1
                return refusal
            }
            state.tokens[token]?.isSpent = true
            state.rotations += 1
            let (refresh, access) = Self.issue(known.user, after: token, &state)
            return (
                200, #"{"access_token":"\#(access)","token_type":"bearer","expires_in":3600,"refresh_token":"\#(refresh)"}"#
            )
        }
    }

    // MARK: Resources

    /// Returns the status for a request with an access token.
    func use(_ field: String?) -> Int {
        let stored = stored
        return state.withLock { state in
            guard let field, field.hasPrefix("Bearer "), let refresh = state.accesses[String(field.dropFirst(7))],
                let token = state.tokens[refresh]
            else { return 401 }
            // Saved are the stored refresh token and those before it.
            if let current = stored?.tokens.refreshToken, let user = state.tokens[current]?.user, user == token.user {
                var saved: String? = current
                while let name = saved, name != refresh { saved = state.tokens[name]?.previous }
                if saved == nil { state.violations.append("an access token was used before its refresh token was saved") }
            }
            if state.random.chance(rejectPercent) { state.expiredAccesses.insert(token.access) }
            return state.revokedUsers.contains(token.user) || state.expiredAccesses.contains(token.access) ? 401 : 200
        }
    }
}

/// The network between clients and a ``RotationServer``, in memory.
struct RotationNetwork: NetworkSessionManager {
    let server: RotationServer

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        guard request.method == .post else {
            await Task.yield()
            let status = server.use(request.headers["Authorization"])
            return NetworkResponse(statusCode: status, body: .data(Data("ok".utf8)), url: request.url)
        }
        let fault = server.fault()
        if fault == .notConnected { throw TransportError(.cannotConnect, "refused", phase: .connect, request: request) }
        let form = String(decoding: request.body?.data ?? Data(), as: UTF8.self)
        let token = form.split(separator: "&").first { $0.hasPrefix("refresh_token=") }.map { String($0.dropFirst(14)) }
        server.begin()
        defer { server.end() }
        for _ in 0..<5 { await Task.yield() }
        let lost = TransportError(.connectionLost, "lost", phase: .firstByte, request: request)
        switch fault {
        case .lostBefore: throw lost
        case .unavailable: return NetworkResponse(statusCode: 503, url: request.url)
        default: break
        }
        let (status, body) = server.refresh(token ?? "")
        for _ in 0..<5 { await Task.yield() }
        if fault != .none { server.countLost() }
        switch fault {
        case .lostAfter: throw lost
        case .failedAfter: return NetworkResponse(statusCode: 502, url: request.url)
        case .cutAfter:
            return NetworkResponse(statusCode: 200, body: .data(Data(body.utf8.prefix(30))), url: request.url)
        default: return NetworkResponse(statusCode: status, body: .data(Data(body.utf8)), url: request.url)
        }
    }
}

/// A store that fails at random, and that fails always once its process was "killed".
final class FaultyStore: CredentialStore {
    private let store: FileCredentialStore
    private let random: SharedGenerator
    private let failPercent: Int
    private let isDead = Locked(false)

    init(_ store: FileCredentialStore, _ random: SharedGenerator, failPercent: Int) {
        self.store = store
        self.random = random
        self.failPercent = failPercent
    }

    private static let failure = CredentialStoreError(.fileFailed, "no space")

    func kill() { isDead.withLock { $0 = true } }

    func load() async throws(CredentialStoreError) -> CredentialRecord? {
        if isDead.withLock({ $0 }) { throw Self.failure }
        return try await store.load()
    }

    func save(_ record: CredentialRecord?) async throws(CredentialStoreError) {
        let number = random.next(below: 100)
        // Killed before, between or after the steps.
        if number < failPercent / 4 { kill() }
        if isDead.withLock({ $0 }) || number < failPercent { throw Self.failure }
        try await store.save(record)
        if number < failPercent * 5 / 4 { kill() }
        if number < failPercent * 3 / 2 { throw Self.failure }
    }

    func withLock<Value: Sendable>(timeout: Duration, _ body: @Sendable () async throws -> Value) async throws -> Value {
        if isDead.withLock({ $0 }) { throw Self.failure }
        return try await store.withLock(timeout: timeout, body)
    }
}
