import Endpoints
import Foundation
import NetworkSupport

/// The hosts that are contacted over TLS only (RFC 6797 §8). A plain value that uses no clock and no lock; times are seconds since 1970.
struct StrictTransportHosts: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// The time from which the host is no longer known.
        var expires: Int64
        var includesSubdomains: Bool
    }

    /// The maximum number of hosts, as in curl.
    static let maximumHosts = 1000

    /// The entries by host, in the form of ``HostName/canonical(_:)``.
    private(set) var entries: [String: Entry] = [:]
    /// The order in which the hosts were confirmed: a larger number means later.
    private var confirmations: [String: UInt64] = [:]
    private var ticks: UInt64 = 0
    private let limit: Int

    /// - Parameter limit: The maximum number of hosts. Default: ``maximumHosts``.
    init(limit: Int = maximumHosts) {
        self.limit = limit
    }

    /// Whether the same hosts are known for the same time.
    static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }

    func hash(into hasher: inout Hasher) { hasher.combine(entries) }

    /// The known hosts, in the order in which they were confirmed.
    var inOrder: [String] { entries.keys.sorted { confirmations[$0, default: 0] < confirmations[$1, default: 0] } }

    /// Applies the field of a response to its host: adds it, confirms and replaces its entry, or removes it if the age is 0 (§8.1).
    ///
    /// - Parameter host: A canonical name, not an address.
    mutating func apply(_ field: StrictTransportField, to host: String, now: Int64) {
        let entry = Entry(expires: now + field.maximumAge, includesSubdomains: field.includesSubdomains)
        set([(host, field.maximumAge > 0 ? entry : nil)], now: now)
    }

    /// Sets or removes entries, in the order of their confirmation, and then removes others if there are too many: those that have expired,
    /// and if that is not enough, those of the sites that have the most, of each the least recently confirmed ones.
    mutating func set(_ changes: some Sequence<(String, Entry?)>, now: Int64) {
        for (host, entry) in changes {
            entries[host] = entry
            ticks += 1
            confirmations[host] = entry.map { _ in ticks }
        }
        if entries.count > limit { keep { $1.expires > now } }
        guard entries.count > limit else { return }
        let hosts = Array(entries.keys)
        let all = hosts.map { host in
            SiteQuota.Entry(
                isTrusted: true, site: PublicSuffixRule().site(of: host), setter: host, recency: confirmations[host, default: 0])
        }
        let removed = Set(SiteQuota.excess(all, limit: limit, for: true, removesTenth: true).map { hosts[$0] })
        keep { host, _ in !removed.contains(host) }
    }

    private mutating func keep(_ isWanted: (String, Entry) -> Bool) {
        entries = entries.filter { isWanted($0.key, $0.value) }
        confirmations = confirmations.filter { entries[$0.key] != nil }
    }

    /// Whether a host is known, or is a subdomain of a known host that includes its subdomains (§8.2).
    ///
    /// - Parameter host: A canonical name.
    func contain(_ host: String, now: Int64) -> Bool {
        if entries.isEmpty || host.utf8.count > HostName.maximumBytes { return false }
        if let entry = entries[host], entry.expires > now { return true }
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let entry = entries[String(rest)], entry.includesSubdomains, entry.expires > now { return true }
        }
        return false
    }
}

extension StrictTransportHosts {
    /// The reason why a file is damaged. It contains no part of the file.
    struct Damage: Error, Hashable {
        /// The number of the line, starting at 1.
        var line: Int
    }

    /// The contents of the file, in the format of `curl --hsts`: one host on each line, with a dot before it if its subdomains are included,
    /// and the time of its expiry in UTC. The lines are in the order of the confirmations.
    package func text(now: Int64) -> String {
        var lines = ["# Hosts that are contacted over TLS only (RFC 6797), in the format of curl --hsts."]
        for host in inOrder {
            guard let entry = entries[host], entry.expires > now else { continue }
            let date = Array(HTTPDate(secondsSince1970: entry.expires).basicFormat)
            let time = "\(String(date[9..<11])):\(String(date[11..<13])):\(String(date[13..<15]))"
            lines.append("\(entry.includesSubdomains ? "." : "")\(host) \"\(String(date[..<8])) \(time)\"")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Parses the contents of a file. Comments, blank lines and expired hosts are left out. The last line of a host counts.
    init(text: String, now: Int64) throws(Damage) {
        self.init()
        var found: [(String, Entry?)] = []
        // Bytes, not characters: CR and LF together are one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            let line = Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
            if line.isEmpty || bytes.first == UInt8(ascii: "#") { continue }
            guard let space = line.utf8.firstIndex(of: UInt8(ascii: " ")),
                let expires = Self.time(line[line.utf8.index(after: space)...])
            else { throw Damage(line: index + 1) }
            let includesSubdomains = bytes.first == UInt8(ascii: ".")
            guard
                let host = HostName.canonical(
                    line[(includesSubdomains ? line.utf8.index(after: line.startIndex) : line.startIndex)..<space]),
                !HostName.isAddress(host)
            else { throw Damage(line: index + 1) }
            if expires > now { found.append((host, Entry(expires: expires, includesSubdomains: includesSubdomains))) }
        }
        set(found, now: now)
    }

    /// Parses `"YYYYMMDD HH:MM:SS"`, or `"unlimited"`.
    private static func time(_ text: Substring) -> Int64? {
        if text == "\"unlimited\"" { return HTTPDate(Date.distantFuture).secondsSince1970 }
        let bytes = Array(text.utf8)
        guard bytes.count == 19, bytes[0] == UInt8(ascii: "\""), bytes[18] == UInt8(ascii: "\""), bytes[9] == UInt8(ascii: " "),
            bytes[12] == UInt8(ascii: ":"), bytes[15] == UInt8(ascii: ":")
        else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var number = 0
            for byte in bytes[range] {
                guard byte.isDigit else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return number
        }
        guard let year = number(1..<5), let month = number(5..<7), let day = number(7..<9), let hour = number(10..<12),
            let minute = number(13..<15), let second = number(16..<18), (1...12).contains(month),
            (1...HTTPDate.length(ofMonth: month, year: year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        return HTTPDate.days(year: year, month: month, day: day) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}
