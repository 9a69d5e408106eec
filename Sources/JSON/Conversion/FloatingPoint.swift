/// Converts decimal digits to floating point, correctly rounded.
///
/// The first of three methods that is exact is used: Clinger's (digits and power of ten are exact doubles), Eisel's and Lemire's (128-bit products), or the
/// standard library's `Double(_: String)`, which does not depend on the locale.
enum FloatParsing {
    /// `magnitude` times ten to the power of `exponent`; nil if the text has to be parsed.
    @inline(__always)
    static func double(_ magnitude: UInt64, _ exponent: Int) -> Double? {
        if magnitude < 1 << 53, exponent >= -22, exponent <= 22 {
            let digits = Double(Int64(bitPattern: magnitude))
            return exponent < 0 ? digits / powersOfTen[0 &- exponent] : digits * powersOfTen[exponent]
        }
        return eiselLemire(magnitude, exponent)
    }

    /// The method of Eisel and Lemire. By Mushtak and Lemire, "Fast Number Parsing Without Fallback" (2023), it is exact for all digits of 64 bits.
    static func eiselLemire(_ digits: UInt64, _ q: Int) -> Double? {
        if digits == 0 || q < PowersOfFive.smallest { return 0 }
        if q > PowersOfFive.largest { return .infinity }
        let leadingZeros = digits.leadingZeroBitCount
        let w = digits << UInt64(leadingZeros)
        let power = PowersOfFive.words + 2 * (q - PowersOfFive.smallest)
        var (high, low) = w.multipliedFullWidth(by: power[0])
        if high & 0x1FF == 0x1FF {
            let second = w.multipliedFullWidth(by: power[1])
            low = low &+ second.high
            if second.high > low { high = high &+ 1 }
        }
        let upper = Int(high >> 63)
        var mantissa = high >> UInt64(upper + 9)
        var exponent = ((152_170 + 65_536) * q) >> 16 + 63 + upper - leadingZeros + 1023
        if exponent <= 0 {
            // Subnormal.
            if 1 - exponent >= 64 { return 0 }
            mantissa >>= UInt64(1 - exponent)
            mantissa = (mantissa + mantissa & 1) >> 1
            exponent = mantissa < 1 << 52 ? 0 : 1
            return Double(bitPattern: UInt64(exponent) << 52 | mantissa & ~(1 << 52))
        }
        // Exactly halfway between two doubles: rounds to even.
        if low <= 1, q >= -4, q <= 23, mantissa & 3 == 1, mantissa << UInt64(upper + 9) == high { mantissa &= ~1 }
        mantissa = (mantissa + mantissa & 1) >> 1
        if mantissa >= 1 << 53 {
            mantissa = 1 << 52
            exponent += 1
        }
        if exponent >= 0x7FF { return .infinity }
        return Double(bitPattern: UInt64(exponent) << 52 | mantissa & ~(1 << 52))
    }

    /// The float nearest to a number, computed from the nearest double; nil if rounding twice may be inexact.
    @inline(__always)
    static func float(rounding double: Double) -> Float? {
        let low = double.bitPattern & 0x1FFF_FFFF
        // Exactly halfway between two floats: the number itself may be above or below.
        guard low != 0x1000_0000, double.magnitude >= Double(Float.leastNormalMagnitude) || double == 0 else { return nil }
        return Float(double)
    }

    nonisolated(unsafe) static let powersOfTen: UnsafePointer<Double> = {
        let powers = UnsafeMutablePointer<Double>.allocate(capacity: 23)
        var power = 1.0
        for i in 0..<23 {
            powers[i] = power
            power *= 10
        }
        return UnsafePointer(powers)
    }()
}

/// Computes the shortest decimal that reads back as the same double, and the nearest of those: Giulietti, "The Schubfach way to render doubles" (2020).
enum ShortestDouble {
    /// The digits and the power of ten of a finite double above zero: the value is `digits` times ten to the power of `exponent`.
    static func decimal(_ value: Double) -> (digits: UInt64, exponent: Int) {
        let bits = value.bitPattern
        let significand = bits & (1 << 52 - 1)
        let biased = Int(bits >> 52)
        let c: UInt64
        let q: Int
        if biased != 0 {
            c = significand | 1 << 52
            q = biased &- 1075
            // An integer below 2^53.
            if q <= 0, q > -53, c & ((1 &<< UInt64(truncatingIfNeeded: 0 &- q)) &- 1) == 0 {
                return (c &>> UInt64(truncatingIfNeeded: 0 &- q), 0)
            }
        } else {
            c = significand
            q = -1074
        }
        let isOdd = c & 1
        let isCloser = significand == 0 && biased > 1
        let cb = c &<< 2
        let cbl = cb &- 2 &+ (isCloser ? 1 : 0)
        let cbr = cb &+ 2
        let k = (q &* 1_262_611 &- (isCloser ? 524_031 : 0)) >> 22
        let h = UInt64(truncatingIfNeeded: q &+ ((0 &- k) &* 1_741_647) >> 19 &+ 1)
        let power = PowersOfFive.words + 2 &* (0 &- k &- PowersOfFive.smallest)
        var (high, low) = (power[0], power[1])
        // Schubfach needs the value rounded up; the table is truncated where it is not exact or rounded up.
        if -k < -27 || -k > 55 {
            low = low &+ 1
            if low == 0 { high = high &+ 1 }
        }
        let vbl = multiply(high, low, cbl &<< h)
        let vb = multiply(high, low, cb &<< h)
        let vbr = multiply(high, low, cbr &<< h)
        let lower = vbl &+ isOdd
        let upper = vbr &- isOdd
        let s = vb >> 2
        if s >= 10 {
            let tens = s / 10
            let up = lower <= 40 &* tens
            let down = 40 &* tens &+ 40 <= upper
            if up != down { return (tens &+ (down ? 1 : 0), k &+ 1) }
        }
        let up = lower <= 4 &* s
        let down = 4 &* s &+ 4 <= upper
        if up != down { return (s &+ (down ? 1 : 0), k) }
        let middle = 4 &* s &+ 2
        let roundUp = vb > middle || vb == middle && s & 1 != 0
        return (s &+ (roundUp ? 1 : 0), k)
    }

    /// The high word of a 192-bit product. Its lowest bit is set if the bits below are not zero.
    @inline(__always)
    private static func multiply(_ high: UInt64, _ low: UInt64, _ c: UInt64) -> UInt64 {
        let x = low.multipliedFullWidth(by: c)
        let y = high.multipliedFullWidth(by: c)
        let (sum, carry) = y.low.addingReportingOverflow(x.high)
        let top = y.high &+ (carry ? 1 : 0)
        return top | (sum > 1 ? 1 : 0)
    }
}
