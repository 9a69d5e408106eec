/// A table of secret values and the patterns to search for, indexed by the first four bytes of each pattern.
struct SecretTable {
    /// The bytes of a secret value in one encoding.
    struct Pattern {
        let bytes: [UInt8]
        /// Whether the pattern matches only if there is no letter or digit directly before or after it.
        let standsAlone: Bool
        /// Whether the text of the value may extend beyond the pattern.
        let isBeginning: Bool
    }

    private struct Value {
        let patterns: [Pattern]
        var lastUse: Int
    }

    private static let longestPattern = 1024
    // The placeholder and its parts are never added as secret values.
    private static let placeholder = Array(Redaction.placeholder.utf8)

    private var values: [[UInt8]: Value] = [:]
    private var patterns: [UInt32: [Pattern]] = [:]
    /// How often a value was added, values that were added again included.
    private(set) var additions = 0
    /// A Bloom filter with one bit per hash of the first four bytes of a pattern, which excludes most positions of a text quickly.
    private var filter = [UInt64](repeating: 0, count: 1 << 11)
    private(set) var longest = 0
    /// Whether a value contains a space, which a form encodes as `+`.
    private(set) var hasSpaces = false

    var isEmpty: Bool { values.isEmpty }

    mutating func insert(_ value: [UInt8]) {
        guard value.count >= SecretValues.minimumByteCount else { return }
        let value = Array(value.prefix(Self.longestPattern + 1))
        additions += 1
        if values[value] != nil {
            values[value]?.lastUse = additions
            return
        }
        guard !Self.placeholder.contains(sequence: value.map(\.lowered)) else { return }
        if values.count >= SecretValues.capacity { removeOldest() }
        let patterns = Self.patterns(of: value)
        values[value] = Value(patterns: patterns, lastUse: additions)
        for pattern in patterns { add(pattern) }
        hasSpaces = hasSpaces || value.contains(.space)
    }

    /// Returns the patterns whose first four bytes are at an index.
    func candidates(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> [Pattern]? {
        let key = Self.key(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3])
        let bit = Self.bit(key)
        guard filter[bit >> 6] & (1 << UInt64(bit & 63)) != 0 else { return nil }
        return patterns[key]
    }

    private mutating func add(_ pattern: Pattern) {
        let key = Self.key(pattern.bytes[0], pattern.bytes[1], pattern.bytes[2], pattern.bytes[3])
        patterns[key, default: []].append(pattern)
        let bit = Self.bit(key)
        filter[bit >> 6] |= 1 << UInt64(bit & 63)
        longest = max(longest, pattern.bytes.count)
    }

    /// Removes the eighth of the values that was added the longest ago, so that the cost of sorting is shared by many insertions.
    private mutating func removeOldest() {
        let oldest = values.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, SecretValues.capacity / 8))
        for (value, _) in oldest { values[value] = nil }
        patterns = [:]
        filter = [UInt64](repeating: 0, count: filter.count)
        longest = 0
        for value in values.values {
            for pattern in value.patterns { add(pattern) }
        }
    }

    private static func key(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> UInt32 {
        UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(fourth) << 24
    }

    private static func bit(_ key: UInt32) -> Int { Int((key &* 0x9E37_79B1) >> 15) }
}

extension SecretTable {
    private static func patterns(of value: [UInt8]) -> [Pattern] {
        let isLong = value.count > longestPattern
        let value = Array(value.prefix(longestPattern))
        var patterns = [Pattern(bytes: value, standsAlone: value.count < 12, isBeginning: isLong)]
        for offset in 0..<3 {
            let standard = base64(of: value, at: offset)
            patterns.append(Pattern(bytes: standard, standsAlone: false, isBeginning: true))
            let safe = standard.map { $0 == .plus ? UInt8.hyphen : $0 == .slash ? .underscore : $0 }
            if safe != standard { patterns.append(Pattern(bytes: safe, standsAlone: false, isBeginning: true)) }
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
