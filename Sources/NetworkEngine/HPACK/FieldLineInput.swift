import NetworkSupport

/// Reads the numbers and strings of a block of HPACK (RFC 7541 §5) or of QPACK (RFC 9204 §4.1), which have the same forms.
struct FieldLineInput {
    /// Larger numbers are refused in blocks: no index, size or length needs them.
    static let maximumNumber = 1 << 28

    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next byte; `nil` at the end.
    var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Reads a number whose first bits are in the lower bits of the next byte (RFC 7541 §5.1).
    mutating func number(bits: Int) throws(FieldCompressionError) -> Int {
        guard let number = try partialNumber(bits: bits) else { throw Self.isCut }
        return number
    }

    /// Reads a number, or a part of one.
    ///
    /// - Parameter maximum: Larger numbers are an error, and so are leading zeros beyond it. Default: ``maximumNumber``.
    /// - Returns: `nil` if the bytes end within the number.
    mutating func partialNumber(bits: Int, maximum: Int = maximumNumber) throws(FieldCompressionError) -> Int? {
        guard offset < bytes.count else { return nil }
        let mask = 1 << bits - 1
        var number = Int(bytes[offset]) & mask
        offset &+= 1
        guard number == mask else { return number }
        // Leading zeros could make a number of any length.
        let lastShift = (Int.bitWidth - 1 - maximum.leadingZeroBitCount) / 7 * 7
        var shift = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset &+= 1
            guard shift <= lastShift, Int(byte & 0x7F) <= (maximum - number) >> shift else {
                throw FieldCompressionError("a number in a header block is larger than \(maximum)")
            }
            number += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        return nil
    }

    /// Reads a string (RFC 7541 §5.2).
    ///
    /// - Parameters:
    ///   - bits: The number of bits of the first byte that belong to the length. The next higher one says whether the string is
    ///     encoded. Default: 7.
    ///   - buffer: Receives the bytes of an encoded string, from `used` on.
    ///   - used: Advanced by the number of bytes that were written.
    mutating func string(
        bits: Int = 7, into buffer: UnsafeMutableRawBufferPointer, _ used: inout Int
    ) throws(FieldCompressionError) -> UnsafeRawBufferPointer {
        let isEncoded = (peek ?? 0) & (1 << bits) != 0
        let count = try number(bits: bits)
        guard count <= bytes.count - offset else { throw Self.isCut }
        let raw = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        offset += count
        guard isEncoded else { return raw }
        let start = used
        used += try HPACKHuffman.shared.decode(raw, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
        return UnsafeRawBufferPointer(rebasing: buffer[start..<used])
    }

    private static let isCut = FieldCompressionError("a header block ends within a field")
}

/// Room for the decoded strings of a block, which is kept between blocks.
struct FieldStringBuffer: Sendable {
    /// How much is kept.
    private static let keptBytes = 16 << 10

    private var bytes: [UInt8] = []

    /// Returns at least `capacity` bytes, until they are given back.
    mutating func take(_ capacity: Int) -> [UInt8] {
        var buffer: [UInt8] = []
        swap(&buffer, &bytes)
        return buffer.count < capacity ? [UInt8](repeating: 0, count: capacity) : buffer
    }

    /// Takes the bytes back that ``take(_:)`` has returned.
    mutating func giveBack(_ buffer: consuming [UInt8]) {
        if buffer.count <= Self.keptBytes { bytes = buffer }
    }
}
