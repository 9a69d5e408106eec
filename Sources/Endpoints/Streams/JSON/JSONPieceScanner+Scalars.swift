extension JSONPieceScanner {
    /// Reads bytes of a number (RFC 8259 §6), whose end is known only when the byte after it is read.
    ///
    /// - Returns: Whether that byte has been reached.
    mutating func passNumber(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) -> Bool {
        while position < end {
            let byte = position.pointee
            let isDigit = JSONScanner.isDigit(byte)
            switch state {
            case .minus:
                guard isDigit else { throw JSONSyntaxError(.noDigit, position) }
                state = byte == UInt8(ascii: "0") ? .zero : .integer
            case .zero where isDigit: throw JSONSyntaxError(.leadingZero, position)
            case .integer where isDigit, .fraction where isDigit, .exponentDigits where isDigit: break
            case .zero where byte == UInt8(ascii: "."), .integer where byte == UInt8(ascii: "."): state = .point
            case .zero where byte | 0x20 == UInt8(ascii: "e"), .integer where byte | 0x20 == UInt8(ascii: "e"),
                .fraction where byte | 0x20 == UInt8(ascii: "e"):
                state = .exponent
            case .point:
                guard isDigit else { throw JSONSyntaxError(.noDigit, position) }
                state = .fraction
            case .exponent where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"): state = .exponentSign
            case .exponent, .exponentSign:
                guard isDigit else { throw JSONSyntaxError(.noDigit, position) }
                state = .exponentDigits
            default: return true
            }
            position += 1
        }
        return false
    }

    /// Reads bytes of a literal.
    ///
    /// - Returns: Whether the literal is complete.
    mutating func passLiteral(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) -> Bool {
        while position < end {
            guard UInt32(position.pointee) == rest & 0xFF else { throw JSONSyntaxError(.noValue, position) }
            position += 1
            rest &>>= 8
            if rest == 0 { return true }
        }
        return false
    }

    /// Reads the first byte of an escape, or non-ASCII scalars as far as they are complete and the first byte of an incomplete one.
    @inline(never)
    mutating func passSpecial(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) {
        switch position.pointee {
        case UInt8(ascii: "\\"):
            note(.escapes)
            position += 1
            state = .escape
        case 0x80...:
            note(.nonASCII)
            do throws(JSONSyntaxError) {
                while end - position >= 4, position.pointee >= 0x80 { position = try JSONScanner.scalarEnd(position, end) }
            } catch {
                // Read again byte by byte below, so that the error's position does not depend on how the text is split.
            }
            if position < end, position.pointee >= 0x80 { try beginScalar(&position) }
        default:
            throw JSONSyntaxError(.control, position)
        }
    }

    /// Reads the first byte of a UTF-8 scalar of two to four bytes, which must be in its shortest form and not a surrogate (RFC 3629 §4).
    private mutating func beginScalar(_ position: inout Position) throws(JSONSyntaxError) {
        let lead = position.pointee
        continuation =
            switch lead {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        switch lead {
        case 0xC2...0xDF: rest = 1
        case 0xE0...0xEF: rest = 2
        case 0xF0...0xF4: rest = 3
        default: throw JSONSyntaxError(.badUTF8, position)
        }
        position += 1
        state = .continuation
    }

    /// Reads one byte inside an escape or a scalar.
    mutating func passCutSpecial(_ position: inout Position) throws(JSONSyntaxError) {
        let byte = position.pointee
        switch state {
        case .continuation:
            guard continuation.contains(byte) else { throw JSONSyntaxError(.badUTF8, position) }
            continuation = 0x80...0xBF
            rest -= 1
            if rest == 0 { state = .string }
        case .escape:
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                state = .string
            case UInt8(ascii: "u"):
                needsLowSurrogate = false
                beginHex()
            default: throw JSONSyntaxError(.badEscape, position)
            }
        case .lowBackslash:
            guard byte == UInt8(ascii: "\\") else { throw JSONSyntaxError(.loneSurrogate, position) }
            state = .lowU
        case .lowU:
            guard byte == UInt8(ascii: "u") else { throw JSONSyntaxError(.loneSurrogate, position) }
            needsLowSurrogate = true
            beginHex()
        default:
            try passHexDigit(byte, position)
        }
        position += 1
    }

    private mutating func beginHex() {
        state = .hex
        rest = 4
        codeUnit = 0
    }

    private mutating func passHexDigit(_ byte: UInt8, _ position: Position) throws(JSONSyntaxError) {
        guard let digit = byte.hexValue else { throw JSONSyntaxError(.badEscape, position) }
        codeUnit = codeUnit &<< 4 | UInt16(digit)
        rest -= 1
        guard rest == 0 else { return }
        // A surrogate must be part of a pair (RFC 8259 §8.2).
        switch (codeUnit & 0xFC00, needsLowSurrogate) {
        case (0xD800, false): state = .lowBackslash
        case (0xDC00, true): state = .string
        case (0xDC00, false), (_, true): throw JSONSyntaxError(.loneSurrogate, position)
        default: state = .string
        }
    }
}
