import Foundation
import NetworkSupport

/// Rules that determine which headers, query items and fields are secret, and that redact them in text.
///
/// A secret is recognized by its value, if that was added to ``SecretValues``, as credentials are; by its name (`Authorization`,
/// `access_token`); or by its format (`Bearer …`, `Basic …`, a JWT, the user information of a URL). In cases of doubt, text is redacted:
/// malformed and truncated input may lose text that is not secret. Other secrets (a session number in a path, an application's own field
/// name) have to be added to ``SecretValues``, or named in ``init(extraHeaderNames:extraFieldNames:openHeaderNames:openFieldNames:)``.
///
/// No method throws or traps on any input. The running time is linear in the length of the input.
public struct Redaction: Sendable, Hashable {
    /// The text that replaces a secret.
    package static let placeholder = SecretValues.placeholder

    /// The built-in rules without additional names.
    public static let `default` = Redaction()

    private let rules: NameRules

    /// Creates rules with names that are added to the built-in ones, and names that are taken from them.
    ///
    /// Names are compared without regard to case, `-` and `_`: `customer_number` also matches `CustomerNumber`. Of a name with several
    /// components (`order[customer_number]`), an added one is secret wherever it occurs, and an open one makes it open as the last component.
    /// A name that is both added and open is secret. Values in ``SecretValues`` are redacted whatever the name is.
    ///
    /// - Parameters:
    ///   - extraHeaderNames: Additional secret header names.
    ///   - extraFieldNames: Additional secret names of query items, form fields and JSON keys.
    ///   - openHeaderNames: Header names that are not secret, although the built-in rules say so. Default: none.
    ///   - openFieldNames: Names of query items, form fields and JSON keys that are not secret, although the built-in rules say so, such as
    ///     `session` in an application for conferences. Default: none.
    public init(
        extraHeaderNames: some Sequence<String> = [], extraFieldNames: some Sequence<String> = [],
        openHeaderNames: some Sequence<String> = [], openFieldNames: some Sequence<String> = []
    ) {
        func names(_ names: some Sequence<String>) -> Set<String> { Set(names.map { NameWords($0).joined }).subtracting([""]) }
        rules = NameRules(
            extraHeaders: names(extraHeaderNames), extraFields: names(extraFieldNames), openHeaders: names(openHeaderNames),
            openFields: names(openFieldNames))
    }

    /// Returns whether a header with this name is secret under these rules, as `Authorization`, `Cookie` and `X-Api-Key` are.
    package func isSecret(header name: String) -> Bool {
        rules == .builtIn ? SecretNameCache.headers.isSecret(name) : SecretNames.isSecretHeader(name, rules)
    }

    /// Returns whether a query item or form field with this name is secret under these rules, as `access_token` is.
    ///
    /// The name must be decoded. `user[password]` and `user.password` are secret too.
    package func isSecret(field name: String) -> Bool {
        rules == .builtIn ? SecretNameCache.fields.isSecret(name) : SecretNames.isSecretField(name, isQuery: true, rules)
    }

    /// Returns whether a member of a document (JSON, XML, YAML) with this name is secret under these rules. `key` and `code` are not, unlike in
    /// a query.
    package func isSecret(member name: String) -> Bool {
        rules == .builtIn ? SecretNameCache.members.isSecret(name) : SecretNames.isSecretField(name, isQuery: false, rules)
    }

    /// Returns whether a header with this name is secret under the built-in rules.
    package static func isSecret(header name: String) -> Bool {
        SecretNameCache.headers.isSecret(name)
    }

    /// Returns whether a query item or form field with this name is secret under the built-in rules.
    package static func isSecret(field name: String) -> Bool {
        SecretNameCache.fields.isSecret(name)
    }

    /// Returns a text, such as an error message, with the secrets in it redacted.
    ///
    /// The following is redacted: values in ``SecretValues``; user information in URLs; the credentials after `Bearer`, `Basic` and other
    /// schemes; JWTs; and the values of `name=value`, `name: value` and `<name>value</name>` if the name is secret. The text is not cut.
    public func redacted(text: String) -> String {
        redacted(start: TextStart(text.utf8))
    }

    /// Returns the beginning of a text, about `limit` bytes, with the secrets in it redacted.
    package func redacted(text: String, limit: Int) -> String {
        redacted(start: TextStart(text.utf8, bytes: limit &+ TextStart.lookahead), limit: limit)
    }

    /// Returns the beginning of a text with the secrets in it redacted.
    ///
    /// - Parameter limit: The number of bytes after which the result ends. It can be slightly longer.
    package func redacted(start: TextStart, limit: Int = .max) -> String {
        var scanner = TextRedactor(start, redaction: self, limit: limit)
        return scanner.run().text
    }

    /// Returns the value of a header with its secrets redacted.
    ///
    /// The result is the placeholder if the header is secret, a redacted URL if the header contains one (`Location`, `Referer`, …), and
    /// otherwise the value redacted as text.
    public func redacted(headerValue value: String, for name: String) -> String {
        redacted(headerValue: TextStart(value.utf8), for: name)
    }

    /// Returns the beginning of the value of a header with its secrets redacted.
    package func redacted(headerValue value: TextStart, for name: String) -> String {
        if isSecret(header: name) { return Redaction.placeholder }
        switch name.lowercased() {
        case "location", "content-location", "referer", "referrer", "origin", "x-original-url", "x-forwarded-uri":
            return redacted(url: value)
        case "www-authenticate", "proxy-authenticate":
            // A challenge names its scheme (`Bearer realm="…"`) and contains no credentials (RFC 9110 §11.6.1).
            return value.bytes.hiding(SecretValues.ranges(in: value)).text
        default:
            return redacted(start: value)
        }
    }
}

/// A type whose textual representations contain no secrets.
///
/// A conforming type implements `description` without secrets. `debugDescription` and the mirror, which `dump`, `print` of a
/// containing value and a debugger use, then show only the description instead of the stored properties.
public protocol RedactedStringConvertible: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedStringConvertible {
    /// The text of `description`, which contains no secrets.
    public var debugDescription: String { description }

    /// A mirror that contains only the text of `description`.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension LocalizedError where Self: RedactedStringConvertible {
    /// The text of `description`, which `localizedDescription` returns.
    public var errorDescription: String? { description }
}

extension Redaction {
    /// Returns a URL as text, with its user information and the values of secret query and fragment items redacted.
    ///
    /// Names are percent-decoded before they are compared, so `acc%65ss_token` and `user%5Bpassword%5D` are found. A value that contains a
    /// secret (such as another URL in `redirect=`) is replaced as a whole. All other parts of the URL are kept unchanged.
    public func redacted(url: URL) -> String {
        redacted(url: url.absoluteString)
    }

    /// Returns the text of a URL, valid or not, with the same parts redacted as for a `URL` value.
    package func redacted(url: String) -> String {
        redacted(url: TextStart(url.utf8))
    }

    /// Returns the text of a URL, or its beginning, with the same parts redacted as for a `URL` value.
    package func redacted(url: TextStart) -> String {
        let bytes = url.bytes
        let afterUserinfo = Self.endOfUserinfo(in: bytes, isCut: url.isCut)
        var result: [UInt8] = []
        var rest = bytes[...]
        if let (start, end) = afterUserinfo {
            result += bytes[..<start]
            result += Redaction.placeholder.utf8
            rest = bytes[end...]
        }
        let queryStart = rest.firstIndex { $0 == .question || $0 == .hash } ?? rest.endIndex
        // The path may contain another URL, a JWT or matrix parameters (`;token=…`).
        let path = TextStart(rest[..<queryStart], isCut: url.isCut && queryStart == rest.endIndex)
        var scanner = TextRedactor(path, redaction: self, isPath: true)
        result += scanner.run()
        result += redactedItems(Array(rest[queryStart...]), isForm: false).output
        // Searched again as a whole, because a secret value may extend across the parts of the URL.
        return SecretValues.masked(result, isCut: url.isCut).text
    }

    /// Returns the index at which the user information starts, and the index of the `@` that ends it, or `nil` without user information.
    private static func endOfUserinfo(in bytes: [UInt8], isCut: Bool) -> (start: Int, end: Int)? {
        var start = 0
        if let mark = bytes.firstIndex(where: { $0 == .slash || $0 == .question || $0 == .hash }),
            bytes[mark] == .slash, mark + 1 < bytes.count, bytes[mark + 1] == .slash
        {
            start = mark + 2
        }
        let end = bytes[start...].firstIndex { $0 == .slash || $0 == .question || $0 == .hash } ?? bytes.endIndex
        if let at = bytes[start..<end].lastIndex(of: .at) { return (start, at) }
        // Of an authority whose end was cut off, all may be user information.
        if isCut, start > 0, end == bytes.endIndex { return (start, end) }
        // `//user:pa/ss@host`: a password with an unencoded delimiter, recognized by a colon that is not followed by a port.
        guard start > 0, let colon = bytes[start..<end].lastIndex(of: .colon),
            !bytes[start..<end].contains(.closeBracket),
            bytes[(colon + 1)..<end].contains(where: { !$0.isDigit }),
            let at = bytes[end...].lastIndex(of: .at)
        else { return nil }
        return (start, at)
    }

    /// Redacts `name=value` items, and keeps the delimiters between them.
    ///
    /// Stops soon after `limit` bytes of output; `read` is the number of bytes of input that were processed.
    func redactedItems(_ bytes: [UInt8], isForm: Bool, limit: Int = .max) -> (output: [UInt8], read: Int) {
        var result: [UInt8] = []
        var start = 0
        while start < bytes.count, result.count <= limit {
            var end = start
            while end < bytes.count, !Self.isDelimiter(bytes[end], isForm: isForm) { end += 1 }
            // Input far beyond the limit is never shown.
            let window = limit == .max ? end : min(end, start + limit + 4096)
            appendItem(Array(bytes[start..<window]), to: &result)
            if window < end, result.count > limit { return (result, window) }
            if end < bytes.count { result.append(bytes[end]) }
            start = end + 1
        }
        return (result, min(start, bytes.count))
    }

    private static func isDelimiter(_ byte: UInt8, isForm: Bool) -> Bool {
        byte == .ampersand || byte == .semicolon || (!isForm && (byte == .question || byte == .hash))
    }

    private func appendItem(_ item: [UInt8], to result: inout [UInt8]) {
        let end = item.firstIndex(of: .equals)
        let name = Array(item[..<(end ?? item.endIndex)]).percentDecoded(isForm: true)
        if let end, isSecret(field: name.text) {
            result += item[...end]
            result += Redaction.placeholder.utf8
            return
        }
        // If the item contains a secret (`redirect=https%3A%2F%2F…%3Ftoken%3D…`, an encoded `=`), its whole value is replaced.
        let decoded = item.percentDecoded(isForm: true)
        var scanner = TextRedactor(TextStart(decoded), redaction: self)
        if scanner.run() == decoded {
            result += item
        } else {
            if let end { result += item[...end] }
            result += Redaction.placeholder.utf8
        }
    }
}
