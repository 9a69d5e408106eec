/// Validates UTF-8 (RFC 3629) while it is received: a text may be split at any byte.
package struct UTF8Validator: Sendable {
    /// The number of continuation bytes that are missing.
    private var missing: UInt8 = 0
    /// The range of the next continuation byte.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    package init() {}

    /// Whether the text so far ends with a complete character.
    package var isComplete: Bool { missing == 0 }

    /// Receives the next bytes.
    ///
    /// - Returns: `false` if the text is invalid, whatever follows.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if missing == 0 {
                // ASCII, eight bytes at a time.
                while index &+ 8 <= count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index &+= 8
                }
                guard index < count else { break }
                guard begin(bytes[index]) else { return false }
            } else {
                let byte = bytes[index]
                guard byte >= low, byte <= high else { return false }
                (low, high) = (0x80, 0xBF)
                missing &-= 1
            }
            index &+= 1
        }
        return true
    }

    /// Begins a character (RFC 3629 §4): overlong forms, surrogates and code points above U+10FFFF are invalid.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, low) = (2, 0xA0)
        case 0xED: (missing, high) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, low) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, high) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
