import Endpoints
import Foundation
import NetworkCore

/// A response of the token endpoint, or of the device authorization endpoint, whose fields have been checked.
enum TokenResponse {
    /// The maximum size of the body of a response, in bytes.
    static let maximumBytes = 256 << 10
    /// The maximum lifetime of a token, in seconds: ten years. A longer one is shortened.
    static let maximumLifetime = 315_360_000.0

    /// Returns the fields of a successful response.
    ///
    /// - Throws: The server's error (RFC 6749 §5.2), `unexpectedStatus`, or `malformedResponse`.
    static func fields(of response: NetworkResponse) throws(OAuthError) -> Fields {
        let decoder = TransferJSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let fields = try? decoder.decode(Fields.self, from: response.data)
        let status = response.statusCode
        if (200...299).contains(status) {
            if let fields, fields.error == nil { return fields }
            // Some servers send errors with status 200.
            if let error = fields.flatMap({ Self.error($0, status: status) }) { throw error }
            throw malformed("the body is not a JSON object with the fields of RFC 6749 §5.1", status)
        }
        if (400...499).contains(status), let error = fields.flatMap({ Self.error($0, status: status) }) { throw error }
        let meaning = (300...399).contains(status) ? "; redirects are not followed, because they could leak credentials" : ""
        throw OAuthError(
            .unexpectedStatus, "the authorization server responded with status \(status)\(meaning)", statusCode: status)
    }

    /// The server's error; `nil` if its name is not valid (RFC 6749 §5.2).
    private static func error(_ fields: Fields, status: Int) -> OAuthError? {
        guard let name = fields.error, (1...100).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return OAuthError(
            .init(rawValue: name), "the authorization server refused the request", serverDescription: fields.errorDescription,
            statusCode: status)
    }

    /// Returns the tokens of a successful response (RFC 6749 §5.1).
    ///
    /// - Parameters:
    ///   - requested: When the request was sent; the lifetime is counted from then.
    ///   - previous: The refresh token that stays valid if the response has no other one (§6).
    static func tokens(
        of response: NetworkResponse, requested: Date, previous: String? = nil
    ) throws(OAuthError) -> OAuthTokens {
        let fields = try fields(of: response)
        let status = response.statusCode
        guard let type = fields.tokenType else { throw malformed("token_type is missing", status) }
        guard type.lowercased() == "bearer" else {
            throw OAuthError(
                .unsupportedTokenType, "token_type is \"\(type.printable)\"; only Bearer is supported", statusCode: status)
        }
        guard let token = fields.accessToken else { throw malformed("access_token is missing", status) }
        guard OAuthTokens.isToken(token) else { throw invalid("access_token", status) }
        if let refresh = fields.refreshToken, !OAuthTokens.isToken(refresh) { throw invalid("refresh_token", status) }
        if let scope = fields.scope, scope.utf8.count > OAuthTokens.maximumScopeBytes {
            throw malformed("scope has \(scope.utf8.count) bytes, of at most \(OAuthTokens.maximumScopeBytes)", status)
        }
        var expires: Date?
        if let lifetime = fields.expiresIn {
            guard let seconds = lifetime.seconds else { throw malformed("expires_in is not a number of seconds", status) }
            expires = requested.addingTimeInterval(min(max(0, seconds), maximumLifetime))
        }
        return OAuthTokens(
            accessToken: token, refreshToken: fields.refreshToken ?? previous, issued: requested, expires: expires,
            scope: fields.scope)
    }

    static func malformed(_ reason: String, _ status: Int) -> OAuthError {
        OAuthError(.malformedResponse, "the authorization server's response: \(reason)", statusCode: status)
    }

    static func invalid(_ field: String, _ status: Int) -> OAuthError {
        malformed("\(field) is not 1 to \(OAuthTokens.maximumTokenBytes) visible ASCII characters", status)
    }

    /// The fields of a response. Unknown ones are ignored (RFC 6749 §5.1); one that is `null` counts as absent.
    struct Fields: Decodable {
        var accessToken: String?
        var tokenType: String?
        var expiresIn: Seconds?
        var refreshToken: String?
        var scope: String?
        var error: String?
        var errorDescription: String?
        var deviceCode: String?
        var userCode: String?
        var verificationUri: String?
        /// The name in early drafts, which some servers use.
        var verificationUrl: String?
        var verificationUriComplete: String?
        var interval: Seconds?
    }

    /// A number of seconds: a number, or as some servers send it, a string of digits.
    struct Seconds: Decodable {
        /// The number; `nil` if it is not finite.
        let seconds: Double?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number = try (try? container.decode(Double.self)) ?? Double(container.decode(String.self))
            seconds = number.flatMap { $0.isFinite ? $0 : nil }
        }
    }
}
