/// Strings: with either quote, more escapes, and lines that are continued.
extension JSON5Converter {
    mutating func string(_ quote: UInt8) throws(ScanFailure) {
        index += 1
        out.append(0x22)
        while true {
            guard let c = byte else { throw failure(.unexpectedEnd) }
            switch c {
            case quote:
                index += 1
                out.append(0x22)
                return
            case 0x22:
                index += 1
                out += [0x5C, 0x22]
            case 0x5C: try escape()
            case 0x0A, 0x0D: throw failure(.controlCharacter)
            case 0..<0x20:
                index += 1
                unit(UInt32(c))
            default:
                out.append(c)
                index += 1
            }
        }
    }

    private mutating func escape() throws(ScanFailure) {
        note()
        defer { note() }
        guard index + 1 < count else {
            index = count
            throw failure(.unexpectedEnd)
        }
        let c = bytes[index + 1]
        switch c {
        case 0x22, 0x5C, 0x62, 0x66, 0x6E, 0x72, 0x74: out += [0x5C, c]
        case 0x76: unit(0x0B)
        case 0x30 where bytes[index + 2] &- 0x30 > 9: unit(0)
        case 0x75:
            guard let value = Scanner.codeUnit(bytes + index + 2) else { throw failure(.invalidHexDigit) }
            unit(value)
            index += 4
        case 0x78:
            let (high, low) = (Bytes.hexDigit(bytes[index + 2]), Bytes.hexDigit(bytes[index + 3]))
            guard high < 16, low < 16 else { throw failure(.invalidHexDigit) }
            unit(UInt32(high) << 4 | UInt32(low))
            index += 2
        case 0x0D where bytes[index + 2] == 0x0A: index += 1
        case 0x0A, 0x0D: break
        case 0x30...0x39: throw failure(.invalidEscape)
        case 0..<0x20: unit(UInt32(c))
        default:
            if isLineEnd(index + 1) {
                index += 2
            } else {
                // The character itself. The rest of one that is not ASCII follows.
                out.append(c)
            }
        }
        index += 2
    }

    /// Writes a code unit as an escape.
    private mutating func unit(_ value: UInt32) {
        out += [0x5C, 0x75]
        for shift in stride(from: UInt32(12), through: 0, by: -4) { out.append(Self.hexDigits[Int(value >> shift & 15)]) }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// Numbers: with a plus, without digits before or after the point, hexadecimal, infinite.
extension JSON5Converter {
    mutating func number() throws(ScanFailure) {
        if bytes[index] == 0x2B || bytes[index] == 0x2D {
            if bytes[index] == 0x2D { out.append(0x2D) }
            index += 1
        }
        switch byte {
        case 0x49 where begins("Infinity"): nonFinite(.infinity, length: 8)
        case 0x4E where begins("NaN"): nonFinite(.nan, length: 3)
        case 0x30 where bytes[index + 1] | 0x20 == 0x78: try hexadecimal()
        default: try decimal()
        }
        // What follows must not become a part of the number in JSON.
        guard let next = byte else { return }
        switch next {
        case 0x2C, 0x5D, 0x7D, 0x3A, 0x2F, 0x09...0x0D, 0x20, 0x80...: break
        default: throw failure(.unexpectedCharacterInNumber)
        }
    }

    private mutating func nonFinite(_ value: NonFinite, length: Int) {
        if value == .nan, out.last == 0x2D { out.removeLast() }
        out += Array(value.rawValue.utf8)
        index += length
    }

    private func begins(_ word: StaticString) -> Bool {
        index + word.utf8CodeUnitCount <= count
            && (0..<word.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
    }

    private mutating func decimal() throws(ScanFailure) {
        let whole = digits()
        if whole.count > 1, bytes[whole.lowerBound] == 0x30 {
            index = whole.lowerBound + 1
            throw failure(.leadingZero)
        }
        if whole.isEmpty { out.append(0x30) } else { copy(whole) }
        if byte == 0x2E {
            index += 1
            let fraction = digits()
            guard !(whole.isEmpty && fraction.isEmpty) else { throw failure(.unexpectedCharacterInNumber) }
            if !fraction.isEmpty {
                out.append(0x2E)
                copy(fraction)
            }
        } else if whole.isEmpty {
            throw failure(.unexpectedCharacterInNumber)
        }
        guard let e = byte, e | 0x20 == 0x65 else { return }
        out.append(0x65)
        index += 1
        if byte == 0x2B || byte == 0x2D {
            out.append(bytes[index])
            index += 1
        }
        let exponent = digits()
        guard !exponent.isEmpty else { throw failure(.unexpectedCharacterInNumber) }
        let significant = exponent.drop { bytes[$0] == 0x30 }
        // Fewer digits than in the exponent of a number that is not finite.
        if significant.count > 9 { out += Array("999999999".utf8) } else { copy(exponent.suffix(9)) }
    }

    private mutating func digits() -> Range<Int> {
        let start = index
        while index < count, bytes[index] &- 0x30 <= 9 { index += 1 }
        return start..<index
    }

    private mutating func copy(_ range: Range<Int>) {
        out.append(contentsOf: UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count))
    }

    private mutating func hexadecimal() throws(ScanFailure) {
        index += 2
        let start = index
        while index < count, Bytes.hexDigit(bytes[index]) < 16 { index += 1 }
        guard index > start else { throw failure(.unexpectedCharacterInNumber) }
        var significant = (start..<index).drop { bytes[$0] == 0x30 }
        let isWide = significant.count > 16
        // A bit for all that is left out, so that the number is rounded as if it was there.
        let sticky: UInt64 = isWide && significant.dropFirst(16).contains { bytes[$0] != 0x30 } ? 1 : 0
        let exponent = isWide ? 4 * (significant.count - 16) : 0
        significant = significant.prefix(16)
        let value = significant.reduce(0 as UInt64) { $0 << 4 | UInt64(Bytes.hexDigit(bytes[$1])) } | sticky
        let double = exponent > 1024 ? .infinity : Double(sign: .plus, exponent: exponent, significand: Double(value))
        let text = !isWide ? String(value) : double.isFinite ? "\(double)" : "1e999999999"
        out += Array(text.utf8)
    }
}

/// Words: keys without quotes, and literals.
extension JSON5Converter {
    mutating func word() throws(ScanFailure) {
        let start = index
        var name: [UInt8] = []
        while let (length, text) = try wordCharacter(isFirst: index == start) {
            name += text
            index += length
        }
        guard index > start else { throw failure(.unexpectedCharacter) }
        let end = index
        try skipSpace(writes: false)
        let isKey = byte == 0x3A
        index = end
        if isKey {
            out.append(0x22)
            out += name
            out.append(0x22)
            return
        }
        index = start
        if begins("Infinity") && end == start + 8 || begins("NaN") && end == start + 3 { return try number() }
        guard ["true", "false", "null"].contains(where: { $0.utf8.elementsEqual(name) }), name.count == end - start else {
            throw failure(.unexpectedCharacterInLiteral)
        }
        out += name
        index = end
    }

    /// A character of an identifier (ECMAScript 5.1 §7.6), and its length in the text; nil for another one.
    private func wordCharacter(isFirst: Bool) throws(ScanFailure) -> (length: Int, text: [UInt8])? {
        guard let c = byte else { return nil }
        switch c {
        case 0x24, 0x5F, 0x41...0x5A, 0x61...0x7A: return (1, [c])
        case 0x30...0x39: return isFirst ? nil : (1, [c])
        case 0x5C:
            guard index + 5 < count, bytes[index + 1] == 0x75, let value = Scanner.codeUnit(bytes + index + 2) else {
                throw failure(.invalidEscape)
            }
            guard let scalar = Unicode.Scalar(value), Self.isPart(scalar, isFirst: isFirst) else { throw failure(.invalidEscape) }
            return (6, Array(String(Character(scalar)).utf8))
        case 0x80...:
            guard let (scalar, length) = self.scalar(at: index) else { throw failure(.invalidUTF8) }
            guard Self.isPart(scalar, isFirst: isFirst) else { return nil }
            return (length, Array(UnsafeBufferPointer(start: bytes + index, count: length)))
        default: return nil
        }
    }

    private static func isPart(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: true
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: !isFirst || scalar == "_"
        default: scalar == "$" || !isFirst && (scalar.value == 0x200C || scalar.value == 0x200D)
        }
    }
}
