import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A response of the token endpoint, or of the device authorization endpoint, whose fields have been checked.
enum TokenResponse {
    /// The maximum size of the body of a response, in bytes.
    static let maximumBytes = 256 << 10
    /// The maximum lifetime of a token, in seconds: ten years. A longer one is shortened.
    static let maximumLifetime = 315_360_000.0

    /// Returns the fields of a successful response.
    ///
    /// - Throws: The server's error (RFC 6749 §5.2), `unexpectedStatus`, or `malformedResponse`.
    static func fields(of response: NetworkResponse) throws(OAuthError) -> TokenFields {
        let fields = TokenFields(response.data)
        let status = response.statusCode
        let isSuccess = (200...299).contains(status)
        // Some servers send errors with status 200.
        if let fields, let failure = fields.failure, isSuccess || (400...499).contains(status) {
            if let name = failure.name {
                var error = OAuthError(
                    .init(rawValue: name), "the authorization server refused the request", serverDescription: failure.description,
                    statusCode: status)
                error.requestedPause = pause(of: response) ?? fields.seconds("interval").map(Self.interval)
                throw error
            }
            if isSuccess { throw malformed("its error has no name (RFC 6749 §5.2)", status, failure.description) }
        }
        if isSuccess {
            guard let fields else { throw malformed("the body is not a JSON object with the fields of RFC 6749 §5.1", status) }
            return fields
        }
        let meaning = (300...399).contains(status) ? "; redirects are not followed, because they could leak credentials" : ""
        var error = OAuthError(
            .unexpectedStatus, "the authorization server responded with status \(status)\(meaning)",
            serverDescription: fields?.failure?.description, statusCode: status)
        error.requestedPause = pause(of: response)
        throw error
    }

    /// Returns the tokens of a successful response (RFC 6749 §5.1).
    ///
    /// `access_token` must be valid. A missing `token_type` means Bearer, and other fields of the wrong type count as absent.
    ///
    /// - Parameters:
    ///   - requested: When the request was sent; the lifetime is counted from then.
    ///   - previous: The refresh token that stays valid if the response has no other one (§6).
    static func tokens(
        of response: NetworkResponse, requested: Date, previous: String? = nil
    ) throws(OAuthError) -> OAuthTokens {
        let fields = try fields(of: response)
        let status = response.statusCode
        let type = fields.text("token_type")?.trimmingCharacters(in: .whitespaces) ?? "Bearer"
        guard ["bearer", "bearertoken"].contains(type.lowercased()) else {
            throw OAuthError(
                .unsupportedTokenType, "token_type is \"\(type.printable)\"; only Bearer is supported", statusCode: status)
        }
        guard fields.has("access_token") else { throw malformed("access_token is missing", status) }
        guard let token = fields.text("access_token"), OAuthTokens.isToken(token) else { throw invalid("access_token", status) }
        let refresh = fields.text("refresh_token")
        if let refresh, !OAuthTokens.isToken(refresh) { throw invalid("refresh_token", status) }
        let scope = fields.texts("scope")?.joined(separator: " ")
        if let scope, scope.utf8.count > OAuthTokens.maximumScopeBytes {
            throw malformed("scope has \(scope.utf8.count) bytes, of at most \(OAuthTokens.maximumScopeBytes)", status)
        }
        // A token that has expired already would be requested again for each request.
        let lifetime = fields.seconds("expires_in").flatMap { $0 > 0 ? min($0, maximumLifetime) : nil }
        return OAuthTokens(
            accessToken: token, refreshToken: refresh ?? previous, issued: requested,
            expires: lifetime.map(requested.addingTimeInterval), scope: scope)
    }

    /// Returns an interval between two requests that the server prescribes: 1 second to 5 minutes.
    static func interval(_ seconds: Double) -> Duration { .bounded(seconds: seconds.clamped(to: 1...300)) }

    /// The pause for which a response asks (`Retry-After`).
    private static func pause(of response: NetworkResponse) -> Duration? { RetryAfter(response.headers).pause }

    static func malformed(_ reason: String, _ status: Int, _ description: String? = nil) -> OAuthError {
        OAuthError(
            .malformedResponse, "the authorization server's response: \(reason)", serverDescription: description,
            statusCode: status)
    }

    static func invalid(_ field: String, _ status: Int) -> OAuthError {
        malformed("\(field) is not 1 to \(OAuthTokens.maximumTokenBytes) visible ASCII characters", status)
    }
}

/// The fields of a response of an authorization server: a JSON object, or a form, as some servers send it.
///
/// Unknown fields are ignored (RFC 6749 §5.1). One that is `null` or an empty text counts as absent, and a field of another type than the
/// expected one does not affect the others.
struct TokenFields {
    /// A value of a field.
    private enum Value: Decodable {
        case text(String)
        case number(Double)
        case list([Value])
        case object([String: Value])
        /// `null`, `true` or `false`.
        case other

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.singleValueContainer() {
                if let text = try? container.decode(String.self) {
                    self = .text(text)
                    return
                }
                if let number = try? container.decode(Double.self) {
                    self = .number(number)
                    return
                }
            }
            if let object = try? [String: Value](from: decoder) {
                self = .object(object)
            } else if let list = try? [Value](from: decoder) {
                self = .list(list)
            } else {
                self = .other
            }
        }

        /// The text, or a number in decimal digits; `nil` if it is empty or of another type.
        var text: String? {
            switch self {
            case .text(let text): text.isEmpty ? nil : text
            case .number(let number): Int64(exactly: number).map { String($0) }
            default: nil
            }
        }
    }

    /// An error of the server.
    struct Failure {
        /// The code; `nil` if it is not valid (RFC 6749 §5.2).
        var name: String?
        var description: String?
    }

    /// The maximum number of fields of a form.
    private static let maximumFields = 256

    private let values: [String: Value]

    /// Reads the body of a response; `nil` if it is neither an object nor a form with a field of RFC 6749 §5.
    init?(_ body: Data) {
        if let values = try? TransferJSONDecoder().decode([String: Value].self, from: body) {
            self.values = values
            return
        }
        let pairs = body.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumFields).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), Value.text(parts.count > 1 ? Self.decoded(parts[1]) : ""))
        }
        values = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        guard values["access_token"] != nil || values["error"] != nil || values["device_code"] != nil else { return nil }
    }

    private static func decoded(_ bytes: Data) -> String {
        let text = String(decoding: bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self)
        return String(decoding: PercentEncoding.decodedBytes(text), as: UTF8.self)
    }

    /// The value of a field, also under its name in camel case.
    private func value(_ name: String) -> Value? {
        if let value = values[name] { return value }
        let words = name.split(separator: "_")
        return values[words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()]
    }

    /// Whether there is a field, whatever its value, except `null`.
    func has(_ name: String) -> Bool {
        switch value(name) {
        case nil, .other: false
        default: true
        }
    }

    /// The text of a field; that of a number if it is whole.
    func text(_ name: String) -> String? { value(name)?.text }

    /// The texts of a field that is a text, or a list of texts.
    func texts(_ name: String) -> [String]? {
        guard case .list(let list) = value(name) else { return text(name).map { [$0] } }
        let texts = list.compactMap(\.text)
        return texts.isEmpty ? nil : texts
    }

    /// The number of seconds in a field: a number, or as some servers send it, a text; `nil` if it is neither.
    func seconds(_ name: String) -> Double? {
        let number: Double? =
            switch value(name) {
            case .number(let number): number
            case .text(let text): Double(text.trimmingCharacters(in: .whitespaces))
            default: nil
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The error of the server; `nil` without one. It is a text (RFC 6749 §5.2), or with some servers an object that has a name and a message.
    var failure: Failure? {
        let description = text("error_description")
        switch values["error"] {
        case .text(let text):
            let name = text.trimmingCharacters(in: .whitespaces)
            return name.isEmpty ? nil : Failure(name: Self.isName(name) ? name : nil, description: description)
        case .number(let number):
            return number == 0 ? nil : Failure(name: Value.number(number).text, description: description)
        case .object(let object):
            if object.isEmpty { return nil }
            let texts = ["error", "code", "type", "status", "name"].compactMap { object[$0]?.text }
            let messages = ["error_description", "message", "description"].compactMap { object[$0]?.text }
            return Failure(name: texts.first(where: Self.isName), description: messages.first ?? description)
        default: return nil
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    }
}
