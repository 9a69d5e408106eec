import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that authenticates with a user name and a password when a server asks for it: Digest (RFC 7616) and Basic (RFC 7617).
///
/// ```swift
/// let pipeline = RequestPipeline {
///     $0.authentication = .authenticationOnChallenge(
///         user: "reader", password: password, for: api)
/// }
/// ```
///
/// The first request is sent without credentials. If the server responds with 401 and a challenge of a known scheme, the request is sent once
/// more with credentials; later requests to the origin have them at once. A server that asks for a new nonce gets another request.
/// If the server rejects the password, its 401 is returned, and so is one for a request whose body can be read only once.
///
/// Digest is used with SHA-256 or MD5, in this order of preference, and their `-sess` forms; with `qop` values `auth`, `auth-int` (only if the
/// server does not offer `auth`, because the body is then read twice), or none (RFC 2069); with `userhash`, `charset`, `stale` and
/// `nextnonce`. `rspauth` is not checked. Credentials are sent to the given origins only, to no proxy, and are created again for a
/// redirect within the origin.
///
/// Once an origin has sent a challenge, weaker ones of the same origin are refused, in all of its realms, so that an attacker on the network cannot
/// downgrade the authentication: after SHA-256 neither MD5 is used nor Basic, after `qop` no challenge without it, and after `userhash` the user name is not sent.
/// A request for which only weaker challenges are left fails.
public struct ChallengeInterceptor: NetworkInterceptor {
    /// A scheme of authentication.
    public struct Scheme: RawRepresentable, Hashable, Sendable {
        /// The name of the scheme.
        public let rawValue: String

        /// Creates a scheme. Names other than those of the constants are ignored.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A digest of password, method and URL (RFC 7616). The password is not sent.
        public static let digest = Scheme(rawValue: "digest")
        /// The password itself (RFC 7617), only over https, and to this host: `localhost`, `127.0.0.0/8` and `::1`.
        public static let basic = Scheme(rawValue: "basic")
        /// The password itself, also over http, where everybody on the way can read it.
        public static let basicWithoutEncryption = Scheme(rawValue: "basicWithoutEncryption")
    }

    /// How requests to an origin are authenticated, since its last challenge.
    private enum Known {
        case digest(DigestSession)
        case basic

        /// Whether the body is needed for the credentials and then to be sent, but can be read only once.
        func readsBodyTwice(of request: NetworkRequest) -> Bool {
            if case .digest(let session) = self { session.protectsBody && !request.hasReplayableBody } else { false }
        }
    }

    private struct Origin {
        /// `nil` before the first challenge, and after credentials were rejected.
        var known: Known?
        /// The least that a challenge must offer.
        var minimum: Strength
        /// The sessions used last, the latest at the end. A server may repeat a nonce, whose uses are then still counted together.
        var sessions: [DigestSession] = []
    }

    /// The origins that have sent a challenge, of those that the caller has passed.
    private final class Origins: Sendable {
        let states = Locked<[String: Origin]>([:])
    }

    /// The number of sessions that are kept for each origin.
    private static let maximumSessions = 64

    /// What a request was sent with.
    private struct Sent {
        var session: DigestSession?
        /// Whether a rejection concerns the password, unless the server says that the nonce is stale: the nonce is that of the last response.
        var isFinal = false
    }

    /// How often a request is sent at most: without credentials or with an old nonce, and twice with a new nonce.
    private static let maximumAttempts = 3

    private let user: String
    @Secret private var password: String
    private let basic: Credential
    private let origins: [String]
    private let schemes: Set<Scheme>
    private let minimum: Strength
    private let state = Origins()

    /// Creates an interceptor that authenticates with a user name and a password.
    ///
    /// - Parameters:
    ///   - user: The user name. If it contains a colon, requests fail with ``NetworkCore/TransportError/Code/authenticationFailed``
    ///     where the server asks for Basic (RFC 7617 §2).
    ///   - password: The password. It is redacted wherever it appears in texts.
    ///   - origins: URLs of the origins that receive credentials. Only scheme, host and port are compared (RFC 6454 §4).
    ///   - schemes: The schemes that may be used. Digest is preferred to Basic. Default: ``Scheme/digest`` and ``Scheme/basic``.
    ///   - minimum: The weakest challenge that is accepted, also from an origin that has offered no other. Default: ``Strength/basic``.
    public init(
        user: String, password: String, origins: [URL], schemes: Set<Scheme> = [.digest, .basic], minimum: Strength = .basic
    ) {
        self.user = user
        self.password = password
        basic = .basic(user: user, password: password)
        self.origins = origins.map(URLText.origin)
        self.schemes = schemes
        self.minimum = minimum
    }

    /// Sends the request, with credentials if the server has asked for them, and again when the server asks for them.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/authenticationFailed`` if the user name cannot be sent, or all challenges are weaker than
    ///   the minimum;
    ///   ``NetworkCore/TransportError/Code/bodyFailed`` if the body cannot be read for `auth-int`; otherwise what `next` throws.
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        guard request.needsCredentials(for: origins) else { return try await next(request) }
        let request = request
        var response: NetworkResponse
        var sent = Sent()
        if let known = state.states.withLock({ $0[request.origin]?.known }), !known.readsBodyTwice(of: request) {
            var authenticated = request
            sent = try apply(known, to: &authenticated, isFinal: false)
            response = try await next(authenticated)
        } else {
            response = try await next(request)
        }
        for _ in 1..<Self.maximumAttempts {
            guard response.statusCode == 401, request.hasOrigin(of: response.lazyURL), request.mayBeSentAgain(after: response)
            else { break }
            let choice = choice(for: response, sentWith: sent, origin: request.origin)
            if case .none = choice { break }
            response.body.stop()
            guard case .use(let known) = choice else {
                if case .refused(let reason) = choice { throw TransportError(.authenticationFailed, reason, request: request) }
                break
            }
            var again = request
            sent = try apply(known, to: &again, isFinal: true)
            response = try await next(again)
        }
        if response.statusCode != 401, request.hasOrigin(of: response.lazyURL) {
            learn(from: response, sentWith: sent, origin: request.origin)
        }
        return response
    }

    /// Adds credentials to a request.
    ///
    /// - Parameter isFinal: Whether they are those for the last response.
    private func apply(_ known: Known, to request: inout NetworkRequest, isFinal: Bool) throws(TransportError) -> Sent {
        switch known {
        case .basic:
            request = try basic.applied(to: request)
            return Sent(isFinal: true)
        case .digest(let session):
            request.prover = DigestProver(session: session, origin: request.origin)
            request.markProof(for: "Authorization", identity: session.identity)
            return Sent(session: session, isFinal: isFinal)
        }
    }

    // MARK: Challenges

    /// What follows a 401 response.
    private enum Choice {
        case use(Known)
        /// No challenge can be used, or the credentials were rejected.
        case none
        /// All challenges that could be used are weaker than the minimum.
        case refused(String)
    }

    /// Chooses the credentials for the challenges of a 401 response.
    private func choice(for response: NetworkResponse, sentWith sent: Sent, origin: String) -> Choice {
        let challenges = AuthenticationChallenge.all(in: response.headers)
        let isStale = sent.session != nil && challenges.contains { $0.scheme == "digest" && $0["stale"]?.lowercased() == "true" }
        guard !sent.isFinal || isStale else {
            state.states.withLock { $0[origin]?.known = nil }
            return .none
        }
        let minimum = state.states.withLock { $0[origin]?.minimum } ?? minimum
        var offered: [Strength] = []
        if schemes.contains(.digest) {
            let sessions = challenges.compactMap { DigestSession($0, user: user, password: password) }
            offered = sessions.map(\.strength)
            let usable = sessions.filter { $0.strength.isAtLeast(minimum) }
            // The first of the strongest.
            if let session = usable.max(by: { $0.preference < $1.preference }) {
                return .use(.digest(remember(session, origin: origin)))
            }
        }
        let allowsBasic =
            schemes.contains(.basicWithoutEncryption)
            || schemes.contains(.basic) && (response.url.scheme == "https" || Self.isThisHost(response.url.host ?? ""))
        if allowsBasic, challenges.contains(where: { $0.scheme == "basic" }) {
            if Strength.basic.isAtLeast(minimum) {
                state.states.withLock { $0[origin, default: Origin(minimum: minimum)].known = .basic }
                return .use(.basic)
            }
            offered.append(.basic)
        }
        guard let weaker = offered.first else { return .none }
        return .refused(
            "the server asks for \(weaker), which is weaker than what it has offered before or ChallengeInterceptor requires: \(minimum)"
        )
    }

    /// Returns whether a host name or an address belongs to this host (RFC 6761 §6.3, RFC 1122 §3.2.1.3).
    private static func isThisHost(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return host.lowercased() == "localhost" || host == "::1" || host == "[::1]" || isIPv4 && parts[0] == "127"
    }

    /// Stores a session for the next requests.
    ///
    /// - Returns: The session with the same nonce if there is one, because its uses must be counted together.
    @discardableResult
    private func remember(_ session: DigestSession, origin name: String) -> DigestSession {
        state.states.withLock { states in
            var origin = states[name] ?? Origin(minimum: minimum)
            origin.minimum.rise(to: session.strength)
            var session = session
            if let index = origin.sessions.lastIndex(where: session.isSame) {
                session = origin.sessions.remove(at: index)
            } else if origin.sessions.count == Self.maximumSessions {
                origin.sessions.removeFirst()
            }
            origin.sessions.append(session)
            origin.known = .digest(session)
            states[name] = origin
            return session
        }
    }

    /// Continues with the next nonce of the server, if the response contains one (RFC 7616 §3.5).
    private func learn(from response: NetworkResponse, sentWith sent: Sent, origin: String) {
        guard let session = sent.session, let field = response.headers["Authentication-Info"],
            let nonce = AuthenticationChallenge.parse("Digest " + field).first?["nextnonce"], nonce != session.nonce
        else { return }
        let isCurrent = state.states.withLock { states in
            if case .digest(let current) = states[origin]?.known { current === session } else { false }
        }
        if isCurrent { remember(session.next(nonce: nonce), origin: origin) }
    }
}

/// Makes the digests of requests to an origin.
private struct DigestProver: RequestProver {
    let session: DigestSession
    let origin: String

    func bodyDigest(of request: NetworkRequest) async throws(TransportError) -> String? {
        session.protectsBody ? try await session.bodyDigest(of: request) : nil
    }

    func prove(_ request: inout NetworkRequest, bodyDigest: String?) throws(TransportError) {
        guard request.origin == origin else { return }
        request.headers["Authorization"] = session.authorization(
            method: request.method.rawValue, target: request.target, bodyDigest: bodyDigest)
    }
}

extension NetworkInterceptor where Self == ChallengeInterceptor {
    /// Authenticates with a user name and a password when the origin of a configuration's base URL asks for it.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - api: The configuration with the base URL.
    ///   - schemes: The schemes that may be used. Default: ``ChallengeInterceptor/Scheme/digest`` and
    ///     ``ChallengeInterceptor/Scheme/basic``.
    ///   - minimum: The weakest challenge that is accepted. Default: ``ChallengeInterceptor/Strength/basic``.
    public static func authenticationOnChallenge(
        user: String, password: String, for api: any NetworkConfigurable,
        schemes: Set<ChallengeInterceptor.Scheme> = [.digest, .basic], minimum: ChallengeInterceptor.Strength = .basic
    ) -> ChallengeInterceptor {
        ChallengeInterceptor(user: user, password: password, origins: [api.baseURL], schemes: schemes, minimum: minimum)
    }
}

extension ChallengeInterceptor: RedactedStringConvertible {}
