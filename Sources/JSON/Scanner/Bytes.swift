/// Reads and compares text eight bytes at a time.
///
/// At least `PaddedBytes.padding` zero bytes follow every text that is scanned. So these functions may read beyond the end of the text, and no inner loop checks for it.
enum Bytes {
    typealias Pointer = UnsafePointer<UInt8>

    @inline(__always)
    static func load8(_ p: Pointer) -> UInt64 {
        UnsafeRawPointer(p).loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    static func load4(_ p: Pointer) -> UInt32 {
        UnsafeRawPointer(p).loadUnaligned(as: UInt32.self)
    }

    /// The high bit of the first byte that is a quote, a backslash, a control character or not ASCII; zero if there is no such byte.
    ///
    /// Only the lowest bit that is set is reliable: a carry may set bits of later bytes.
    @inline(__always)
    static func specialInString(_ x: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = x ^ (ones &* 0x22)
        let backslash = x ^ (ones &* 0x5C)
        let control = x &- (ones &* 0x20)
        return ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | control | x) & (ones &* 0x80)
    }

    /// Whether all eight bytes are decimal digits.
    @inline(__always)
    static func areDigits(_ x: UInt64) -> Bool {
        (x & 0xF0F0_F0F0_F0F0_F0F0) | (((x &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0) >> 4) == 0x3333_3333_3333_3333
    }

    /// The value of eight decimal digits. The first byte of the text is the most significant digit.
    @inline(__always)
    static func number(ofDigits x: UInt64) -> UInt64 {
        var v = x &- 0x3030_3030_3030_3030
        v = (v &* 10) &+ (v >> 8)
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        let a = (v & mask) &* 0x000F_4240_0000_0064
        let b = ((v >> 16) & mask) &* 0x0000_2710_0000_0001
        return (a &+ b) >> 32
    }

    @inline(__always)
    static func isWhiteSpace(_ c: UInt8) -> Bool {
        c <= 0x20 && (1 << UInt64(c)) & 0x1_0000_2600 != 0
    }

    /// The first byte at or after `p` that is not white space.
    @inline(__always)
    static func skipWhiteSpace(_ p: Pointer) -> Pointer {
        if p.pointee > 0x20 { return p }
        return skipManyWhiteSpace(p)
    }

    @inline(__always)
    private static func skipManyWhiteSpace(_ start: Pointer) -> Pointer {
        var p = start
        while isWhiteSpace(p.pointee) {
            p += 1
            // Indentation: eight spaces at a time.
            while load8(p) == 0x2020_2020_2020_2020 { p += 8 }
        }
        return p
    }

    /// The value of a hexadecimal digit, or 255.
    @inline(__always)
    static func hexDigit(_ c: UInt8) -> UInt8 {
        let digit = c &- 0x30
        if digit < 10 { return digit }
        let letter = (c | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : 255
    }

    /// The end of the well-formed UTF-8 sequence that starts at `p` with a byte of 0x80 or above, or nil (Unicode 15, table 3-7).
    @inline(__always)
    static func endOfSequence(_ p: Pointer) -> Pointer? {
        let first = p[0]
        let second = p[1]
        if first < 0xE0 {
            return first >= 0xC2 && second & 0xC0 == 0x80 ? p + 2 : nil
        }
        let third = p[2]
        if first < 0xF0 {
            guard second & 0xC0 == 0x80, third & 0xC0 == 0x80 else { return nil }
            if first == 0xE0 && second < 0xA0 || first == 0xED && second >= 0xA0 { return nil }
            return p + 3
        }
        guard first <= 0xF4, second & 0xC0 == 0x80, third & 0xC0 == 0x80, p[3] & 0xC0 == 0x80 else { return nil }
        if first == 0xF0 && second < 0x90 || first == 0xF4 && second >= 0x90 { return nil }
        return p + 4
    }
}

/// Reads and creates strings of at most 15 bytes as the two words in which they are stored.
///
/// A small string holds its UTF-8 inline: up to 15 bytes, then one byte with a tag and the length (Swift's `StringObject.swift`). The layout is part of the
/// ABI on Apple's platforms. It is verified once on every platform, and strings are created with `String(decoding:as:)` if it differs.
enum StringLayout {
    #if _pointerBitWidth(_64)
        typealias Words = (low: UInt64, high: UInt64)

        /// Whether small strings have the expected layout. Verified once, with samples.
        static let isKnown: Bool = {
            guard MemoryLayout<String>.size == 16 else { return false }
            let samples = ["", "a", "seven77", "eight888", "fourteen-14-14", "fifteen-15-15-1", "é", "日本語", "\0"]
            return samples.allSatisfy { sample in
                // Created at run time: a literal refers to constant storage.
                let string = String(decoding: Array(sample.utf8), as: UTF8.self)
                var low: UInt64 = 0
                var high: UInt64 = 0
                for (i, byte) in sample.utf8.enumerated() {
                    if i < 8 { low |= UInt64(byte) << UInt64(8 * i) } else { high |= UInt64(byte) << UInt64(8 * i - 64) }
                }
                let tag: UInt64 = sample.utf8.allSatisfy { $0 < 0x80 } ? asciiTag : otherTag
                let words = unsafeBitCast(string, to: Words.self)
                return words.low == low && words.high == high | (tag | UInt64(sample.utf8.count)) << 56
            }
        }()

        static var isKnownForWriting: Bool { isKnown }

        static let asciiTag: UInt64 = 0xE0
        static let otherTag: UInt64 = 0xA0

        /// The string of the `count` bytes at `p`: at most 15, and valid UTF-8. Reads 16 bytes.
        @inline(__always)
        static func make(_ p: Bytes.Pointer, _ count: Int, isASCII: Bool) -> String {
            let words = mask(p, count)
            let tag = isASCII ? asciiTag : otherTag
            return unsafeBitCast((words.low, words.high | (tag | UInt64(truncatingIfNeeded: count)) << 56), to: String.self)
        }

        /// The `count` bytes at `p`, at most 15, followed by zeros. Reads 16 bytes.
        @inline(__always)
        static func mask(_ p: Bytes.Pointer, _ count: Int) -> Words {
            let low = Bytes.load8(p)
            if count < 8 {
                return (low & ((1 &<< UInt64(truncatingIfNeeded: 8 &* count)) &- 1), 0)
            }
            return (low, Bytes.load8(p + 8) & ((1 &<< UInt64(truncatingIfNeeded: 8 &* (count &- 8))) &- 1))
        }
    #endif
}
