import Foundation

/// Writes `Decimal` values. Since `Decimal.description` is slow, the digits are read from the value's memory.
enum DecimalText {
    /// Whether `Decimal` has the expected memory layout. Verified once, with samples.
    private static let isKnown: Bool = {
        guard MemoryLayout<Decimal>.size == 20 else { return false }
        let samples: [(String, UInt64)] = [
            ("0", 0), ("7", 7), ("65536", 65536), ("-4294967296.5", 42_949_672_965), ("1.5", 15),
            ("281474976710656", 281_474_976_710_656),
            ("18446744073709551615", .max), ("-0.001", 1), ("1234567890123.4567", 12_345_678_901_234_567),
        ]
        return samples.allSatisfy { text, digits in Decimal(string: text).flatMap(digitsAndLength)?.digits == digits }
            && Decimal(string: "18446744073709551616").map { digitsAndLength($0) == nil } ?? false
    }()

    /// The significand, if it has at most 64 bits; otherwise nil.
    @inline(__always)
    private static func digitsAndLength(_ decimal: Decimal) -> (digits: UInt64, length: UInt8)? {
        withUnsafeBytes(of: decimal) { bytes in
            #if canImport(Darwin)
                let length = bytes[1] & 15
            #else
                let length = bytes[1] >> 4
            #endif
            guard length <= 4 else { return nil }
            let words = bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self)
            return (length == 4 ? words : words & (1 << (16 * UInt64(length)) - 1), length)
        }
    }

    /// Appends the number in the form of `description`.
    static func append(_ decimal: Decimal, to out: inout OutputBuffer) {
        guard isKnown, !decimal.isNaN, let digits = digitsAndLength(decimal)?.digits, digits != 0 else {
            var text = decimal.description
            text.withUTF8 { out.append($0) }
            return
        }
        out.reserve(320)
        if decimal.isSignMinus { out.put(0x2D) }
        let exponent = decimal.exponent
        if exponent >= 0 {
            out.appendDigits(digits)
            for _ in 0..<exponent { out.put(0x30) }
            return
        }
        let length = DecimalDigits.count(digits)
        let point = length + exponent
        if point > 0 {
            let end = out.start + out.count
            DecimalDigits.write(digits, length, to: end + 1)
            for i in 0..<point { end[i] = end[i + 1] }
            end[point] = 0x2E
            out.count += length + 1
        } else {
            out.put(0x30)
            out.put(0x2E)
            for _ in 0..<(-point) { out.put(0x30) }
            out.appendDigits(digits)
        }
        while out.start[out.count - 1] == 0x30 { out.count -= 1 }
        if out.start[out.count - 1] == 0x2E { out.count -= 1 }
    }
}
