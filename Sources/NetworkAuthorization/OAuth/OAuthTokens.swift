import Endpoints
import Foundation
import NetworkLogging
import NetworkPipeline
import NetworkSupport

/// The tokens that an authorization server has issued (RFC 6749 §5.1). Descriptions do not contain them.
public struct OAuthTokens: Sendable, Hashable {
    /// The token that authenticates requests.
    public let accessToken: String
    /// The token with which newer tokens are requested; `nil` if the server issued none.
    public let refreshToken: String?
    /// When the tokens were requested.
    public let issued: Date
    /// When the access token expires; `nil` if the server did not specify it.
    public let expires: Date?
    /// The scope of the access token, in which names are separated by spaces; `nil` if it is the requested one.
    public let scope: String?

    /// Creates tokens. They are redacted wherever they appear in texts.
    ///
    /// - Parameters:
    ///   - accessToken: The token that authenticates requests.
    ///   - refreshToken: The token with which a new access token is requested. Default: `nil`.
    ///   - issued: When the tokens were requested. Default: now.
    ///   - expires: When the access token expires. Default: `nil`; the token is then used until a server rejects it.
    ///   - scope: The scope that was granted, if the server says so. Default: `nil`.
    public init(
        accessToken: String, refreshToken: String? = nil, issued: Date = Date(), expires: Date? = nil, scope: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.issued = issued
        self.expires = expires
        self.scope = scope
        SecretValues.insert(accessToken)
        if let refreshToken { SecretValues.insert(refreshToken) }
    }

    /// The maximum size of a token, in bytes.
    static let maximumTokenBytes = 16 << 10
    /// The maximum size of a scope, in bytes.
    static let maximumScopeBytes = 4 << 10

    /// Returns when the access token is renewed: `margin` before it expires, but not before half of its lifetime has passed.
    func renewal(margin: Duration) -> Date? {
        guard let expires else { return nil }
        let lifetime = max(0, expires.timeIntervalSince(issued))
        return expires.addingTimeInterval(-min(margin.inSeconds, lifetime / 2))
    }

    /// Returns the credential that sends the access token, which expires when it is renewed.
    func credential(margin: Duration) -> Credential {
        // The refresh token is not part of it: it is used under the lock of its store only.
        .bearer(accessToken, expires: renewal(margin: margin))
    }

    /// Whether a text can be a token: visible ASCII characters (RFC 6749 appendix A.12), which a header field may contain.
    static func isToken(_ text: String) -> Bool {
        (1...maximumTokenBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension OAuthTokens: RedactedStringConvertible {
    /// Whether there is a refresh token, and when the access token expires.
    public var description: String {
        "OAuthTokens(\(refreshToken == nil ? "without" : "with") a refresh token, "
            + "\(expires.map { "until \(HTTPDate($0))" } ?? "without end"))"
    }
}

extension Duration {
    /// The duration in seconds, at most 10^9.
    var inSeconds: Double {
        let (seconds, attoseconds) = bounded.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
