import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// The settings of an ``OAuthClient``. Values outside their ranges are errors when the client is created.
public struct OAuthOptions: Sendable {
    /// How a client with a secret proves its identity (RFC 6749 §2.3.1).
    public enum ClientAuthentication: Sendable, Hashable {
        /// In `Authorization: Basic`, in which the ID and the secret are encoded as in a form, as the RFC requires.
        case basic
        /// In `Authorization: Basic`, in which the ID and the secret are not encoded, as some servers expect, among them those made with
        /// Authlib. Without characters other than letters, digits, `*`, `-`, `.` and `_`, it is the same as `basic`. The ID must not contain a
        /// colon.
        case unencodedBasic
        /// In the body, as `client_id` and `client_secret`. For servers that do not support `basic`.
        case body
    }

    /// The URL of the device authorization endpoint (RFC 8628 §3.1), for ``OAuthClient/deviceFlow(scope:savedIn:isolation:prompt:)``. Default: `nil`.
    public var deviceAuthorizationURL: String?
    /// How a client with a secret proves its identity. Default: ``ClientAuthentication/basic``. A client without a secret sends its ID in
    /// the body (§3.2.1).
    public var clientAuthentication: ClientAuthentication
    /// Further parameters of each request for tokens, such as `audience` or `resource` (RFC 8707). At most 32, of at most 4 KiB each. Those
    /// that the client sets itself are an error. Default: none.
    public var parameters: [String: String]
    /// How long before its expiration an access token is renewed, at most half of its lifetime: 0 to 24 hours. Default: 60 seconds.
    public var renewalMargin: Duration
    /// The maximum duration of a request for tokens: 100 milliseconds to 1 hour. Default: 30 seconds.
    public var requestTimeout: Duration
    /// The maximum time to wait for the lock of a store, which another process may hold while it refreshes: 0 to 24 hours. Default: 60 seconds.
    public var lockTimeout: Duration
    /// Whether a refresh token is sent again by the next refresh if the response to it was lost, so that the server may have replaced it.
    /// Default: `true`.
    ///
    /// Servers accept it if they did not receive the request, or if they permit a replaced token for some time. Other servers refuse it, and
    /// then the user has to sign in again. Some also revoke the access tokens that were issued before (RFC 9700 §4.14.2); with `false`,
    /// these stay valid until they expire, and the user has to sign in again after each lost response.
    public var resendsAfterLostResponse: Bool
    /// Whether http URLs are accepted for other hosts than `localhost`, `127.0.0.1` and `[::1]`, although RFC 6749 §3.2 requires TLS.
    /// Default: `false`.
    public var allowsUnencrypted: Bool

    /// Creates settings.
    public init(
        deviceAuthorizationURL: String? = nil, clientAuthentication: ClientAuthentication = .basic,
        parameters: [String: String] = [:], renewalMargin: Duration = .seconds(60), requestTimeout: Duration = .seconds(30),
        lockTimeout: Duration = .seconds(60), resendsAfterLostResponse: Bool = true, allowsUnencrypted: Bool = false
    ) {
        self.deviceAuthorizationURL = deviceAuthorizationURL
        self.clientAuthentication = clientAuthentication
        self.parameters = parameters
        self.renewalMargin = renewalMargin
        self.requestTimeout = requestTimeout
        self.lockTimeout = lockTimeout
        self.resendsAfterLostResponse = resendsAfterLostResponse
        self.allowsUnencrypted = allowsUnencrypted
    }
}

extension OAuthOptions {
    /// The parameters that the client sets itself.
    private static let reserved: Set<String> = [
        "grant_type", "client_id", "client_secret", "refresh_token", "device_code", "scope",
    ]

    func validate() throws(OAuthError) {
        for (name, value, range) in [
            ("renewalMargin", renewalMargin, .zero...Duration.seconds(86400)),
            ("requestTimeout", requestTimeout, .milliseconds(100)...Duration.seconds(3600)),
            ("lockTimeout", lockTimeout, .zero...Duration.seconds(86400)),
        ] where !range.contains(value) {
            throw Self.invalid(name, "\(value) is not between \(range.lowerBound) and \(range.upperBound)")
        }
        guard parameters.count <= 32 else { throw Self.invalid("parameters", "there are more than 32") }
        for (name, value) in parameters {
            guard !name.isEmpty, name.utf8.count + value.utf8.count <= 4096 else {
                throw Self.invalid("parameters", "\"\(name.printable)\" is empty or larger than 4096 bytes")
            }
            if Self.reserved.contains(name) { throw Self.invalid("parameters", "\(name) is set by the client") }
        }
    }

    /// Returns the URL of an endpoint of the authorization server (RFC 6749 §3.2).
    func url(_ text: String, _ field: String) throws(OAuthError) -> URL {
        let parts = URLText(text)
        do throws(RequestGenerationError) {
            try parts.requireHTTP(.url)
        } catch {
            throw Self.invalid(field, error.reason)
        }
        guard text.utf8.count <= 8192, let url = URL(string: text) else {
            throw Self.invalid(field, "it is not a URL (RFC 3986 §3)")
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw Self.invalid(field, "it has a fragment (RFC 6749 §3.2)") }
        guard !parts.authority.utf8.contains(UInt8(ascii: "@")) else { throw Self.invalid(field, "it contains a user name") }
        let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(url.host?.lowercased())
        guard parts.scheme == "https" || isLocal || allowsUnencrypted else {
            throw Self.invalid(field, "it is not an https URL (RFC 6749 §3.2); see allowsUnencrypted")
        }
        return url
    }

    static func invalid(_ field: String, _ reason: String) -> OAuthError {
        OAuthError(.invalidConfiguration, "\(field): \(reason)")
    }
}

extension OAuthOptions: RedactedStringConvertible {
    /// The options; of the parameters, the names.
    public var description: String {
        described([
            "deviceAuthorizationURL": deviceAuthorizationURL.map { URLText($0).originAndPath },
            "clientAuthentication": clientAuthentication,
            "parameters": parameters.keys.sorted().map(\.printable), "renewalMargin": renewalMargin,
            "requestTimeout": requestTimeout,
            "lockTimeout": lockTimeout, "resendsAfterLostResponse": resendsAfterLostResponse,
            "allowsUnencrypted": allowsUnencrypted,
        ])
    }
}
