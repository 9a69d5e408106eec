/// Numbers in the form of Swift's `description`; doubles without a trailing `.0`, as Foundation writes them.
extension OutputBuffer {
    @inline(__always)
    mutating func appendInteger(_ value: Int64) {
        reserve(24)
        if value < 0 { put(0x2D) }
        appendDigits(value.magnitude)
    }

    /// Appends decimal digits, for which capacity is reserved.
    @inline(__always)
    mutating func appendDigits(_ value: UInt64) {
        let length = DecimalDigits.count(value)
        DecimalDigits.write(value, length, to: start + count)
        count &+= length
    }

    /// Appends a finite double.
    mutating func appendDouble(_ value: Double) {
        reserve(40)
        if value.sign == .minus { put(0x2D) }
        let magnitude = value.magnitude
        if magnitude == 0 {
            put(0x30)
            return
        }
        let (digits, exponent) = ShortestDouble.decimal(magnitude)
        var length = DecimalDigits.count(digits)
        let end = start + count
        // The number of digits before the decimal point.
        let point = length &+ exponent
        if magnitude > 0x1p53 || point < -3 {
            // d.ddde±xx
            DecimalDigits.write(digits, length, to: end + 1)
            while length > 1, end[length] == 0x30 { length &-= 1 }
            end[0] = end[1]
            if length > 1 {
                end[1] = 0x2E
                count &+= length &+ 1
            } else {
                count &+= 1
            }
            put(0x65)
            let power = point &- 1
            put(power < 0 ? 0x2D : 0x2B)
            let absolute = power.magnitude
            if absolute < 10 { put(0x30) }
            appendDigits(UInt64(absolute))
        } else if point <= 0 {
            // 0.000ddd
            store8(0x3030_3030_3030_2E30)
            let zeros = 2 &- point
            DecimalDigits.write(digits, length, to: end + zeros)
            count &+= zeros &+ length
            while start[count &- 1] == 0x30 { count &-= 1 }
        } else if exponent >= 0 {
            DecimalDigits.write(digits, length, to: end)
            count &+= length
            for _ in 0..<exponent { put(0x30) }
        } else {
            // ddd.ddd
            DecimalDigits.write(digits, length, to: end + 1)
            for i in 0..<point { end[i] = end[i &+ 1] }
            end[point] = 0x2E
            count &+= length &+ 1
            while start[count &- 1] == 0x30 { count &-= 1 }
            if start[count &- 1] == 0x2E { count &-= 1 }
        }
    }

    /// Appends the description of a number.
    mutating func appendNumber(_ description: String) {
        var copy = description
        if copy.hasSuffix(".0") { copy.removeLast(2) }
        copy.withUTF8 { append($0) }
    }
}

/// Decimal digits of unsigned integers.
enum DecimalDigits {
    /// The number of decimal digits of a value.
    @inline(__always)
    static func count(_ value: UInt64) -> Int {
        if value < 10 { return 1 }
        // log10(2) is about 1233 / 4096.
        let bits = 64 &- value.leadingZeroBitCount
        let guess = (bits &* 1233) &>> 12
        return value >= powers[guess] ? guess &+ 1 : guess
    }

    /// Writes exactly `length` digits.
    @inline(__always)
    static func write(_ value: UInt64, _ length: Int, to out: UnsafeMutablePointer<UInt8>) {
        var rest = value
        var i = length
        while rest >= 100 {
            let quotient = rest / 100
            let pair = Int(truncatingIfNeeded: rest &- quotient &* 100)
            rest = quotient
            i &-= 2
            UnsafeMutableRawPointer(out + i).storeBytes(of: pairs[pair], as: UInt16.self)
        }
        if rest >= 10 {
            UnsafeMutableRawPointer(out + (i &- 2)).storeBytes(of: pairs[Int(truncatingIfNeeded: rest)], as: UInt16.self)
        } else {
            out[i &- 1] = 0x30 &+ UInt8(truncatingIfNeeded: rest)
        }
    }

    nonisolated(unsafe) private static let powers: UnsafePointer<UInt64> = {
        let table = UnsafeMutablePointer<UInt64>.allocate(capacity: 20)
        var power: UInt64 = 1
        for i in 0..<20 {
            table[i] = power
            power = power &* 10
        }
        return UnsafePointer(table)
    }()

    nonisolated(unsafe) private static let pairs: UnsafePointer<UInt16> = {
        let table = UnsafeMutablePointer<UInt16>.allocate(capacity: 100)
        for i in 0..<100 { table[i] = UInt16(0x30 + i / 10) | UInt16(0x30 + i % 10) << 8 }
        return UnsafePointer(table)
    }()
}
