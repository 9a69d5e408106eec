import NetworkSupport

/// An index of byte patterns that finds them in a text in linear time, whatever the number and the content of the patterns are.
///
/// A rolling hash of six bytes finds the places where a pattern may begin (Rabin–Karp). From there, the hash is extended byte by byte, up to
/// 48 bytes, and looked up at each length. Of a longer pattern, 48 bytes decide; the text is a match as far as it is equal.
struct SecretIndex {
    /// The bytes of a secret value in one encoding.
    struct Pattern: Hashable {
        let bytes: [UInt8]
        /// Whether the pattern matches only if there is no letter or digit directly before or after it.
        let standsAlone: Bool
        /// Whether the text of the value may extend beyond the pattern.
        let isBeginning: Bool

        /// The number of bytes that decide whether the pattern occurs.
        fileprivate var headCount: Int { min(bytes.count, SecretIndex.longestHead) }
    }

    private static let longestHead = 48
    /// The lengths at which it is known whether a pattern begins with some bytes. The second is the length of the rolling hash.
    private static let steps = [4, 6, 12, 24]
    private static let window = 6
    /// The minimum number of bytes by which the beginning of a pattern is found at the end of a text that was cut.
    static let shortestCut = steps[0]
    /// The maximum number of patterns with the same head that are compared to their ends.
    private static let maximumCompared = 8

    /// The patterns and the number of values of each, by the hash of the head.
    private var patterns: [UInt64: [Pattern: Int]] = [:]
    /// The number of patterns whose head has a length.
    private var heads = [Int](repeating: 0, count: longestHead + 1)
    /// For each of ``steps``, the number of patterns with that beginning, by its hash.
    private var beginnings = [[UInt64: Int]](repeating: [:], count: steps.count)
    /// One bit per hash of the first six bytes of a pattern, which excludes most positions of a text quickly.
    private var filter = [UInt64](repeating: 0, count: 1 << 12)
    private var outdatedBits = 0

    var isEmpty: Bool { patterns.isEmpty }

    /// Counts a pattern as one that occurs in more or fewer values.
    mutating func count(_ pattern: Pattern, by change: Int) {
        let head = pattern.headCount
        let key = Hash.of(pattern.bytes[..<head])
        let count = patterns[key]?[pattern] ?? 0
        let isChanged = (count == 0) != (count + change <= 0)
        patterns[key, default: [:]][pattern] = count + change > 0 ? count + change : nil
        if patterns[key]?.isEmpty == true { patterns[key] = nil }
        guard isChanged else { return }
        heads[head] += change
        for (step, length) in Self.steps.enumerated() where length <= head {
            let hash = Hash.of(pattern.bytes[..<length])
            let count = (beginnings[step][hash] ?? 0) + change
            beginnings[step][hash] = count > 0 ? count : nil
            if length == Self.window, change > 0 { setBit(of: hash) }
        }
        if change < 0 { outdatedBits += 1 }
        if outdatedBits > filter.count { rebuildFilter() }
    }

    private mutating func rebuildFilter() {
        outdatedBits = 0
        filter = [UInt64](repeating: 0, count: filter.count)
        for hash in beginnings[1].keys { setBit(of: hash) }
    }

    private mutating func setBit(of hash: UInt64) {
        let bit = Hash.bit(hash)
        filter[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    // MARK: Search

    /// Returns the ranges of the patterns, sorted by their starts. They may overlap.
    ///
    /// - Parameter isCut: Whether the bytes are the beginning of a longer text, so that the beginning of a pattern at the end is found too.
    func ranges(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var next = 0
        if bytes.count >= Self.window {
            var hash = Hash.of(bytes[..<Self.window])
            for start in 0...(bytes.count - Self.window) {
                let bit = Hash.bit(hash)
                if start >= next, filter[bit >> 6] & (1 << UInt64(bit & 63)) != 0,
                    let end = end(ofMatchAt: start, hash, in: bytes)
                {
                    found.append(start..<end)
                    // Another pattern may begin in the last bytes of this one.
                    next = max(start + 1, end - Self.longestHead + 1)
                }
                guard start + Self.window < bytes.count else { break }
                hash = Hash.rolled(hash, from: bytes[start], to: bytes[start + Self.window])
            }
        }
        if isCut, let start = startOfCutPattern(in: bytes) { found.append(start..<bytes.count) }
        return found
    }

    private func end(ofMatchAt start: Int, _ windowHash: UInt64, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard beginnings[1][windowHash] != nil else { return nil }
        var hash = windowHash
        var length = Self.window
        var longest: Int?
        while true {
            if length == Self.steps[2] || length == Self.steps[3] {
                guard beginnings[length == Self.steps[2] ? 2 : 3][hash] != nil else { break }
            }
            if heads[length] > 0, let candidates = patterns[hash] {
                longest = max(longest, end(of: candidates, at: start, head: length, in: bytes))
            }
            guard length < Self.longestHead, start + length < bytes.count else { break }
            hash = Hash.extended(hash, by: bytes[start + length])
            length += 1
        }
        return longest
    }

    private func max(_ left: Int?, _ right: Int?) -> Int? {
        guard let left, let right else { return left ?? right }
        return Swift.max(left, right)
    }

    private func max(_ left: Int, _ right: Int) -> Int { Swift.max(left, right) }

    /// Returns the end of the longest of some patterns with the same head, or `nil` if none is at the index.
    private func end(
        of candidates: [Pattern: Int], at start: Int, head: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        var longest: Int?
        for pattern in candidates.keys.prefix(Self.maximumCompared) {
            guard pattern.headCount == head, pattern.bytes.prefix(head).elementsEqual(bytes[start..<start + head]) else {
                continue
            }
            var end = start + head
            while end < bytes.count, end - start < pattern.bytes.count, bytes[end] == pattern.bytes[end - start] { end += 1 }
            if pattern.standsAlone, head == pattern.bytes.count {
                if start > 0, bytes[start - 1].isNameLetter { continue }
                if end < bytes.count, bytes[end].isNameLetter { continue }
            }
            // Of many patterns with the same head, any may be the one.
            let isBeginning = pattern.isBeginning || candidates.count > Self.maximumCompared
            if isBeginning { while end < bytes.count, Self.continues(bytes[end]) { end += 1 } }
            longest = max(longest, end)
        }
        return longest
    }

    /// Returns the first index near the end from which the bytes may be the beginning of a pattern.
    private func startOfCutPattern(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        for start in max(0, bytes.count - Self.longestHead + 1)..<max(0, bytes.count - Self.steps[0] + 1) {
            let left = bytes.count - start
            guard let step = Self.steps.lastIndex(where: { $0 <= left }) else { return nil }
            if beginnings[step][Hash.of(bytes[start..<start + Self.steps[step]])] != nil { return start }
        }
        return nil
    }

    /// Returns whether a byte can continue a long value or a base64 text.
    private static func continues(_ byte: UInt8) -> Bool {
        switch byte {
        case .plus, .slash, .equals, .hyphen, .underscore, .dot: true
        default: byte.isAlphanumeric
        }
    }

    /// A polynomial hash of bytes, with a base that differs between processes.
    private enum Hash {
        private static let base = UInt64.random(in: 1 << 40...UInt64.max) | 1
        /// The weight of the first byte of a window.
        private static let weight = (1..<window).reduce(1 as UInt64) { weight, _ in weight &* base }

        static func of(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { extended($0, by: $1) } }

        static func extended(_ hash: UInt64, by byte: UInt8) -> UInt64 { hash &* base &+ UInt64(byte) &+ 1 }

        /// Returns the hash of a window that has moved by one byte.
        static func rolled(_ hash: UInt64, from first: UInt8, to next: UInt8) -> UInt64 {
            extended(hash &- (UInt64(first) &+ 1) &* weight, by: next)
        }

        /// The bit of a hash in a filter of 2¹⁸ bits.
        static func bit(_ hash: UInt64) -> Int { Int((hash &* 0x9E37_79B9_7F4A_7C15) >> 46) }
    }
}
