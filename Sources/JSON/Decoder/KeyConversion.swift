import Foundation

extension DecodingSession {
    /// Converts a key of the document with the key strategy.
    func converted(_ key: String, container: Int, depth: Int) -> String {
        switch options.keys {
        case .useDefaultKeys:
            return key
        case .convertFromSnakeCase:
            if let known = storage.pointee.snakeCaseKeys[key] { return known }
            let result = Self.camelCase(key)
            if storage.pointee.snakeCaseKeys.count < 1024, key.utf8.count <= 64 { storage.pointee.snakeCaseKeys[key] = result }
            return result
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
/// It applies to *plain* keys only: ASCII without an underscore, or words of lower-case letters and digits between single underscores, where no letter
/// follows a digit. All others are converted, and looked up in a dictionary.
enum SnakeCaseKeys {
    /// A hash of the key without underscores and case, so that plain keys that are converted to the same key have the same hash; nil if the key
    /// is not plain.
    static func hash(_ p: Bytes.Pointer, _ length: Int) -> UInt32? {
        guard length > 0 else { return nil }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var hasUnderscore = false
        var isStrange = p[0] == 0x5F || p[length - 1] == 0x5F
        var previous: UInt8 = 0
        for i in 0..<length {
            let c = p[i]
            if c == 0x5F {
                hasUnderscore = true
            } else {
                let isDigit = c &- 0x30 < 10
                let isLower = c &- 0x61 < 26
                if !isDigit && !isLower || isLower && previous &- 0x30 < 10 { isStrange = true }
                hash = (hash ^ UInt64(c &- 0x41 < 26 ? c | 0x20 : c)) &* 0x100_0000_01B3
            }
            previous = c
        }
        if hasUnderscore && isStrange { return nil }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    /// Whether a plain key is converted to `key`.
    @inline(__always)
    static func matches(_ p: Bytes.Pointer, _ length: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        var j = 0
        var startsWord = false
        for i in 0..<length {
            let c = p[i]
            if c == 0x5F {
                startsWord = true
                continue
            }
            guard j < key.count, key[j] == (startsWord && c &- 0x61 < 26 ? c &- 0x20 : c) else { return false }
            startsWord = false
            j &+= 1
        }
        return j == key.count
    }
}

extension DuplicateKeyFinder {
    /// Whether all keys of the object are plain, and all of them are converted to different keys.
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
