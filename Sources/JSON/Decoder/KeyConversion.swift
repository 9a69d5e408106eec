import Foundation

extension DecodingSession {
    /// Converts a key of the document with the key strategy.
    func converted(_ key: String, container: Int, depth: Int) -> String {
        switch options.keys {
        case .useDefaultKeys:
            return key
        case .convertFromSnakeCase:
            return storage.pointee.convertedKeys.value(of: key) { Self.camelCase(key) }
        case .custom(let convert):
            return convert(path(to: container, depth: depth) + [JSONKey(stringValue: key)]).stringValue
        @unknown default:
            return key
        }
    }

    /// Converts snake case to camel case by Foundation's rules: a word after an underscore is capitalized, underscores at both ends remain.
    static func camelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else { return key }
        let words = key[first...last].split(separator: "_")
        let joined =
            words.count == 1 ? String(key[first...last]) : ([words[0].lowercased()] + words[1...].map(\.capitalized)).joined()
        return key[..<first] + joined + key[key.index(after: last)...]
    }
}

/// Compares keys in snake case with keys in camel case, byte by byte: `created_at` matches `createdAt`.
///
/// It applies to *plain* keys only: ASCII, where no letter after the first underscore follows a digit or a sign. All others are converted, and looked
/// up in a dictionary.
enum SnakeCaseKeys {
    /// A hash of the converted key; nil if the key is not plain.
    static func hash(_ p: Bytes.Pointer, _ length: Int) -> UInt32? {
        if hasUnderscoreAtEnd(p, length) { return hashAnyCase(p, length) }
        var hash = seed
        var isFirstWord = true
        var startsWord = false
        var followsLetter = true
        for i in 0..<length {
            var c = p[i]
            if c == 0x5F {
                isFirstWord = false
                startsWord = true
                followsLetter = true
                continue
            }
            if isUpper(c) { return hashAnyCase(p, length) }
            let isLetter = c &- 0x61 < 26
            if isLetter {
                if startsWord { c &-= 0x20 } else if !followsLetter, !isFirstWord { return nil }
            }
            hash = (hash ^ UInt64(c)) &* prime
            followsLetter = isLetter
            startsWord = false
        }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    @inline(never)
    private static func hashAnyCase(_ p: Bytes.Pointer, _ length: Int) -> UInt32? {
        var hash = seed
        let isPlain = convert(p, length) { byte, isStrange in
            hash = (hash ^ UInt64(byte)) &* prime
            return !isStrange
        }
        return isPlain ? UInt32(truncatingIfNeeded: hash ^ hash >> 32) : nil
    }

    private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3

    /// Whether a plain key is converted to `key`.
    @inline(__always)
    static func matches(_ p: Bytes.Pointer, _ length: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        if hasUnderscoreAtEnd(p, length) { return matchesAnyCase(p, length, key) }
        var j = 0
        var startsWord = false
        for i in 0..<length {
            let c = p[i]
            if c == 0x5F {
                startsWord = true
                continue
            }
            if isUpper(c) { return matchesAnyCase(p, length, key) }
            guard j < key.count, key[j] == (startsWord && c &- 0x61 < 26 ? c &- 0x20 : c) else { return false }
            startsWord = false
            j &+= 1
        }
        return j == key.count
    }

    @inline(never)
    private static func matchesAnyCase(_ p: Bytes.Pointer, _ length: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        var j = 0
        let isPrefix = convert(p, length) { byte, _ in
            guard j < key.count, key[j] == byte else { return false }
            j &+= 1
            return true
        }
        return isPrefix && j == key.count
    }

    /// Whether the first or the last byte is an underscore, which remains.
    @inline(__always)
    private static func hasUnderscoreAtEnd(_ p: Bytes.Pointer, _ length: Int) -> Bool {
        length > 0 && (p[0] == 0x5F || p[length &- 1] == 0x5F)
    }

    @inline(__always)
    private static func isUpper(_ c: UInt8) -> Bool { c &- 0x41 < 26 }

    /// Calls a closure with each byte of the converted key, until it returns false: a word after an underscore is capitalized, the first one has no
    /// capitals, and a key of one word remains, as do underscores at both ends.
    ///
    /// - Parameter body: Receives the byte, and whether it makes the key one that is not plain.
    /// - Returns: False if the closure has returned false.
    @inline(__always)
    private static func convert(_ p: Bytes.Pointer, _ length: Int, _ body: (_ byte: UInt8, _ isStrange: Bool) -> Bool) -> Bool {
        var first = 0
        while first < length, p[first] == 0x5F { first &+= 1 }
        var end = length
        while end > first, p[end &- 1] == 0x5F { end &-= 1 }
        var isFirstWord = true
        var startsWord = false
        var followsLetter = true
        for i in 0..<length {
            var c = p[i]
            if c == 0x5F, i >= first, i < end {
                isFirstWord = false
                startsWord = true
                followsLetter = true
                continue
            }
            let isUpper = isUpper(c)
            let isLetter = isUpper || c &- 0x61 < 26
            if isFirstWord {
                if isUpper, hasUnderscore(p, i, end) { c |= 0x20 }
            } else if isLetter {
                c = startsWord ? c & ~0x20 : c | 0x20
            }
            guard body(c, !isFirstWord && isLetter && !followsLetter) else { return false }
            followsLetter = isLetter
            startsWord = false
        }
        return true
    }

    @inline(never)
    private static func hasUnderscore(_ p: Bytes.Pointer, _ start: Int, _ end: Int) -> Bool {
        for i in start..<max(start, end) where p[i] == 0x5F { return true }
        return false
    }
}

extension DuplicateKeyFinder {
    /// Whether all keys of the object are plain, which are ASCII without escapes, and all of them are converted to different keys.
    @inline(never)
    mutating func areSnakeCase(_ session: DecodingSession, first: Int, end: Int, count: Int) -> Bool {
        prepare(count)
        var probesLeft = 8 &* count &+ 32
        var key = first
        while key < end {
            let entry = session.tape[key]
            guard let hash = SnakeCaseKeys.hash(session.text + entry.offset, entry.length), insert(hash, &probesLeft) else {
                return false
            }
            key = session.next(key &+ 1)
        }
        return true
    }
}
