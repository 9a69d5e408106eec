import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A credential that authenticates requests: a token, a user name and password, or any other change to a request.
///
/// Descriptions contain no secrets.
public struct Credential: Sendable {
    /// The expiration date, or `nil` if it is not known.
    ///
    /// If the credential can be refreshed, it is refreshed before a request is sent after this date.
    public var expires: Date?
    /// The token of a bearer credential.
    public let token: String?
    /// The refresh token, with which newer tokens are requested (RFC 6749 §6).
    public let refreshToken: String?
    /// The user name of a basic credential.
    public let user: String?
    /// The password of a basic credential.
    public let password: String?
    /// The header field of a credential that is sent in a field of any name.
    public let header: HeaderFields.Field?
    private let form: Form

    /// How the credential is added to a request.
    private enum Form: Sendable {
        case field(HeaderFields.Field)
        case closure(@Sendable (inout NetworkRequest) throws -> Void)
    }

    /// Creates a credential from a closure that applies it to a request.
    ///
    /// Header fields and query items that `authorize` changes are treated as credentials: the header fields are sent to that
    /// origin alone, and neither the fields nor the query items appear in logs or errors.
    ///
    /// - Parameters:
    ///   - expires: The expiration date; `nil` if it is not known.
    ///   - token: The token, for the closure that refreshes the credential. Tokens and password are redacted wherever they appear
    ///     in texts.
    ///   - refreshToken: The token with which newer tokens are requested.
    ///   - user: The user name.
    ///   - password: The password.
    ///   - header: The header field in which the credential is sent.
    ///   - authorize: Adds the credential to a request. Called once per attempt, on the caller's task.
    public init(
        expires: Date? = nil, token: String? = nil, refreshToken: String? = nil, user: String? = nil, password: String? = nil,
        header: HeaderFields.Field? = nil, authorize: @escaping @Sendable (inout NetworkRequest) throws -> Void
    ) {
        self.init(
            expires: expires, token: token, refreshToken: refreshToken, user: user, password: password, header: header,
            form: .closure(authorize))
    }

    private init(
        expires: Date? = nil, token: String? = nil, refreshToken: String? = nil, user: String? = nil, password: String? = nil,
        header: HeaderFields.Field? = nil, form: Form
    ) {
        self.expires = expires
        self.token = token
        self.refreshToken = refreshToken
        self.user = user
        self.password = password
        self.header = header
        self.form = form
        for secret in [token, refreshToken, password] {
            if let secret { SecretValues.insert(secret) }
        }
    }

    /// Creates a bearer token credential, sent as `Authorization: Bearer …` (RFC 6750 §2.1).
    ///
    /// - Parameters:
    ///   - token: The access token.
    ///   - refreshToken: The token for a refresh. It is kept in ``refreshToken`` and never sent with a request (RFC 6749 §1.5).
    ///   - expires: The expiration date; `nil` if it is not known.
    public static func bearer(_ token: String, refreshToken: String? = nil, expires: Date? = nil) -> Credential {
        let field = HeaderFields.Field(name: "Authorization", value: "Bearer \(token)")
        return Credential(expires: expires, token: token, refreshToken: refreshToken, form: .field(field))
    }

    /// Creates a credential of user name and password, sent as `Authorization: Basic …` in UTF-8 (RFC 7617 §2).
    ///
    /// If the user name contains a colon, each request fails with ``NetworkCore/TransportError/Code/authenticationFailed``.
    public static func basic(user: String, password: String) -> Credential {
        if user.contains(":") {
            return Credential(user: user, password: password) { request in
                throw TransportError(.authenticationFailed, "the user name contains a colon (RFC 7617 §2)", request: request)
            }
        }
        let value = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        return Credential(user: user, password: password, form: .field(.init(name: "Authorization", value: value)))
    }

    /// Creates a credential that is sent in a header field of any name, such as an API key.
    public static func header(_ value: String, for name: String) -> Credential {
        SecretValues.insert(fieldValue: value, named: name)
        let field = HeaderFields.Field(name: name, value: value)
        return Credential(header: field, form: .field(field))
    }

    /// Whether the credential is a header field that is the same for all requests.
    var isConstantField: Bool {
        if case .field = form { true } else { false }
    }

    func applied(to request: NetworkRequest) throws(TransportError) -> NetworkRequest {
        var request = request
        let authorize: @Sendable (inout NetworkRequest) throws -> Void
        switch form {
        case .field(let field):
            request.setCredential(field.value, for: field.name)
            return request
        case .closure(let closure): authorize = closure
        }
        do {
            let before = request
            try authorize(&request)
            request.markCredentials(addedTo: before)
            return request
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(.authenticationFailed, "the credential cannot be applied", causedBy: error, request: request)
        }
    }
}

extension Credential: RedactedStringConvertible {
    /// A textual representation that contains only the expiration date.
    public var description: String { "Credential(\(expires.map { "until \(HTTPDate($0))" } ?? "without end"))" }
}
