import NetworkSupport

/// The Huffman code of HPACK and QPACK (RFC 7541 §5.2 and Appendix B, RFC 9204 §4.1.2).
///
/// The code is canonical, so the lengths of the symbols' codes define it: codes of one length are consecutive numbers in the
/// order of their symbols, and longer codes follow shorter ones.
struct HPACKHuffman: Sendable {
    static let shared = HPACKHuffman()

    /// The length of the code of each byte, in bits.
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28,
        28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23,
        23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22,
        22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27,
        27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27,
        27, 26,
    ]
    private static let longest = 30
    /// The symbol that must not occur (RFC 7541 §5.2).
    private static let end: UInt16 = 256

    /// The code of each byte and, in the lowest five bits, its length.
    private let codes: [UInt64]
    /// For each value of the next eight bits, the symbol and, in the lower byte, the length of its code; 0 if the code is longer.
    private let short: [UInt16]
    /// For each length, the first number of 32 bits that begins with a code that is longer.
    private let limits: [UInt64]
    /// For each length, the first code, and where its symbol is in ``symbols``.
    private let first: [(code: UInt32, index: Int)]
    /// The symbols in the order of their codes.
    private let symbols: [UInt16]

    private init() {
        let lengths = Self.lengths + [UInt8(Self.longest)]
        let symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        var codes = [UInt64](repeating: 0, count: 257)
        var short = [UInt16](repeating: 0, count: 256)
        var limits = [UInt64](repeating: 0, count: Self.longest + 1)
        var first = [(code: UInt32, index: Int)](repeating: (0, 0), count: Self.longest + 1)
        var (code, index): (UInt64, Int) = (0, 0)
        for length in 1...Self.longest {
            code <<= 1
            first[length] = (UInt32(code), index)
            while index < symbols.count, lengths[symbols[index]] == length {
                codes[symbols[index]] = code << 5 | UInt64(length)
                if length <= 8 {
                    let start = Int(code) << (8 - length)
                    for bits in start..<start + 1 << (8 - length) { short[bits] = UInt16(symbols[index] << 8 | length) }
                }
                code += 1
                index += 1
            }
            limits[length] = code << UInt64(32 - length)
        }
        self.codes = codes
        self.short = short
        self.limits = limits
        self.first = first
        self.symbols = symbols.map { UInt16($0) }
    }

    // MARK: Decoding

    /// Returns the largest number of bytes that encoded bytes can represent: the shortest code has five bits.
    static func maximumDecodedBytes(of count: Int) -> Int { count * 8 / 5 }

    /// Decodes a string.
    ///
    /// - Parameter output: A buffer of at least ``maximumDecodedBytes(of:)`` bytes.
    /// - Returns: The number of bytes that were written.
    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(FieldCompressionError) -> Int
    {
        precondition(output.count >= Self.maximumDecodedBytes(of: input.count))
        guard let result = decoded(input, into: output) else {
            throw FieldCompressionError(
                "a Huffman-encoded string has the symbol for its end, or is not padded with its first bits (RFC 7541 §5.2)")
        }
        return result
    }

    private func decoded(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
        short.withUnsafeBufferPointer { short in
            // The bits that were read, from the highest on, and their number.
            var (bits, count): (UInt64, Int) = (0, 0)
            var (offset, written) = (0, 0)
            while true {
                while count <= 56, offset < input.count {
                    bits |= UInt64(input[offset]) &<< UInt64(56 &- count)
                    count &+= 8
                    offset &+= 1
                }
                let entry = short[Int(truncatingIfNeeded: bits &>> 56)]
                var (symbol, length) = (entry &>> 8, Int(entry & 0xFF))
                if length == 0 { (symbol, length) = long(UInt32(truncatingIfNeeded: bits &>> 32)) }
                guard length <= count else { break }
                if symbol == Self.end { return nil }
                output[written] = UInt8(truncatingIfNeeded: symbol)
                written &+= 1
                bits = bits &<< UInt64(length)
                count &-= length
            }
            // The rest are fewer than eight bits, all of them set.
            guard count < 8, count == 0 || bits == UInt64.max << UInt64(64 - count) else { return nil }
            return written
        }
    }

    /// Returns the symbol of a code of more than eight bits, and the length of the code.
    private func long(_ bits: UInt32) -> (symbol: UInt16, length: Int) {
        var length = 9
        while UInt64(bits) >= limits[length] { length += 1 }
        let (code, index) = first[length]
        return (symbols[index + Int(bits >> UInt32(32 - length) - code)], length)
    }

    // MARK: Encoding

    /// Returns the number of bytes of the encoded string.
    func encodedBytes(of input: UnsafeRawBufferPointer) -> Int {
        codes.withUnsafeBufferPointer { codes in
            var bits: UInt64 = 7
            for byte in input { bits &+= codes[Int(byte)] & 31 }
            return Int(bits / 8)
        }
    }

    /// Encodes a string.
    ///
    /// - Parameter output: A buffer of ``encodedBytes(of:)`` bytes.
    func encode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        codes.withUnsafeBufferPointer { codes in
            var (bits, count, written): (UInt64, UInt64, Int) = (0, 0, 0)
            for byte in input {
                let code = codes[Int(byte)]
                bits = bits &<< (code & 31) | code &>> 5
                count &+= code & 31
                while count >= 8 {
                    count &-= 8
                    output[written] = UInt8(truncatingIfNeeded: bits &>> count)
                    written &+= 1
                }
            }
            guard count > 0 else { return }
            // Padded with the first bits of the symbol for the end, all of which are set.
            output[written] = UInt8(truncatingIfNeeded: bits &<< (8 &- count) | 0xFF &>> count)
        }
    }
}
