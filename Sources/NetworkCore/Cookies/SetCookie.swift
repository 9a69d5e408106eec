/// What one `Set-Cookie` field says (RFC 6265 §5.2, with the limits of the draft that revises it, draft-ietf-httpbis-rfc6265bis).
///
/// `SameSite`, `HttpOnly` and what else is not listed here have no meaning for a client without scripts and sites, and are ignored.
struct SetCookie {
    /// Most bytes of name and value together (6265bis); longer cookies are refused.
    static let maximumPairBytes = 4096
    /// Most bytes of an attribute's value (6265bis); a longer attribute is ignored.
    static let maximumAttributeBytes = 1024

    /// Empty for a cookie without a name, which is sent as its value alone (6265bis).
    private(set) var name: ArraySlice<UInt8>
    private(set) var value: ArraySlice<UInt8>
    /// `Max-Age`, in seconds; zero or less for a cookie to be removed. Bounded to ±2^53.
    private(set) var maximumAge: Int64?
    /// `Expires`, in seconds since 1970.
    private(set) var expires: Int64?
    /// `Domain`, in lower case and without its leading dot; `nil` if there is none, or an empty one.
    private(set) var domain: String?
    /// `Path`; `nil` for the default path.
    private(set) var path: [UInt8]?
    private(set) var isSecure = false

    /// - Parameter field: The value of one field; fields are never joined or split at commas.
    /// - Returns: `nil` where a control character other than a tab is in it, name and value are both empty, or both together are longer
    ///   than 4096 bytes.
    init?(_ field: String) {
        let bytes = Array(field.utf8)
        guard bytes.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else { return nil }
        var rest = bytes[...]
        let pair = Self.takeUntilSemicolon(from: &rest)
        if let split = pair.firstIndex(of: UInt8(ascii: "=")) {
            (name, value) = (Self.trimmed(pair[..<split]), Self.trimmed(pair[(split + 1)...]))
        } else {
            (name, value) = ([], Self.trimmed(pair))
        }
        guard !name.isEmpty || !value.isEmpty, name.count + value.count <= Self.maximumPairBytes else { return nil }
        while !rest.isEmpty { receive(attribute: Self.takeUntilSemicolon(from: &rest)) }
    }

    /// Of attributes of the same name the last one counts; one that cannot be understood is ignored.
    private mutating func receive(attribute: ArraySlice<UInt8>) {
        let split = attribute.firstIndex(of: UInt8(ascii: "=")) ?? attribute.endIndex
        let value = Self.trimmed(attribute[split...].dropFirst())
        guard value.count <= Self.maximumAttributeBytes else { return }
        switch Self.lowercased(Self.trimmed(attribute[..<split])) {
        case "expires": expires = CookieDate.seconds(value) ?? expires
        case "max-age": maximumAge = Self.age(value) ?? maximumAge
        case "domain":
            domain = value.isEmpty ? domain : Self.lowercased(value.first == UInt8(ascii: ".") ? value.dropFirst() : value)
        case "path": path = value.first == UInt8(ascii: "/") ? Array(value) : nil
        case "secure": isSecure = true
        default: break
        }
    }

    /// Digits, with a minus before them or not.
    private static func age(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        let bound: Int64 = 1 << 53
        let age = digits.reduce(Int64(0)) { min(bound, $0 * 10 + Int64($1 &- UInt8(ascii: "0"))) }
        return isNegative ? -age : age
    }

    private static func takeUntilSemicolon(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return rest[..<end]
    }

    /// Without spaces and tabs at both ends.
    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = text.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? []
    }

    /// ASCII alone is made lower case.
    private static func lowercased(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
