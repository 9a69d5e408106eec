import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkPipeline
import NetworkSupport

/// A client of an OAuth 2 authorization server: it requests tokens, and renews them before they expire.
///
/// ```swift
/// let oauth = try OAuthClient(
///     tokenURL: "https://auth.example.com/token", clientID: "app", secret: secret)
/// let credentials = oauth.refreshing(savedIn: FileCredentialStore(file))
/// let pipeline = RequestPipeline {
///     $0.authentication = .authentication(credentials, for: api)
/// }
/// ```
///
/// Requests for tokens are sent directly by a session manager, without interceptors. They are never sent twice, redirects are not followed,
/// and at most 256 KiB of a response are read. Only tokens of type `Bearer` are accepted. Descriptions contain no secrets.
public struct OAuthClient: Sendable {
    /// The URL of the token endpoint.
    public let tokenURL: URL
    /// The ID under which the client is registered at the authorization server. It is not secret.
    public let clientID: String
    let options: OAuthOptions
    let deviceAuthorizationURL: URL?
    let time: TimeSource
    let now: @Sendable () -> Date
    @Secret private var secret: String?
    /// Whether the client sends its ID and secret in `Authorization`.
    var usesBasic: Bool { secret != nil && options.clientAuthentication != .body }
    private let session: any NetworkSessionManager

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - tokenURL: The URL of the token endpoint (RFC 6749 §3.2): https, or http for this machine.
    ///   - clientID: The ID of the client: 1 to 1,024 printable ASCII characters.
    ///   - secret: The secret of the client, 1 to 4,096 printable ASCII characters; `nil` for a public client (§2.1). Default: `nil`.
    ///   - options: Further settings.
    ///   - session: Sends the requests for tokens. By default, one that all services share, with its connections.
    ///   - clock: The clock that measures the pauses of the device flow.
    ///   - now: Returns the date with which expiration dates are computed and compared. Default: the system's clock.
    /// - Throws: ``OAuthError/Code/invalidConfiguration`` with a message that names the field.
    public init(
        tokenURL: String, clientID: String, secret: String? = nil, options: OAuthOptions = OAuthOptions(),
        session: any NetworkSessionManager = DefaultSessionManager.shared, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        try options.validate()
        self.tokenURL = try options.url(tokenURL, "tokenURL")
        if let url = options.deviceAuthorizationURL {
            deviceAuthorizationURL = try options.url(url, "deviceAuthorizationURL")
        } else {
            deviceAuthorizationURL = nil
        }
        guard Self.isPrintable(clientID, maximum: 1024) else {
            throw OAuthOptions.invalid("clientID", "it is not 1 to 1024 printable ASCII characters (RFC 6749 appendix A.1)")
        }
        guard options.clientAuthentication != .unencodedBasic || !clientID.contains(":") else {
            throw OAuthOptions.invalid("clientID", "it contains a colon, which unencodedBasic does not permit (RFC 7617 §2)")
        }
        if let secret {
            SecretValues.insert(secret)
            SecretValues.insert(Self.formEncoded(secret))
            guard Self.isPrintable(secret, maximum: 4096) else {
                throw OAuthOptions.invalid("secret", "it is not 1 to 4096 printable ASCII characters (RFC 6749 appendix A.2)")
            }
        }
        self.clientID = clientID
        self.secret = secret
        self.options = options
        self.session = session
        self.now = now
        time = TimeSource(clock)
    }

    private static func isPrintable(_ text: String, maximum: Int) -> Bool {
        (1...maximum).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func formEncoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.appendForm(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: Credentials

extension OAuthClient {
    /// Returns credentials that the client requests with its own ID and secret, for no user (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - scope: The names of the requested permissions. Default: those that the server chooses. An invalid name makes each request fail.
    ///   - store: Keeps the token, so that all processes share it. Default: `nil`; the token is kept in memory.
    /// - Returns: Credentials that are requested for the first request, and again before they expire or when they are rejected with 401. A
    ///   failure is ``NetworkCore/TransportError/Code/authenticationFailed``, with an ``OAuthError`` as the cause.
    public func clientCredentials(
        scope: [String] = [], savedIn store: (any CredentialStore)? = nil
    ) -> RefreshingCredentials {
        credentials(from: SharedTokens(self, store ?? InMemoryCredentialStore(), .clientCredentials(scope: scope)))
    }

    /// Returns the credentials of the user whose tokens are in a store. They are renewed with the refresh token (RFC 6749 §6).
    ///
    /// All tasks and all processes that use the store run at most one refresh at a time, and use its result. A new refresh token is saved
    /// before the new access token is used. Before a refresh token is sent, that is saved too: if the process ends or the response
    /// is lost, so that the server may have replaced the token, the next refresh sends the token once more
    /// (``OAuthOptions/resendsAfterLostResponse``). If the server refuses it then, the error is ``OAuthError/Code/responseLost``. A refresh that
    /// has begun is not cancelled.
    ///
    /// If another user signs in to the store, requests of the previous user that are rejected fail, and later requests are sent with the new user's
    /// tokens: at once after ``CredentialStore/signIn(with:timeout:)`` in this process, and otherwise when the access token expires or is rejected.
    /// After ``CredentialStore/signOut(timeout:)``, or ``NetworkPipeline/RefreshingCredentials/set(_:)`` with `nil`, requests fail until the next sign-in.
    ///
    /// - Parameter store: Keeps the tokens. ``CredentialStore/signIn(with:timeout:)`` saves the first ones, as does the device flow.
    /// - Returns: Credentials. A failure is ``NetworkCore/TransportError/Code/authenticationFailed``, with an ``OAuthError`` as the cause:
    ///   ``OAuthError/requiresSignIn`` is `true` if the user has to sign in.
    public func refreshing(savedIn store: any CredentialStore) -> RefreshingCredentials {
        credentials(from: SharedTokens(self, store, .refreshToken))
    }

    private func credentials(from tokens: SharedTokens) -> RefreshingCredentials {
        // Long enough for a refresh that waits for the lock. The request for tokens itself is limited, and goes on.
        let timeout = options.lockTimeout + options.requestTimeout + .seconds(10)
        let credentials = RefreshingCredentials(timeout: timeout, now: now, sharing: tokens)
        tokens.setOwner(credentials)
        return credentials
    }
}

// MARK: Requests

extension OAuthClient {
    /// Sends a request for tokens, once.
    ///
    /// - Parameter previous: The refresh token that stays valid if the response has no other one.
    func tokens(_ parameters: [(String, String)], previous: String? = nil) async throws(OAuthError) -> OAuthTokens {
        let requested = now()
        let response = try await send(
            parameters + options.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, to: tokenURL)
        return try TokenResponse.tokens(of: response, requested: requested, previous: previous)
    }

    /// Sends a form, once, with the authentication of the client (RFC 6749 §2.3.1).
    func send(_ parameters: [(String, String)], to url: URL) async throws(OAuthError) -> NetworkResponse {
        var parameters = parameters
        var request = NetworkRequest(method: .post, url: url, timeouts: RequestTimeouts(total: options.requestTimeout))
        request.headers["Accept"] = "application/json"
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        switch (secret, options.clientAuthentication) {
        case (let secret?, .basic):
            let pair = Self.formEncoded(clientID) + ":" + Self.formEncoded(secret)
            request.headers["Authorization"] = "Basic " + Data(pair.utf8).base64EncodedString()
        case (let secret?, .unencodedBasic):
            request.headers["Authorization"] = "Basic " + Data("\(clientID):\(secret)".utf8).base64EncodedString()
        case (let secret?, .body): parameters += [("client_id", clientID), ("client_secret", secret)]
        case (nil, _): parameters.append(("client_id", clientID))
        }
        let form = parameters.map { Self.formEncoded($0) + "=" + Self.formEncoded($1) }.joined(separator: "&")
        request.body = .data(Data(form.utf8))
        request.redirects = .doNotFollow
        // Not even on another connection, if the server may have received it.
        request.isIdempotent = false
        do throws(TransportError) {
            return try await session.stream(for: request).collected(maximumBytes: TokenResponse.maximumBytes)
        } catch {
            if error.isCancelled { throw OAuthError(.cancelled, "the request for tokens was cancelled", underlying: error) }
            throw OAuthError(.transportFailed, "no response to the request for tokens was received", underlying: error)
        }
    }

    /// Returns a scope as it is sent (RFC 6749 §3.3); `nil` for an empty one.
    static func scopeText(_ scope: [String]) throws(OAuthError) -> String? {
        for name in scope {
            let isValid =
                !name.isEmpty && name.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
            guard isValid else {
                throw OAuthOptions.invalid("scope", "\"\(name.printable)\" is not a scope name (RFC 6749 §3.3)")
            }
        }
        let text = scope.joined(separator: " ")
        guard text.utf8.count <= OAuthTokens.maximumScopeBytes else {
            throw OAuthOptions.invalid("scope", "it is larger than \(OAuthTokens.maximumScopeBytes) bytes")
        }
        return text.isEmpty ? nil : text
    }
}

extension OAuthClient: RedactedStringConvertible {
    /// The ID of the client and the URL of the token endpoint without its query.
    public var description: String { "OAuthClient(\(clientID.printable), \(URLText(tokenURL).originAndPath))" }
}
