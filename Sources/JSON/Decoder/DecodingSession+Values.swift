import Foundation

/// Reads strings and numbers from their tape entries.
extension DecodingSession {
    @inline(__always)
    func isNull(_ index: Int) -> Bool { tape[index].is(.null) }

    /// Creates the string of an entry of a string or a key.
    @inline(__always)
    func string(_ entry: TapeEntry) -> String {
        if entry.flags & TapeFlags.escaped != 0 { return unescaped(entry) }
        let start = text + entry.offset
        let count = entry.length
        #if _pointerBitWidth(_64)
            if count < 16, storage.pointee.knowsStringLayout { return StringLayout.make(start, count, isASCII: entry.flags == 0) }
        #endif
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    @inline(never)
    private func unescaped(_ entry: TapeEntry) -> String {
        let start = text + entry.offset
        let end = start + entry.length
        // An escape is never shorter than the UTF-8 of its character.
        return String(unsafeUninitializedCapacity: entry.length) { buffer in
            var out = buffer.baseAddress!
            var p = start
            while p < end {
                guard p.pointee == 0x5C else {
                    out.pointee = p.pointee
                    out += 1
                    p += 1
                    continue
                }
                p = JSONEscapes.decode(p, before: end, &out)
            }
            return out - buffer.baseAddress!
        }
    }

    @inline(__always)
    func readString(_ index: Int, _ place: @autoclosure () -> DecodingPlace) throws -> String {
        let entry = tape[index]
        guard entry.is(.string) else { throw nullOrMismatch(String.self, index, place()) }
        return string(entry)
    }

    @inline(__always)
    func readBool(_ index: Int, _ place: @autoclosure () -> DecodingPlace) throws -> Bool {
        let entry = tape[index]
        if entry.is(.yes) { return true }
        guard entry.is(.no) else { throw mismatch(Bool.self, index, place()) }
        return false
    }

    @inline(__always)
    func readInteger<T: FixedWidthInteger>(_ type: T.Type, _ index: Int, _ place: @autoclosure () -> DecodingPlace) throws -> T {
        let entry = tape[index]
        if entry.is(.integer), let value = T(exactly: Int64(bitPattern: entry.payload)) { return value }
        return try slowInteger(type, index, place())
    }

    @inline(__always)
    func readDouble(_ index: Int, _ place: @autoclosure () -> DecodingPlace) throws -> Double {
        let entry = tape[index]
        if entry.is(.real), entry.flags & TapeFlags.truncated == 0 {
            if let value = FloatParsing.double(entry.payload, entry.exponent), value.isFinite, value != 0 || entry.payload == 0 {
                return entry.flags & TapeFlags.negative != 0 ? -value : value
            }
        } else if entry.is(.integer) {
            return Double(Int64(bitPattern: entry.payload))
        }
        return try slowFloat(Double.self, index, place()) { Double($0) }
    }

    @inline(__always)
    func readFloat(_ index: Int, _ place: @autoclosure () -> DecodingPlace) throws -> Float {
        let entry = tape[index]
        if entry.is(.real), entry.flags & TapeFlags.truncated == 0 {
            if let double = FloatParsing.double(entry.payload, entry.exponent), let value = FloatParsing.float(rounding: double),
                value.isFinite,
                value != 0 || entry.payload == 0
            {
                return entry.flags & TapeFlags.negative != 0 ? -value : value
            }
        } else if entry.is(.integer) {
            return Float(Int64(bitPattern: entry.payload))
        }
        return try slowFloat(Float.self, index, place()) { Float($0) }
    }

    /// The text of the number at `index`.
    func numberText(_ index: Int) -> String {
        let start = text + tape[index].offset
        var end = start
        while end.pointee &- 0x30 < 10 || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(end.pointee) { end += 1 }
        let number = String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
        return options.allowsJSON5 ? NonFinite.text(of: number) : number
    }

    @inline(never)
    private func slowFloat<T: BinaryFloatingPoint>(
        _ type: T.Type, _ index: Int, _ place: DecodingPlace, _ parse: (String) -> T?
    ) throws -> T {
        let entry = tape[index]
        switch entry.kind {
        case .integer, .unsigned, .real:
            let text = numberText(index)
            if options.allowsJSON5, text.last == "y" || text.last == "N" { return parse(text) ?? .nan }
            let digits = text.prefix { $0 != "e" && $0 != "E" }
            guard let value = parse(text), value.isFinite, value != 0 || !digits.contains(where: { ("1"..."9").contains($0) })
            else {
                throw doesNotFit(type, index, place)
            }
            return value
        case .string:
            if case .convertFromString(let positive, let negative, let nan) = options.floats, entry.flags & TapeFlags.escaped == 0
            {
                // Compared as bytes, as Foundation does.
                let found = Array(string(entry).utf8)
                if found.elementsEqual(positive.utf8) { return .infinity }
                if found.elementsEqual(negative.utf8) { return -.infinity }
                if found.elementsEqual(nan.utf8) { return .nan }
            }
            throw mismatch(type, index, place)
        default:
            throw nullOrMismatch(type, index, place)
        }
    }

    /// Reads an integer that is not stored as `Int64`, or that `T` cannot hold. Types of up to 64 bits share one function, which is not generic.
    @inline(never)
    private func slowInteger<T: FixedWidthInteger>(_ type: T.Type, _ index: Int, _ place: DecodingPlace) throws -> T {
        guard T.bitWidth <= 64 else { return try wideInteger(type, index, place) }
        let range = IntegerRange(
            lowest: T.isSigned ? Int64(truncatingIfNeeded: T.min) : 0, highest: UInt64(truncatingIfNeeded: T.max))
        return T(truncatingIfNeeded: try slowInteger(type, in: range, index, place))
    }

    /// - Returns: The value's bits, with the sign extended.
    @inline(never)
    private func slowInteger(_ type: Any.Type, in range: IntegerRange, _ index: Int, _ place: DecodingPlace) throws -> UInt64 {
        let entry = tape[index]
        switch entry.kind {
        case .integer:
            throw doesNotFit(type, index, place)
        case .unsigned:
            guard entry.payload <= range.highest else { throw doesNotFit(type, index, place) }
            return entry.payload
        case .real:
            if entry.flags & (TapeFlags.truncated | TapeFlags.integral) == 0,
                let magnitude = FloatParsing.double(entry.payload, entry.exponent), magnitude < 0x1p53,
                magnitude != 0 || entry.payload == 0
            {
                let value = entry.flags & TapeFlags.negative != 0 ? -magnitude : magnitude
                if let bits = range.bits(Int64(exactly: value), UInt64(exactly: value)) { return bits }
                throw doesNotFit(type, index, place)
            }
            guard let bits = exactInteger(range, entry, numberText(index)) else { throw doesNotFit(type, index, place) }
            return bits
        default:
            throw nullOrMismatch(type, index, place)
        }
    }

    /// Converts an integer that has a fraction or an exponent, or does not fit 64 bits, by Foundation's rules: through Double if its magnitude is
    /// below 2^53, otherwise through Decimal.
    private func exactInteger(_ range: IntegerRange, _ entry: TapeEntry, _ text: String) -> UInt64? {
        if entry.flags & TapeFlags.integral != 0, let bits = range.bits(Int64(text), UInt64(text)) { return bits }
        guard let double = Double(text), let bits = range.bits(Int64(exactly: double), UInt64(exactly: double))
        else { return nil }
        if double.magnitude < 0x1p53 { return bits }
        guard let decimal = Decimal(string: text), !decimal.isNaN, !decimal.isSignMinus || range.lowest < 0,
            let magnitude = decimal.integralMagnitude, magnitude <= range.highest
        else { return nil }
        return decimal.isSignMinus ? 0 &- magnitude : magnitude
    }

    /// Reads an integer of more than 64 bits.
    private func wideInteger<T: FixedWidthInteger>(_ type: T.Type, _ index: Int, _ place: DecodingPlace) throws -> T {
        let entry = tape[index]
        switch entry.kind {
        case .integer:
            throw doesNotFit(type, index, place)
        case .unsigned:
            return T(entry.payload)
        case .real:
            guard let value = exactWideInteger(type, entry, numberText(index)) else { throw doesNotFit(type, index, place) }
            return value
        default:
            throw nullOrMismatch(type, index, place)
        }
    }

    private func exactWideInteger<T: FixedWidthInteger>(_ type: T.Type, _ entry: TapeEntry, _ text: String) -> T? {
        if entry.flags & TapeFlags.integral != 0, let value = T(text, radix: 10) { return value }
        guard let double = Double(text), let value = T(exactly: double) else { return nil }
        if double.magnitude < 0x1p53 { return value }
        guard let decimal = Decimal(string: text), !decimal.isNaN, !decimal.isSignMinus || T.isSigned,
            let magnitude = decimal.integralMagnitude
        else { return nil }
        return decimal.isSignMinus ? 0 - T(magnitude) : T(magnitude)
    }
}

/// The values of an integer type of up to 64 bits.
private struct IntegerRange {
    let lowest: Int64
    let highest: UInt64

    /// The bits of a number that is in the range, given as the types that can hold it; otherwise nil.
    func bits(_ signed: Int64?, _ unsigned: UInt64?) -> UInt64? {
        if let signed, signed < 0 { return signed >= lowest ? UInt64(bitPattern: signed) : nil }
        guard let unsigned, unsigned <= highest else { return nil }
        return unsigned
    }
}

extension Decimal {
    /// The magnitude of the integral part of a Decimal, as Foundation's decoder converts it; nil from 2^64.
    fileprivate var integralMagnitude: UInt64? {
        guard var magnitude = UInt64(significand.magnitude.description) else { return nil }
        if exponent < 0 {
            for _ in 0 ..< -exponent { magnitude /= 10 }
        } else {
            for _ in 0..<exponent {
                let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
                if overflow { return nil }
                magnitude = product
            }
        }
        return magnitude
    }
}
