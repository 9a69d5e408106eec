extension JSONScanner {
    /// What a string's body holds beside plain ASCII.
    struct StringTraits: OptionSet {
        let rawValue: UInt8
        static let escapes = StringTraits(rawValue: 1)
        static let nonASCII = StringTraits(rawValue: 2)
    }

    /// The body and closing quote of a string whose opening quote has been passed (RFC 8259 §7).
    @inline(__always)
    static func skipString(_ position: inout Position, _ end: Position) throws(JSONFlaw) -> StringTraits {
        position = plainASCIIEnd(position, end)
        if position < end, position.pointee == UInt8(ascii: "\"") {
            position += 1
            return []
        }
        let rest = try skipStringWithSpecials(position, end)
        position = rest.position
        return rest.traits
    }

    /// The first byte at or after `position` that is a quote, a backslash, a control or not ASCII; `end` if there is none.
    ///
    /// Eight bytes at a time: subtracting from each byte borrows into its high bit when it is below 0x20, or when it was
    /// equal to the byte it has been xor-ed with. A borrow can spoil bytes only above the first hit, which is the one asked for.
    @inline(__always)
    static func plainASCIIEnd(_ start: Position, _ end: Position) -> Position {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = start
        while end - position >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(position).loadUnaligned(as: UInt64.self))
            let controls = word &- ones &* 0x20
            let quotes = (word ^ ones &* 0x22) &- ones
            let backslashes = (word ^ ones &* 0x5C) &- ones
            let hits = (word | controls | quotes | backslashes) & (ones &* 0x80)
            if hits != 0 { return position + hits.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < end {
            switch position.pointee {
            case 0x22, 0x5C, 0..<0x20, 0x80...: return position
            default: position += 1
            }
        }
        return position
    }

    @inline(never)
    private static func skipStringWithSpecials(
        _ start: Position, _ end: Position
    ) throws(JSONFlaw) -> (position: Position, traits: StringTraits) {
        var position = start
        var traits: StringTraits = []
        while position < end {
            switch position.pointee {
            case UInt8(ascii: "\""):
                return (position + 1, traits)
            case UInt8(ascii: "\\"):
                traits.insert(.escapes)
                position = try escapeEnd(position, end)
            case 0x80...:
                traits.insert(.nonASCII)
                repeat { position = try scalarEnd(position, end) } while position < end && position.pointee >= 0x80
            case 0..<0x20:
                throw JSONFlaw(.control, position)
            default:
                position += 1
            }
            position = plainASCIIEnd(position, end)
        }
        throw JSONFlaw(.unexpectedEnd, position)
    }

    /// RFC 8259 §7. Surrogates come in pairs, or the string has no Unicode value (§8.2) and JSONDecoder refuses it.
    @inline(__always)
    private static func escapeEnd(_ position: Position, _ end: Position) throws(JSONFlaw) -> Position {
        guard end - position >= 2 else { throw JSONFlaw(.unexpectedEnd, end) }
        switch position[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return position + 2
        case UInt8(ascii: "u"):
            let unit = try codeUnit(position + 2, end)
            guard unit & 0xF800 == 0xD800 else { return position + 6 }
            guard unit < 0xDC00 else { throw JSONFlaw(.loneSurrogate, position) }
            guard end - position >= 8 else { throw JSONFlaw(.unexpectedEnd, end) }
            guard position[6] == UInt8(ascii: "\\"), position[7] == UInt8(ascii: "u"),
                try codeUnit(position + 8, end) & 0xFC00 == 0xDC00
            else { throw JSONFlaw(.loneSurrogate, position) }
            return position + 12
        default:
            throw JSONFlaw(.badEscape, position)
        }
    }

    /// The value of four hexadecimal digits.
    @inline(__always)
    static func codeUnit(_ position: Position, _ end: Position) throws(JSONFlaw) -> UInt16 {
        guard end - position >= 4 else { throw JSONFlaw(.unexpectedEnd, end) }
        var unit: UInt16 = 0
        for offset in 0..<4 {
            let byte = position[offset]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: throw JSONFlaw(.badEscape, position + offset)
            }
            unit = unit &<< 4 | UInt16(digit)
        }
        return unit
    }

    /// One scalar of two to four bytes, in its shortest form and no surrogate (RFC 3629 §4).
    @inline(__always)
    static func scalarEnd(_ position: Position, _ end: Position) throws(JSONFlaw) -> Position {
        let lead = position.pointee
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0:
            length = 3
            second = 0xA0...0xBF
        case 0xED:
            length = 3
            second = 0x80...0x9F
        case 0xE1...0xEF: length = 3
        case 0xF0:
            length = 4
            second = 0x90...0xBF
        case 0xF1...0xF3: length = 4
        case 0xF4:
            length = 4
            second = 0x80...0x8F
        default: throw JSONFlaw(.badUTF8, position)
        }
        guard end - position >= length else { throw JSONFlaw(.badUTF8, position) }
        guard second.contains(position[1]),
            length < 3 || position[2] & 0xC0 == 0x80,
            length < 4 || position[3] & 0xC0 == 0x80
        else { throw JSONFlaw(.badUTF8, position) }
        return position + length
    }
}
