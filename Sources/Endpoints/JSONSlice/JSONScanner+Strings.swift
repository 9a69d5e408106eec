extension JSONScanner {
    /// The kinds of content other than plain ASCII in a string's body.
    struct StringTraits: OptionSet {
        let rawValue: UInt8
        static let escapes = StringTraits(rawValue: 1)
        static let nonASCII = StringTraits(rawValue: 2)
    }

    /// Skips the body and the closing quote of a string, starting after its opening quote (RFC 8259 §7).
    @inline(__always)
    static func skipString(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) -> StringTraits {
        position = plainASCIIEnd(position, end)
        if position < end, position.pointee == UInt8(ascii: "\"") {
            position += 1
            return []
        }
        let rest = try skipStringWithSpecials(position, end)
        position = rest.position
        return rest.traits
    }

    /// Returns the first position from `start` on of a quote, a backslash, a control character or a non-ASCII byte, or `end`.
    ///
    /// Eight bytes are tested at a time: the subtraction sets the high bit of a byte that is below 0x20, or that was equal
    /// to the byte it was xor-ed with. A borrow can change only bytes above the first match, which is the one returned.
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
    ) throws(JSONSyntaxError) -> (position: Position, traits: StringTraits) {
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
                throw JSONSyntaxError(.control, position)
            default:
                position += 1
            }
            position = plainASCIIEnd(position, end)
        }
        throw JSONSyntaxError(.unexpectedEnd, position)
    }

    /// Returns the end of an escape sequence (RFC 8259 §7).
    ///
    /// Unpaired surrogates are an error, because the string then has no Unicode value (§8.2) and JSONDecoder rejects it.
    @inline(__always)
    private static func escapeEnd(_ position: Position, _ end: Position) throws(JSONSyntaxError) -> Position {
        guard end - position >= 2 else { throw JSONSyntaxError(.unexpectedEnd, end) }
        switch position[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return position + 2
        case UInt8(ascii: "u"):
            let unit = try codeUnit(position + 2, end)
            guard unit & 0xF800 == 0xD800 else { return position + 6 }
            guard unit < 0xDC00 else { throw JSONSyntaxError(.loneSurrogate, position) }
            guard end - position >= 8 else { throw JSONSyntaxError(.unexpectedEnd, end) }
            guard position[6] == UInt8(ascii: "\\"), position[7] == UInt8(ascii: "u"),
                try codeUnit(position + 8, end) & 0xFC00 == 0xDC00
            else { throw JSONSyntaxError(.loneSurrogate, position) }
            return position + 12
        default:
            throw JSONSyntaxError(.badEscape, position)
        }
    }

    /// Returns the value of four hexadecimal digits.
    @inline(__always)
    static func codeUnit(_ position: Position, _ end: Position) throws(JSONSyntaxError) -> UInt16 {
        guard end - position >= 4 else { throw JSONSyntaxError(.unexpectedEnd, end) }
        var unit: UInt16 = 0
        for offset in 0..<4 {
            let byte = position[offset]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: throw JSONSyntaxError(.badEscape, position + offset)
            }
            unit = unit &<< 4 | UInt16(digit)
        }
        return unit
    }

    /// Returns the end of a UTF-8 scalar of two to four bytes, which must be in its shortest form and not a surrogate
    /// (RFC 3629 §4).
    @inline(__always)
    static func scalarEnd(_ position: Position, _ end: Position) throws(JSONSyntaxError) -> Position {
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
        default: throw JSONSyntaxError(.badUTF8, position)
        }
        guard end - position >= length else { throw JSONSyntaxError(.badUTF8, position) }
        guard second.contains(position[1]),
            length < 3 || position[2] & 0xC0 == 0x80,
            length < 4 || position[3] & 0xC0 == 0x80
        else { throw JSONSyntaxError(.badUTF8, position) }
        return position + length
    }
}
