import Foundation

/// The hashes of the keys of all open objects, to detect a key that is written twice. The keys of inner objects follow those of outer objects.
struct KeyHashes {
    private var values: UnsafeMutablePointer<UInt64>
    private var capacity = 128
    var count = 0
    /// The hashes of objects with many keys, by the index of their first key.
    private var sets: [Int: Set<UInt64>] = [:]

    /// Objects with more keys than this use a set.
    private static let fewKeys = 64

    init() { values = .allocate(capacity: capacity) }

    func deallocate() { values.deallocate() }

    mutating func reset() {
        count = 0
        if !sets.isEmpty { sets.removeAll() }
    }

    /// Removes an object's keys when it is closed.
    @inline(__always)
    mutating func drop(to first: Int, _ keys: Int) {
        count = first
        if keys > Self.fewKeys { sets[first] = nil }
    }

    /// Adds a key to the object whose keys begin at `first`.
    ///
    /// - Returns: False if the object may already have it.
    @inline(__always)
    mutating func insert(_ hash: UInt64, first: Int) -> Bool {
        let keys = count &- first
        if keys >= Self.fewKeys { return insertMany(hash, first) }
        var i = first
        while i < count {
            if values[i] == hash { return false }
            i &+= 1
        }
        if count == capacity { grow() }
        values[count] = hash
        count &+= 1
        return true
    }

    @inline(never)
    private mutating func insertMany(_ hash: UInt64, _ first: Int) -> Bool {
        if sets[first] == nil { sets[first] = Set((first..<count).map { values[$0] }) }
        return sets[first]!.insert(hash).inserted
    }

    private mutating func grow() {
        let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
        moved.update(from: values, count: count)
        values.deallocate()
        values = moved
        capacity *= 2
    }

    /// Removes the last key of an object, whose value failed to encode.
    mutating func removeLast(_ hash: UInt64, first: Int) {
        if sets[first] != nil { sets[first]!.remove(hash) } else { count -= 1 }
    }

    /// The hash of an ASCII key of at most 15 bytes, computed from its two words.
    @inline(__always)
    static func hash(_ words: (low: UInt64, high: UInt64)) -> UInt64 {
        let h = (words.low ^ 0x243F_6A88_85A3_08D3) &* 0x9E37_79B9_7F4A_7C15
        return (h ^ h >> 29 ^ words.high) &* 0xD6E8_FEB8_6659_FD93
    }

    /// The hash of any key. Canonically equivalent keys have equal hashes.
    static func hash(of key: String) -> UInt64 {
        if let known = key.utf8.withContiguousStorageIfAvailable({ hash(ascii: $0) }) {
            if let known { return known }
        } else {
            var copy = key
            if let hash = copy.withUTF8({ hash(ascii: $0) }) { return hash }
        }
        // Some characters that are not ASCII are equivalent to an ASCII character, such as the Kelvin sign to `K`.
        var normal = key.precomposedStringWithCanonicalMapping
        if let hash = normal.withUTF8({ hash(ascii: $0) }) { return hash }
        var hasher = Hasher()
        hasher.combine(key)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The hash of ASCII text; nil if it is not ASCII.
    private static func hash(ascii key: UnsafeBufferPointer<UInt8>) -> UInt64? {
        let n = key.count
        var (low, high): (UInt64, UInt64) = (0, 0)
        if n < 16 {
            for i in 0..<min(n, 8) { low |= UInt64(key[i]) << UInt64(8 * i) }
            for i in min(n, 8)..<n { high |= UInt64(key[i]) << UInt64(8 * i - 64) }
            guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
            return hash((low, high | (0xE0 | UInt64(n)) << 56))
        }
        let p = key.baseAddress!
        var h = UInt64(truncatingIfNeeded: n)
        var all: UInt64 = 0
        var i = 0
        while i < n {
            // The last word overlaps the previous one.
            let word = Bytes.load8(p + min(i, n &- 8))
            all |= word
            h = (h ^ word) &* 0x9E37_79B9_7F4A_7C15
            h ^= h >> 29
            i &+= 8
        }
        return all & 0x8080_8080_8080_8080 == 0 ? h : nil
    }
}
