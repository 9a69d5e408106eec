import Foundation

/// Says which headers, query items and fields are secret, and prints requests and responses without them.
///
/// A secret is known by its value, where that was given as a credential (``SecretValues``), by its name (`Authorization`,
/// `access_token`), or by its look (`Bearer …`, `Basic …`, a JWT, the userinfo of a URL). In doubt it is hidden: malformed and truncated
/// input loses text rather than a secret. What has neither (a session number in a path, a name of your own) has to be added to
/// ``SecretValues``, or named in ``init(extraHeaderNames:extraFieldNames:)``.
///
/// Nothing here throws or traps, and the time is linear in the input.
public struct Redaction: Sendable, Hashable {
    /// What stands where a secret was.
    public static let placeholder = "<redacted>"

    /// The built-in rules alone.
    public static let `default` = Redaction()

    private let extraHeaders: Set<String>
    private let extraFields: Set<String>

    /// Makes rules: the built-in ones, and these names more. The built-in ones cannot be switched off.
    ///
    /// - Parameters:
    ///   - extraHeaderNames: Further secret header names.
    ///   - extraFieldNames: Further secret names of query items, form fields and JSON keys.
    ///
    /// Names are compared without case, `-`, `_` and camel-case capitals: `customer_number` also means `CustomerNumber`.
    public init(extraHeaderNames: some Sequence<String> = [], extraFieldNames: some Sequence<String> = []) {
        self.extraHeaders = Set(extraHeaderNames.map { NameWords($0).joined }).subtracting([""])
        self.extraFields = Set(extraFieldNames.map { NameWords($0).joined }).subtracting([""])
    }

    /// Whether a header of this name holds a secret in these rules: `Authorization`, `Cookie`, `X-Api-Key` do.
    public func isSecret(header name: String) -> Bool {
        SecretNames.isSecretHeader(name, extra: extraHeaders)
    }

    /// Whether a query item, form field or JSON key of this name holds a secret in these rules: `access_token` does.
    ///
    /// The name comes decoded. `user[password]` and `user.password` are secret too.
    public func isSecret(field name: String) -> Bool {
        SecretNames.isSecretField(name, extra: extraFields)
    }

    /// Whether a header of this name holds a secret in the built-in rules.
    public static func isSecret(header name: String) -> Bool {
        SecretVerdicts.isSecret(header: name)
    }

    /// Whether a query item, form field or JSON key of this name holds a secret in the built-in rules.
    public static func isSecret(field name: String) -> Bool {
        SecretVerdicts.isSecret(field: name)
    }

    /// A text, such as an error message, without the secrets that can be told in it.
    ///
    /// Hidden are: userinfo in URLs, what follows `Bearer`, `Basic` and other schemes, JWTs, the values of
    /// `name=value`, `name: value` and `<name>value</name>` with secret names. The result is as long as the text.
    public func redacted(text: String) -> String {
        var scanner = TextRedactor(Array(text.utf8), redaction: self)
        return scanner.run().text
    }

    /// The same, of which only about `limit` bytes are wanted.
    package func redacted(text: String, limit: Int) -> String {
        var scanner = TextRedactor(Array(text.utf8.prefix(limit &+ 4096)), redaction: self, limit: limit)
        return scanner.run().text
    }

    /// A header's value: the placeholder for a secret header, a redacted URL for a header that holds one
    /// (`Location`, `Referer`, …), otherwise the value without the secrets that can be told in it.
    public func redacted(headerValue value: String, for name: String) -> String {
        if isSecret(header: name) { return Redaction.placeholder }
        switch name.lowercased() {
        case "location", "content-location", "referer", "referrer", "origin", "x-original-url", "x-forwarded-uri":
            return redacted(url: value)
        case "www-authenticate", "proxy-authenticate":
            // A challenge names its scheme (`Bearer realm="…"`) and carries no credentials (RFC 9110 §11.6.1).
            return SecretValues.masked(value)
        default:
            return redacted(text: value)
        }
    }
}
