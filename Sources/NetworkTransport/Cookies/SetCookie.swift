import Endpoints
import NetworkSupport

/// A parsed `Set-Cookie` field (RFC 6265 §5.2, with the limits of its revision, draft-ietf-httpbis-rfc6265bis).
///
/// Unknown attributes are ignored.
struct SetCookie {
    /// The maximum length of name and value together, in bytes (6265bis). Longer cookies are refused.
    static let maximumPairBytes = 4096
    /// The maximum length of an attribute's value, in bytes (6265bis). Longer attributes are ignored.
    static let maximumAttributeBytes = 1024

    /// The name; empty for a cookie without one, of which only the value is sent (6265bis).
    private(set) var name: ArraySlice<UInt8>
    package private(set) var value: ArraySlice<UInt8>
    /// `Max-Age`, in seconds; zero or less removes the cookie. Clamped to ±2^53.
    private(set) var maximumAge: Int64?
    /// `Expires`, in seconds since 1970.
    private(set) var expires: Int64?
    /// `Domain`, in lower case and without its leading dot; `nil` if it is missing or empty.
    private(set) var domain: String?
    /// `Path`; `nil` for the default path.
    private(set) var path: [UInt8]?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// `SameSite`; an unknown value is the same as none (6265bis §5.6.7).
    private(set) var sameSite = StoredCookie.SameSite.unspecified

    /// Parses a field; `nil` if it contains a control character other than a tab, if name and value are both empty, or if they are longer
    /// than 4096 bytes together.
    ///
    /// - Parameter field: The value of one field. Fields must not be joined or split at commas.
    init?(_ field: String) {
        let bytes = Array(field.utf8)
        guard bytes.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else { return nil }
        var rest = bytes[...]
        let pair = Self.takeUntilSemicolon(from: &rest)
        if let split = pair.firstIndex(of: UInt8(ascii: "=")) {
            (name, value) = (pair[..<split].trimmed, pair[(split + 1)...].trimmed)
        } else {
            (name, value) = ([], pair.trimmed)
        }
        guard !name.isEmpty || !value.isEmpty, name.count + value.count <= Self.maximumPairBytes else { return nil }
        while !rest.isEmpty { receive(attribute: Self.takeUntilSemicolon(from: &rest)) }
    }

    /// Applies an attribute. The last attribute of a name counts; an invalid one is ignored.
    private mutating func receive(attribute: ArraySlice<UInt8>) {
        let split = attribute.firstIndex(of: UInt8(ascii: "=")) ?? attribute.endIndex
        let value = attribute[split...].dropFirst().trimmed
        guard value.count <= Self.maximumAttributeBytes else { return }
        switch Self.lowercased(attribute[..<split].trimmed) {
        case "expires": expires = LenientDate.seconds(value) ?? expires
        case "max-age": maximumAge = Self.age(value) ?? maximumAge
        case "domain":
            domain = value.isEmpty ? domain : Self.lowercased(value.first == UInt8(ascii: ".") ? value.dropFirst() : value)
        case "path": path = value.first == UInt8(ascii: "/") ? Array(value) : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = StoredCookie.SameSite(rawValue: Self.lowercased(value)) ?? .unspecified
        default: break
        }
    }

    /// Parses digits with an optional minus sign.
    private static func age(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard let age = digits.decimal(clampedTo: 1 << 53) else { return nil }
        return isNegative ? -age : age
    }

    private static func takeUntilSemicolon(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return rest[..<end]
    }

    /// Returns the text with ASCII letters in lower case.
    private static func lowercased(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
