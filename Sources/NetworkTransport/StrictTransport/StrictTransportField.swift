import NetworkSupport

/// The value of a `Strict-Transport-Security` field (RFC 6797 §6.1).
struct StrictTransportField: Sendable, Hashable {
    /// The number of seconds for which the host is known; 0 means that it is no longer known.
    var maximumAge: Int64
    /// Whether the subdomains of the host are included.
    var includesSubdomains: Bool

    /// The greatest ``maximumAge``: 100 years. A greater number is reduced to it.
    static let greatestAge: Int64 = 3_155_760_000

    init(maximumAge: Int64, includesSubdomains: Bool = false) {
        self.maximumAge = maximumAge
        self.includesSubdomains = includesSubdomains
    }

    /// Parses a field; `nil` if it is invalid as a whole.
    ///
    /// Directives are separated by semicolons, and their names are compared without case. `max-age` is required, and a number of decimal digits,
    /// which may be quoted; `includeSubDomains` has no value. No directive may occur twice. Unknown directives are ignored.
    init?(_ text: String) {
        var scanner = FieldScanner(text[...])
        var names: Set<String> = []
        var age: Int64?
        var includesSubdomains = false
        while true {
            scanner.takeSpace()
            let name = scanner.take(while: \.isTokenByte).asciiLowercased
            var value: String?
            if !name.isEmpty {
                guard names.insert(name).inserted, names.count <= 32 else { return nil }
                scanner.takeSpace()
                if scanner.take("=") {
                    scanner.takeSpace()
                    if scanner.next == UInt8(ascii: "\"") {
                        guard let quoted = scanner.takeQuotedString() else { return nil }
                        value = quoted
                    } else {
                        let token = scanner.take(while: \.isTokenByte)
                        guard !token.isEmpty else { return nil }
                        value = String(token)
                    }
                }
            }
            switch name {
            case "max-age":
                guard let seconds = value.flatMap(Self.seconds) else { return nil }
                age = seconds
            case "includesubdomains":
                guard value == nil else { return nil }
                includesSubdomains = true
            default: break
            }
            scanner.takeSpace()
            if scanner.isAtEnd { break }
            guard scanner.take(";") else { return nil }
        }
        guard let age else { return nil }
        self.init(maximumAge: age, includesSubdomains: includesSubdomains)
    }

    private static func seconds(_ digits: String) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        var seconds: Int64 = 0
        for digit in digits.utf8 { seconds = min(seconds * 10 + Int64(digit - UInt8(ascii: "0")), greatestAge) }
        return seconds
    }
}
