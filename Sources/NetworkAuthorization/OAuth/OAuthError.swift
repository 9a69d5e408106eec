import Foundation
import NetworkCore
import NetworkLogging

/// The error with which a request for tokens fails.
///
/// If ``requiresSignIn`` is `true`, no further attempt can succeed until the user has signed in again. Descriptions contain no tokens.
public struct OAuthError: Error, Sendable {
    /// The kind of failure. Those of an authorization server have the names of RFC 6749 §5.2 and RFC 8628 §3.5; a server may
    /// define more.
    public struct Code: ErrorCode {
        /// The name of the code, as descriptions show it.
        public var rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of failure, on which a caller can branch.
    public let code: Code
    /// A readable reason.
    public let message: String
    /// The `error_description` of the server: at most 200 characters, with secrets redacted and control characters escaped; `nil` if there is
    /// none.
    public let serverDescription: String?
    /// The status of the server's response; `nil` if there is no response.
    public let statusCode: Int?
    /// The error that caused this one: a ``NetworkCore/TransportError`` or a ``CredentialStoreError``.
    public let underlying: (any Error)?
    /// The pause for which the server asks before the next request.
    var requestedPause: Duration?

    /// Creates an error. Secrets in the texts are redacted, and `serverDescription` is cut after 200 characters.
    public init(
        _ code: Code, _ message: String, serverDescription: String? = nil, statusCode: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        // A server may send any text as a code.
        self.code = Code(rawValue: code.rawValue.printable)
        self.message = message.printableLine
        self.serverDescription = serverDescription.map { $0.printable(limit: Self.maximumDescription) }
        self.statusCode = statusCode
        self.underlying = underlying
    }

    /// The maximum number of characters of ``serverDescription``.
    static let maximumDescription = 200

    /// Whether the user has to sign in again, because there is no refresh token, or the server refused it.
    public var requiresSignIn: Bool {
        [.signInRequired, .responseLost, .invalidGrant].contains(code)
    }
}

// The codes of authorization servers.
extension OAuthError.Code {
    /// The request lacks a parameter, or has an invalid one.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The client is unknown, or its secret is wrong.
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The refresh token or the device code is invalid, expired, or revoked.
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// The client is not permitted to use this kind of grant.
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// The server does not support this kind of grant.
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// The scope is invalid, unknown, or more than what was granted.
    public static let invalidScope = Self(rawValue: "invalid_scope")
    /// The user refused (RFC 8628 §3.5). `authorization_declined`, as some servers name it, has this code too.
    public static let accessDenied = Self(rawValue: "access_denied")
    /// The user did not respond in time (RFC 8628 §3.5).
    public static let expiredToken = Self(rawValue: "expired_token")
    /// The user has not responded yet (RFC 8628 §3.5). The device flow continues.
    static let authorizationPending = Self(rawValue: "authorization_pending")
    /// The client requests tokens too often (RFC 8628 §3.5). The device flow continues more slowly.
    static let slowDown = Self(rawValue: "slow_down")
}

// The codes of this client.
extension OAuthError.Code {
    /// The response to a refresh was lost, the server had replaced the refresh token, and refused the previous one. The user has to sign
    /// in again.
    public static let responseLost = Self(rawValue: "responseLost")
    /// There is no refresh token, or the server has refused it before. Nothing was sent.
    public static let signInRequired = Self(rawValue: "signInRequired")
    /// A setting of the client is invalid. Nothing was sent.
    public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
    /// The server's response cannot be used. The message names the field.
    public static let malformedResponse = Self(rawValue: "malformedResponse")
    /// The server issued another kind of token than `Bearer` (RFC 6749 §7.1).
    public static let unsupportedTokenType = Self(rawValue: "unsupportedTokenType")
    /// The server responded with a status that is neither a success nor one of the errors of RFC 6749 §5.2.
    public static let unexpectedStatus = Self(rawValue: "unexpectedStatus")
    /// No complete response was received; the cause is ``OAuthError/underlying``.
    public static let transportFailed = Self(rawValue: "transportFailed")
    /// The tokens could not be loaded, locked or saved; the cause is ``OAuthError/underlying``.
    public static let storeFailed = Self(rawValue: "storeFailed")
    /// The task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
}

extension OAuthError.Code {
    /// The code of RFC 8628 §3.5 for the name that a server sends.
    init(ofDeviceFlow name: String) {
        switch name.lowercased() {
        case "authorization_declined": self = .accessDenied
        case "code_expired", "device_code_expired": self = .expiredToken
        case let lower:
            let known: [Self] = [.accessDenied, .expiredToken, .authorizationPending, .slowDown, .invalidGrant]
            self = known.first { $0.rawValue == lower } ?? Self(rawValue: name)
        }
    }
}

extension OAuthError: RedactedStringConvertible, LocalizedError, RedactedError {
    /// A description on one line: code, status, message, the server's description, and the cause if it is an error of this framework.
    public var description: String {
        var text = code.rawValue.printable
        if let statusCode { text += " (status \(statusCode))" }
        text += ": " + message.printableLine
        if let serverDescription { text += "; the server says \"\(serverDescription)\"" }
        if let cause = underlying as? any RedactedError { text += "; cause: \(cause)" }
        return text
    }
}

extension OAuthError: CallError {
    package var facts: CallFacts {
        CallFacts(
            statusCode: statusCode, isCancelled: code == .cancelled, isTimeout: underlying?.isTimeout ?? false,
            isConnectivity: underlying?.isConnectivity ?? false, isRetryable: underlying?.isRetryable ?? false)
    }
}

extension CredentialStoreError: CallError {
    package var facts: CallFacts {
        CallFacts(isCancelled: code == .cancelled, isTimeout: code == .lockTimedOut, isRetryable: code == .lockTimedOut)
    }
}

extension OAuthError.Code {
    /// The name of the code, which a server may have chosen, with secrets redacted and at most 60 characters.
    public var description: String { rawValue.printable }
}
