import NetworkTransport
import Endpoints
import NetworkSupport

/// The alternative services with HTTP/3 that a response offers in `Alt-Svc` (RFC 7838 §3), as far as they are used: those at the host of the
/// origin.
enum AlternativeServicesField: Equatable {
    /// All alternatives that were offered before are withdrawn, and none is offered.
    case none
    /// HTTP/3 is offered at a UDP port for so many seconds, at most 30 days.
    case http3(port: Int, seconds: Int)

    private static let maximumSeconds = 30 * 86_400
    /// The number of alternatives that are read; the others are ignored.
    private static let maximumCount = 32

    /// Reads the value of the field. What is malformed is ignored, and so are `persist` and unknown parameters.
    ///
    /// - Parameters:
    ///   - host: The host of the origin, as its URL has it.
    ///   - age: The seconds since the response was generated, as `Age` says, which the lifetime began with (RFC 7838 §3.1).
    init(_ value: String, host: some StringProtocol, age: Int = 0) {
        self = .none
        var scanner = FieldScanner(value[...])
        for _ in 0..<Self.maximumCount {
            guard let part = scanner.takePart(endingAt: ",") else { return }
            guard let offer = Self.offer(part, host: host) else { continue }
            let seconds = min(offer.seconds, Self.maximumSeconds) - max(age, 0)
            if seconds > 0 { self = .http3(port: offer.port, seconds: seconds) }
            return
        }
    }

    private static func offer(_ part: Substring, host: some StringProtocol) -> (port: Int, seconds: Int)? {
        var scanner = FieldScanner(part)
        guard let name = scanner.take(until: "="), name == "h3", let authority = scanner.takeQuotedString(),
            let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let other = authority[..<colon]
        let digits = authority[authority.utf8.index(after: colon)...]
        guard other.isEmpty || other.lowercased() == host.lowercased(), let port = number(digits), (1...65_535).contains(port)
        else { return nil }
        var seconds = 86_400
        scanner.takeSpace()
        while scanner.take(";") {
            scanner.takeSpace()
            guard let name = scanner.take(until: "=") else { return nil }
            let text = scanner.takeQuotedString() ?? String(scanner.take { $0 != UInt8(ascii: ";") && !$0.isSpaceOrTab })
            scanner.takeSpace()
            guard name.lowercased() == "ma" else { continue }
            guard let value = number(text) else { return nil }
            seconds = value
        }
        return scanner.isAtEnd ? (port, seconds) : nil
    }

    /// Returns a number of decimal digits; the largest one if there are too many digits.
    private static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? .max
    }
}

/// Where origins offer HTTP/3, and where it has failed. One table for each session manager.
///
/// Times are nanoseconds of the monotonic clock.
struct AlternativeServices: Sendable {
    /// Where to try HTTP/3.
    struct Service: Equatable {
        /// The UDP port.
        var port: Int
        /// Whether a connection to it was made before.
        var isProven: Bool
    }

    private struct Entry {
        /// The port that the origin has offered last; `nil` if it has offered none.
        var port: Int?
        /// Until when it is offered.
        var until: UInt64 = 0
        var isProven = false
        /// How many times in a row no connection could be made.
        var failures = 0
        /// Until when HTTP/3 is not tried again.
        var pausedUntil: UInt64 = 0
    }

    private static let second: UInt64 = 1_000_000_000
    private let limit: Int
    private var entries: [String: Entry] = [:]

    /// Creates an empty table.
    ///
    /// - Parameter limit: The maximum number of origins, beyond which others are forgotten. Default: 1024.
    init(limit: Int = 1024) {
        self.limit = limit
    }

    /// The number of origins in the table.
    var count: Int { entries.count }

    /// Records what an origin offers, in place of what it has offered before (RFC 7838 §3).
    mutating func receive(_ field: AlternativeServicesField, from origin: String, at now: UInt64) {
        switch field {
        case .none:
            // The port stays: if the same service is offered again, its failures still count.
            entries[origin]?.until = 0
        case .http3(let port, let seconds):
            update(origin, at: now) { entry in
                // Another port is another service.
                if entry.port != port { entry = Entry() }
                entry.port = port
                entry.until = now &+ UInt64(seconds) * Self.second
            }
        }
    }

    /// Returns where to try HTTP/3; `nil` if it is not offered, or has failed a short time ago.
    ///
    /// - Parameter port: The port to try if the origin has not offered one; `nil` if it must have offered one.
    func service(of origin: String, orAt port: Int?, at now: UInt64) -> Service? {
        guard let entry = entries[origin] else { return port.map { Service(port: $0, isProven: false) } }
        guard entry.pausedUntil <= now else { return nil }
        let offered = entry.until > now ? entry.port : nil
        return (offered ?? port).map { Service(port: $0, isProven: entry.isProven) }
    }

    /// Records that a connection was made.
    mutating func succeed(_ origin: String, at now: UInt64) {
        if let entry = entries[origin], entry.isProven, entry.failures == 0 { return }
        update(origin, at: now) { entry in
            entry.isProven = true
            entry.failures = 0
            entry.pausedUntil = 0
        }
    }

    /// Records that no connection could be made. HTTP/3 is then not tried for five minutes, and after each further failure for twice as long,
    /// at most for an hour.
    mutating func fail(_ origin: String, at now: UInt64) {
        update(origin, at: now) { entry in
            // Requests that wait for the same connection fail together.
            guard entry.pausedUntil <= now else { return }
            let minutes = min(5 << min(entry.failures, 8), 60)
            entry.isProven = false
            entry.failures += 1
            entry.pausedUntil = now &+ UInt64(minutes) * 60 * Self.second
        }
    }

    private mutating func update(_ origin: String, at now: UInt64, _ change: (inout Entry) -> Void) {
        if entries[origin] == nil, entries.count >= limit {
            entries = entries.filter { $0.value.until > now || $0.value.pausedUntil > now }
            while entries.count >= limit, let other = entries.keys.first { entries[other] = nil }
        }
        change(&entries[origin, default: Entry()])
    }
}
