/// Strings. Escapes and UTF-8 are validated here; the string is decoded only when it is read.
extension Scanner {
    /// Moves `p` from the byte after the opening quote to the closing quote.
    ///
    /// - Returns: False at an error, with `p` at the invalid byte.
    @inline(__always)
    func string(_ p: inout Bytes.Pointer, _ flags: inout UInt64) -> Bool {
        while true {
            let special = Bytes.specialInString(Bytes.load8(p))
            if special == 0 {
                p += 8
                continue
            }
            p += special.trailingZeroBitCount &>> 3
            if p.pointee == 0x22 { return true }
            guard specialInString(&p, &flags) else { return false }
        }
    }

    /// Moves `p` to the byte after an escape or after characters that are not ASCII.
    @inline(never)
    private func specialInString(_ p: inout Bytes.Pointer, _ flags: inout UInt64) -> Bool {
        if p.pointee == 0x5C {
            flags |= TapeFlags.escaped
            return escape(&p)
        }
        flags |= TapeFlags.nonASCII
        repeat {
            guard p.pointee >= 0x80, let next = Bytes.endOfSequence(p) else { return false }
            p = next
        } while p.pointee >= 0x80
        return true
    }

    private func escape(_ p: inout Bytes.Pointer) -> Bool {
        switch p[1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            p += 2
            return true
        case 0x75:
            guard let unit = Self.codeUnit(p + 2) else { return false }
            if unit & 0xF800 == 0xD800 {
                // A surrogate pair, the high surrogate first.
                guard unit < 0xDC00, p[6] == 0x5C, p[7] == 0x75, let low = Self.codeUnit(p + 8), low & 0xFC00 == 0xDC00 else {
                    return false
                }
                p += 12
            } else {
                p += 6
            }
            return true
        default:
            return false
        }
    }

    /// The UTF-16 code unit of four hexadecimal digits; nil if one of them is not a digit.
    static func codeUnit(_ p: Bytes.Pointer) -> UInt32? {
        var unit: UInt32 = 0
        for i in 0..<4 {
            let digit = Bytes.hexDigit(p[i])
            guard digit < 16 else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// The reason why a string is invalid at `p`.
    func stringFailure(_ p: Bytes.Pointer) -> ScanFailure.Reason {
        if p.pointee >= 0x80 { return .invalidUTF8 }
        guard p.pointee == 0x5C else { return .controlCharacter }
        guard p[1] == 0x75 else { return .invalidEscape }
        return Self.codeUnit(p + 2) == nil ? .invalidHexDigit : .loneSurrogate
    }

    /// The reason why a key and its colon are invalid at `p`.
    func keyFailure(_ p: Bytes.Pointer, afterComma: Bool = false) -> ScanFailure.Reason {
        if p.pointee == 0x7D && afterComma { return .trailingComma }
        if p.pointee == 0x5C || p.pointee >= 0x80 || p.pointee < 0x20 { return stringFailure(p) }
        return .unexpectedCharacterInObject
    }

    /// The first byte that differs from `literal`.
    func literalFailure(_ p: Bytes.Pointer, _ literal: StaticString) -> Bytes.Pointer {
        var i = 0
        while p[i] == literal.utf8Start[i] { i += 1 }
        return p + i
    }
}

/// Numbers. Integers are parsed here. For real numbers the entry holds digits and exponent, from which Double, Float and Decimal are computed on demand.
extension Scanner {
    /// Reads the number at `p` and appends its entry.
    ///
    /// - Returns: False at an error, with `p` at the invalid byte.
    @inline(__always)
    mutating func number(_ p: inout Bytes.Pointer) -> Bool {
        let start = p
        let negative = p.pointee == 0x2D
        if negative { p += 1 }
        let digits = p
        var digit = p.pointee &- 0x30
        guard digit < 10 else { return false }
        var magnitude = UInt64(digit)
        p += 1
        if digit == 0 {
            guard p.pointee &- 0x30 >= 10 else { return false }
        } else {
            digit = p.pointee &- 0x30
            while digit < 10 {
                magnitude = magnitude &* 10 &+ UInt64(digit)
                p += 1
                digit = p.pointee &- 0x30
            }
        }
        let c = p.pointee
        if c == 0x2E || c | 0x20 == 0x65 {
            return real(&p, start, digits, magnitude, negative)
        }
        if p - digits <= 18 {
            if negative && magnitude == 0 {
                add(TapeEntry(.real, flags: TapeFlags.negative | TapeFlags.integral, offset: start - text, payload: 0))
            } else {
                let value = negative ? 0 &- Int64(bitPattern: magnitude) : Int64(bitPattern: magnitude)
                add(TapeEntry(.integer, offset: start - text, payload: UInt64(bitPattern: value)))
            }
            return true
        }
        longInteger(start, digits, p)
        return true
    }

    /// An integer of more than 18 digits.
    @inline(never)
    private mutating func longInteger(_ start: Bytes.Pointer, _ digits: Bytes.Pointer, _ end: Bytes.Pointer) {
        let negative = start != digits
        var magnitude: UInt64 = 0
        var truncated = false
        for i in 0..<(end - digits) {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digits[i] &- 0x30))
            if overflow || carry {
                truncated = true
                break
            }
            magnitude = sum
        }
        let offset = start - text
        if !truncated, !negative {
            add(TapeEntry(magnitude <= UInt64(Int64.max) ? .integer : .unsigned, offset: offset, payload: magnitude))
        } else if !truncated, magnitude <= 1 << 63 {
            add(TapeEntry(.integer, offset: offset, payload: 0 &- magnitude))
        } else {
            let flags = TapeFlags.integral | (negative ? TapeFlags.negative : 0) | (truncated ? TapeFlags.truncated : 0)
            add(TapeEntry(.real, flags: flags, offset: offset, payload: magnitude))
        }
    }

    /// A fraction, an exponent, or both, after the integral digits.
    @inline(__always)
    private mutating func real(
        _ p: inout Bytes.Pointer, _ start: Bytes.Pointer, _ digits: Bytes.Pointer, _ integral: UInt64, _ negative: Bool
    ) -> Bool {
        var magnitude = integral
        var exponent = 0
        var digitCount = p - digits
        if p.pointee == 0x2E {
            p += 1
            let fraction = p
            while Bytes.areDigits(Bytes.load8(p)) {
                magnitude = magnitude &* 100_000_000 &+ Bytes.number(ofDigits: Bytes.load8(p))
                p += 8
            }
            var digit = p.pointee &- 0x30
            while digit < 10 {
                magnitude = magnitude &* 10 &+ UInt64(digit)
                p += 1
                digit = p.pointee &- 0x30
            }
            let length = p - fraction
            guard length > 0 else { return false }
            exponent = 0 &- length
            digitCount &+= length
        }
        if p.pointee | 0x20 == 0x65 {
            p += 1
            let down = p.pointee == 0x2D
            if down || p.pointee == 0x2B { p += 1 }
            var digit = p.pointee &- 0x30
            guard digit < 10 else { return false }
            var explicit = 0
            repeat {
                if explicit < 100_000_000 { explicit = explicit &* 10 &+ Int(digit) }
                p += 1
                digit = p.pointee &- 0x30
            } while digit < 10
            exponent = down ? exponent &- explicit : exponent &+ explicit
        }
        var flags = negative ? TapeFlags.negative : 0
        if digitCount > 19 || exponent < -20_000 || exponent > 20_000 {
            // Leading zeros are not significant. A number that does not fit the entry is parsed again from the text when it is read.
            if exponent < -20_000 || exponent > 20_000 || Self.significantDigits(digits) > 19 { flags |= TapeFlags.truncated }
            exponent = min(max(exponent, -20_000), 20_000)
        }
        add(TapeEntry(.real, flags: flags, exponent: exponent, offset: start - text, payload: magnitude))
        return true
    }

    @inline(never)
    private static func significantDigits(_ digits: Bytes.Pointer) -> Int {
        var p = digits
        while p.pointee == 0x30 || p.pointee == 0x2E { p += 1 }
        var count = 0
        while p.pointee &- 0x30 < 10 || p.pointee == 0x2E {
            if p.pointee != 0x2E { count += 1 }
            p += 1
        }
        return count
    }

    /// The reason why a number is invalid at `p`.
    func numberFailure(_ p: Bytes.Pointer) -> ScanFailure.Reason {
        p.pointee &- 0x30 < 10 ? .leadingZero : .unexpectedCharacterInNumber
    }
}
