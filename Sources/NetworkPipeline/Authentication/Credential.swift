import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// What makes a request one of somebody's: a token, a user's name and password, or whatever else can be put into a request.
///
/// Descriptions show no secret.
public struct Credential: Sendable {
    /// When it ends, as far as that is known: a request does not go out with one that has ended, if it can be refreshed.
    public var expires: Date?
    /// What it is made of, for a refresh.
    public let parts: Parts
    private let authorize: @Sendable (inout NetworkRequest) throws -> Void

    /// What `authorize` changes in a request counts as a credential: header fields are sent to that origin alone, and neither they nor query
    /// items are shown in a log or an error.
    ///
    /// - Parameters:
    ///   - expires: `nil`: not known.
    ///   - authorize: Puts it into a request. Runs once per attempt, on the caller's task.
    ///   - parts: For who refreshes it. Each counts as a secret.
    public init(
        expires: Date? = nil, parts: Parts = Parts(), authorize: @escaping @Sendable (inout NetworkRequest) throws -> Void
    ) {
        self.expires = expires
        self.parts = parts
        self.authorize = authorize
        for secret in [parts.token, parts.refreshToken, parts.password] {
            if let secret { SecretValues.insert(secret) }
        }
    }

    /// `Authorization: Bearer …` (RFC 6750 §2.1).
    ///
    /// - Parameter refreshToken: Kept in ``parts``, never sent with a request (RFC 6749 §1.5).
    public static func bearer(_ token: String, refreshToken: String? = nil, expires: Date? = nil) -> Credential {
        let value = "Bearer \(token)"
        return Credential(expires: expires, parts: Parts(token: token, refreshToken: refreshToken)) {
            $0.headers["Authorization"] = value
        }
    }

    /// `Authorization: Basic …` (RFC 7617 §2), in UTF-8. A colon in the user's name is an error of each request.
    public static func basic(user: String, password: String) -> Credential {
        let value = user.contains(":") ? nil : "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        return Credential(parts: Parts(user: user, password: password)) { request in
            guard let value else {
                throw TransportError(.authenticationFailed, "the user's name has a colon (RFC 7617 §2)", request: request)
            }
            request.headers["Authorization"] = value
        }
    }

    /// A header field of any name, such as an API key.
    public static func header(_ name: String, _ value: String) -> Credential {
        SecretValues.insert(fieldValue: value, named: name)
        return Credential(parts: Parts(header: HTTPHeaders.Field(name: name, value: value))) { $0.headers[name] = value }
    }

    func applied(to request: NetworkRequest) throws(TransportError) -> NetworkRequest {
        var request = request
        do {
            let before = request
            try authorize(&request)
            request.markCredentials(addedTo: before)
            return request
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(
                .authenticationFailed, "the credential cannot be applied (\(type(of: error)))", request: request,
                underlying: error)
        }
    }
}

extension Credential {
    /// What a credential is made of. Descriptions show no part.
    public struct Parts: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// Of a bearer credential.
        public var token: String?
        /// What newer tokens are asked for with (RFC 6749 §6).
        public var refreshToken: String?
        /// Of a user with a password.
        public var user: String?
        /// Of a user with a password.
        public var password: String?
        /// Of a credential in a header field of its own.
        public var header: HTTPHeaders.Field?

        /// Parts; none by default.
        public init(
            token: String? = nil, refreshToken: String? = nil, user: String? = nil, password: String? = nil,
            header: HTTPHeaders.Field? = nil
        ) {
            self.token = token
            self.refreshToken = refreshToken
            self.user = user
            self.password = password
            self.header = header
        }

        /// Says nothing of them.
        public var description: String { "Credential.Parts" }
        /// The same as `description`.
        public var debugDescription: String { description }
        /// The description.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing but when it ends.
    public var description: String { "Credential(\(expires.map { "until \(HTTPDate($0))" } ?? "without end"))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
