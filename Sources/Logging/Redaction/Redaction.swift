import Foundation

/// Rules that determine which headers, query items and fields are secret, and that redact them in text.
///
/// A secret is recognized by its value, if that was added to ``SecretValues``, as credentials are; by its name (`Authorization`,
/// `access_token`); or by its format (`Bearer …`, `Basic …`, a JWT, the user information of a URL). In cases of doubt, text is redacted:
/// malformed and truncated input may lose text that is not secret. Other secrets (a session number in a path, an application's own field
/// name) have to be added to ``SecretValues``, or named in ``init(extraHeaderNames:extraFieldNames:)``.
///
/// No method throws or traps on any input. The running time is linear in the length of the input.
public struct Redaction: Sendable, Hashable {
    /// The text that replaces a secret.
    public static let placeholder = "<redacted>"

    /// The built-in rules without additional names.
    public static let `default` = Redaction()

    private let extraHeaders: Set<String>
    private let extraFields: Set<String>

    /// Creates rules with additional secret names. The built-in rules always apply.
    ///
    /// Names are compared without regard to case, `-` and `_`: `customer_number` also matches `CustomerNumber`.
    ///
    /// - Parameters:
    ///   - extraHeaderNames: Additional secret header names.
    ///   - extraFieldNames: Additional secret names of query items, form fields and JSON keys.
    public init(extraHeaderNames: some Sequence<String> = [], extraFieldNames: some Sequence<String> = []) {
        self.extraHeaders = Set(extraHeaderNames.map { NameWords($0).joined }).subtracting([""])
        self.extraFields = Set(extraFieldNames.map { NameWords($0).joined }).subtracting([""])
    }

    /// Returns whether a header with this name is secret under these rules, as `Authorization`, `Cookie` and `X-Api-Key` are.
    public func isSecret(header name: String) -> Bool {
        SecretNames.isSecretHeader(name, extra: extraHeaders)
    }

    /// Returns whether a query item, form field or JSON key with this name is secret under these rules, as `access_token` is.
    ///
    /// The name must be decoded. `user[password]` and `user.password` are secret too.
    public func isSecret(field name: String) -> Bool {
        SecretNames.isSecretField(name, extra: extraFields)
    }

    /// Returns whether a header with this name is secret under the built-in rules.
    public static func isSecret(header name: String) -> Bool {
        SecretNameCache.headers.isSecret(name)
    }

    /// Returns whether a query item, form field or JSON key with this name is secret under the built-in rules.
    public static func isSecret(field name: String) -> Bool {
        SecretNameCache.fields.isSecret(name)
    }

    /// Returns a text, such as an error message, with the secrets in it redacted.
    ///
    /// The following is redacted: values in ``SecretValues``; user information in URLs; the credentials after `Bearer`, `Basic` and other
    /// schemes; JWTs; and the values of `name=value`, `name: value` and `<name>value</name>` if the name is secret. The text is not cut.
    public func redacted(text: String) -> String {
        var scanner = TextRedactor(Array(text.utf8), redaction: self)
        return scanner.run().text
    }

    /// Returns the beginning of a text, about `limit` bytes, with the secrets in it redacted.
    package func redacted(text: String, limit: Int) -> String {
        var scanner = TextRedactor(Array(text.utf8.prefix(limit &+ 4096)), redaction: self, limit: limit)
        return scanner.run().text
    }

    /// Returns the value of a header with its secrets redacted.
    ///
    /// The result is the placeholder if the header is secret, a redacted URL if the header contains one (`Location`, `Referer`, …), and
    /// otherwise the value redacted as text.
    public func redacted(headerValue value: String, for name: String) -> String {
        if isSecret(header: name) { return Redaction.placeholder }
        switch name.lowercased() {
        case "location", "content-location", "referer", "referrer", "origin", "x-original-url", "x-forwarded-uri":
            return redacted(url: value)
        case "www-authenticate", "proxy-authenticate":
            // A challenge names its scheme (`Bearer realm="…"`) and contains no credentials (RFC 9110 §11.6.1).
            return SecretValues.masked(value)
        default:
            return redacted(text: value)
        }
    }
}

/// A type whose textual representations contain no secrets.
///
/// A conforming type implements `description` without secrets. `debugDescription` and the mirror, which `dump`, `print` of a
/// containing value and a debugger use, then show only the description instead of the stored properties.
public protocol RedactedStringConvertible: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedStringConvertible {
    /// The ``description``, which contains no secrets.
    public var debugDescription: String { description }

    /// A mirror that contains only the ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
