import NetworkSupport

/// Where servers offer HTTP/3, as they have said in `Alt-Svc` fields (RFC 7838), or a name server in HTTPS records (RFC 9460).
///
/// Only offers for the host of the origin itself are used, so that no server directs datagrams to others. Times are in nanoseconds of the monotonic
/// clock.
struct AlternativeServices: Sendable {
    /// The number of origins after which all are forgotten.
    static let maximum = 1024
    /// The longest time for which an offer is used, in seconds: 30 days.
    static let maximumAge: Int64 = 2_592_000

    private var entries: [String: (port: Int, end: UInt64)] = [:]

    /// Returns the UDP port at which an origin offers HTTP/3; `nil` if none is known.
    func port(of origin: String, at now: UInt64) -> Int? {
        guard let entry = entries[origin], now < entry.end else { return nil }
        return entry.port
    }

    /// Notes what a response has said, in the place of what was known of its origin.
    ///
    /// - Parameter age: The age of the response in seconds, which counts towards the lifetime of the offer.
    mutating func note(_ field: AlternativeServiceField, age: Int64 = 0, of origin: String, at now: UInt64) {
        entries[origin] = nil
        guard case .port(let port, let lifetime) = field else { return }
        let seconds = min(lifetime, Self.maximumAge) - max(age, 0)
        guard seconds > 0 else { return }
        if entries.count >= Self.maximum { entries.removeAll() }
        entries[origin] = (port, now &+ UInt64(seconds) * 1_000_000_000)
    }

    /// Forgets an offer, since the server does not accept requests for the origin there.
    mutating func remove(_ origin: String) {
        entries[origin] = nil
    }
}

/// What an `Alt-Svc` field says of HTTP/3 (RFC 7838 §3).
enum AlternativeServiceField: Equatable, Sendable {
    /// HTTP/3 is offered at a UDP port of the origin's host, for a number of seconds.
    case port(Int, lifetime: Int64)
    /// It is not offered there, or not any more (`clear`).
    case nothing

    /// How long an offer is used that does not say so, in seconds: a day.
    static let defaultLifetime: Int64 = 86_400
    /// The longest field that is read, in bytes.
    static let maximumBytes = 4096

    /// Reads a field. Of several offers, the first counts, which the server prefers.
    ///
    /// - Parameter host: The host of the origin.
    /// - Returns: `nil` for a field that is malformed, and changes nothing.
    init?(_ text: String, host: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        self = .nothing
        if text.trimmed == "clear" { return }
        var scanner = FieldScanner(text[...])
        while true {
            // A list may have empty elements (RFC 9110 §5.6.1).
            scanner.take { $0.isSpaceOrTab || $0 == UInt8(ascii: ",") }
            if scanner.isAtEnd { return }
            guard let offer = Self.takeOffer(from: &scanner) else { return nil }
            if self == .nothing, let port = offer.port(ofHTTP3At: host) { self = .port(port, lifetime: offer.lifetime) }
            scanner.takeSpace()
            guard scanner.isAtEnd || scanner.next == UInt8(ascii: ",") else { return nil }
        }
    }

    private struct Offer {
        /// The name of the protocol (RFC 7301), in which all but tokens is escaped.
        var name: Substring
        /// `host:port`, in which the host may be missing.
        var authority: String
        var lifetime: Int64

        func port(ofHTTP3At host: String) -> Int? {
            guard name == "h3", let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
            let digits = authority[colon...].dropFirst()
            guard authority[..<colon].isEmpty || authority[..<colon].asciiLowercased == host.asciiLowercased,
                (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isDigit), let port = Int(digits),
                (1...65_535).contains(port)
            else { return nil }
            return port
        }
    }

    /// Reads `name="host:port"` and its parameters, of which all but `ma` are ignored.
    private static func takeOffer(from scanner: inout FieldScanner) -> Offer? {
        let name = scanner.take(while: \.isTokenByte)
        guard !name.isEmpty, scanner.take("="), let authority = scanner.takeQuotedString() else { return nil }
        var offer = Offer(name: name, authority: authority, lifetime: defaultLifetime)
        while true {
            let place = scanner
            scanner.takeSpace()
            guard scanner.take(";") else {
                scanner = place
                return offer
            }
            scanner.takeSpace()
            let parameter = scanner.take(while: \.isTokenByte).asciiLowercased
            guard !parameter.isEmpty, scanner.take("=") else { return nil }
            let value: String
            if scanner.next == UInt8(ascii: "\"") {
                guard let quoted = scanner.takeQuotedString() else { return nil }
                value = quoted
            } else {
                value = String(scanner.take(while: \.isTokenByte))
            }
            guard parameter == "ma" else { continue }
            guard !value.isEmpty, value.utf8.allSatisfy(\.isDigit) else { return nil }
            // A number that is too large counts as the largest one.
            offer.lifetime = value.utf8.count > 9 ? AlternativeServices.maximumAge : Int64(value) ?? 0
        }
    }
}
