import NetworkSupport

/// The secret values of a process: those of the program and those of peers, with separate limits.
///
/// A peer cannot displace a value of the program, nor add one that would hide what a log is read for, such as a host name.
struct SecretTable {
    /// Where a value comes from.
    enum Source {
        /// The program passed it.
        case program
        /// A peer sent it, for an owner such as the domain of a cookie. Its values displace only each other until the limit of all is reached.
        case peer(owner: String)
    }

    private struct Entry: Hashable {
        let value: [UInt8]
        /// The peer; `nil` for the program.
        let owner: String?
    }

    /// The maximum number of values of the program, and that of all peers together.
    static let capacity = 4096
    /// The maximum number of values of one peer.
    static let capacityOfPeer = 128
    private static let longestPattern = 1024
    // The placeholder and its parts are never added as secret values.
    private static let placeholder = Array(SecretValues.placeholder.utf8)

    /// The patterns of all values.
    private(set) var index = SecretIndex()
    private var program = RecentValues<Entry>(capacity: capacity)
    private var peers = RecentValues<Entry>(capacity: capacity)
    private var valuesOfPeer: [String: RecentValues<Entry>] = [:]
    private var valuesWithSpaces = 0

    var isEmpty: Bool { index.isEmpty }
    /// Whether a value contains a space, which a form encodes as `+`.
    var hasSpaces: Bool { valuesWithSpaces > 0 }
    /// How often a value of the program was added, values that were added again included.
    var additions: Int { program.additions }

    /// Adds a value, in a time that does not depend on what the table contains.
    mutating func insert(_ value: [UInt8], from source: Source = .program) {
        guard value.count >= SecretValues.minimumByteCount else { return }
        let value = Array(value.prefix(Self.longestPattern + 1))
        switch source {
        case .program:
            guard !Self.placeholder.contains(sequence: value.map(\.lowered)) else { return }
            let entry = Entry(value: value, owner: nil)
            let (isNew, evicted) = program.insert(entry)
            if isNew { count(entry, by: 1) }
            if let evicted { count(evicted, by: -1) }
        case .peer(let owner):
            guard CredentialShape.isCredential(value) else { return }
            let entry = Entry(value: value, owner: owner)
            let (isNew, evictedHere) = valuesOfPeer[owner, default: RecentValues(capacity: Self.capacityOfPeer)].insert(entry)
            if isNew { count(entry, by: 1) }
            if let evictedHere {
                peers.remove(evictedHere)
                count(evictedHere, by: -1)
            }
            if let evicted = peers.insert(entry).evicted, let owner = evicted.owner {
                valuesOfPeer[owner]?.remove(evicted)
                if valuesOfPeer[owner]?.isEmpty == true { valuesOfPeer[owner] = nil }
                count(evicted, by: -1)
            }
        }
    }

    private mutating func count(_ entry: Entry, by change: Int) {
        for pattern in Self.patterns(of: entry.value, isFromPeer: entry.owner != nil) { index.count(pattern, by: change) }
        if entry.value.contains(.space) { valuesWithSpaces += change }
    }
}

extension SecretTable {
    private static func patterns(of value: [UInt8], isFromPeer: Bool) -> [SecretIndex.Pattern] {
        let isLong = value.count > longestPattern
        let value = Array(value.prefix(longestPattern))
        let standsAlone = isFromPeer || value.count < 12
        var patterns = [SecretIndex.Pattern(bytes: value, standsAlone: standsAlone, isBeginning: isLong)]
        for offset in 0..<3 {
            let standard = base64(of: value, at: offset)
            patterns.append(SecretIndex.Pattern(bytes: standard, standsAlone: false, isBeginning: true))
            let safe = standard.map { $0 == .plus ? UInt8.hyphen : $0 == .slash ? .underscore : $0 }
            if safe != standard { patterns.append(SecretIndex.Pattern(bytes: safe, standsAlone: false, isBeginning: true)) }
        }
        return patterns
    }

    /// Returns the base64 characters that depend only on the value, if the value begins `offset` bytes after a multiple of three
    /// (RFC 4648 §4).
    private static func base64(of value: [UInt8], at offset: Int) -> [UInt8] {
        let bytes = [UInt8](repeating: 0, count: offset) + value
        let first = (offset * 8 + 5) / 6
        let end = bytes.count * 8 / 6
        return (first..<end).map { character in
            let bit = character * 6
            let high = UInt16(bytes[bit / 8]) << 8
            let low = bit / 8 + 1 < bytes.count ? UInt16(bytes[bit / 8 + 1]) : 0
            return alphabet[Int((high | low) >> UInt16(10 - bit % 8) & 63)]
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}

/// A set of a limited number of values, which forgets the one that was added the longest ago.
struct RecentValues<Value: Hashable> {
    private let capacity: Int
    private var lastUse: [Value: Int] = [:]
    /// All additions in order. One is outdated if its value was added again or removed.
    private var queue: [(value: Value, use: Int)] = []
    private var head = 0
    /// How often a value was added, values that were added again included.
    private(set) var additions = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var isEmpty: Bool { lastUse.isEmpty }

    /// Adds a value, or counts it as added last if it is in the set. In the mean, it takes constant time.
    ///
    /// - Returns: Whether the value was not in the set, and the value that was removed for it.
    mutating func insert(_ value: Value) -> (isNew: Bool, evicted: Value?) {
        additions += 1
        let isNew = lastUse.updateValue(additions, forKey: value) == nil
        queue.append((value, additions))
        var evicted: Value?
        if lastUse.count > capacity {
            while !isCurrent(queue[head]) { head += 1 }
            evicted = queue[head].value
            lastUse[queue[head].value] = nil
            head += 1
        }
        if queue.count > 4 * capacity {
            queue = queue[head...].filter { isCurrent($0) }
            head = 0
        }
        return (isNew, evicted)
    }

    mutating func remove(_ value: Value) { lastUse[value] = nil }

    private func isCurrent(_ addition: (value: Value, use: Int)) -> Bool { lastUse[addition.value] == addition.use }
}

/// Whether a value that a peer sent looks like a credential.
///
/// A peer may send anything as a cookie. A word, a date, an address or a host name would hide parts of the log that the peer wants to hide.
enum CredentialShape {
    private static let minimumByteCount = 16

    static func isCredential(_ value: [UInt8]) -> Bool {
        guard value.count >= minimumByteCount, value.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        let letters = value.count { $0.isUpper || $0.isLower }
        let unusual = value.count { $0.isUpper || $0.isDigit }
        // In a random text, each of these is more than one in eight.
        guard letters * 8 >= value.count, unusual * 8 >= value.count else { return false }
        return value.first != .slash && !value.contains(sequence: Array("://".utf8)) && !isHost(value)
    }

    /// Whether a text has the form of a host name, optionally with a port.
    private static func isHost(_ value: [UInt8]) -> Bool {
        guard value.allSatisfy({ $0.isAlphanumeric || $0 == .dot || $0 == .hyphen || $0 == .colon }) else { return false }
        let host = value.prefix { $0 != .colon }
        guard let dot = host.lastIndex(of: .dot) else { return false }
        let top = host[(dot + 1)...]
        return top.allSatisfy { $0.isUpper || $0.isLower } || top.starts(with: "xn--".utf8)
    }
}
