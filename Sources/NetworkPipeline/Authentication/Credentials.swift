import Endpoints
import Foundation
import NetworkCore

/// What makes a request one of somebody's: a token, a user's name and password, or whatever else can be put into a request.
///
/// Descriptions show no secret.
public struct Credential: Sendable {
    /// When it ends, as far as that is known: a request does not go out with one that has ended, if it can be refreshed.
    public var expires: Date?
    private let authorize: @Sendable (inout NetworkRequest) throws -> Void

    /// - Parameter authorize: Puts it into a request. Runs once per attempt, on the caller's task.
    public init(expires: Date? = nil, authorize: @escaping @Sendable (inout NetworkRequest) throws -> Void) {
        self.expires = expires
        self.authorize = authorize
    }

    /// `Authorization: Bearer …` (RFC 6750 §2.1).
    public static func bearer(_ token: String, expires: Date? = nil) -> Credential {
        let value = "Bearer \(token)"
        return Credential(expires: expires) { $0.headers["Authorization"] = value }
    }

    /// `Authorization: Basic …` (RFC 7617 §2), in UTF-8. A colon in the user's name is an error of each request.
    public static func basic(user: String, password: String) -> Credential {
        let value = user.contains(":") ? nil : "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        return Credential { request in
            guard let value else {
                throw TransportError(.authenticationFailed, "the user's name has a colon (RFC 7617 §2)", request: request)
            }
            request.headers["Authorization"] = value
        }
    }

    /// A header field of any name, such as an API key.
    public static func header(_ name: String, _ value: String) -> Credential {
        Credential { $0.headers[name] = value }
    }

    func applied(to request: NetworkRequest) throws(TransportError) -> NetworkRequest {
        var request = request
        do {
            try authorize(&request)
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

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing but when it ends.
    public var description: String { "Credential(\(expires.map { "until \(HTTPDate($0))" } ?? "without end"))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
