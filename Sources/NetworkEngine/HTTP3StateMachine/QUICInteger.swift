import NetworkSupport

/// The integers of variable length of QUIC (RFC 9000 §16), of which frames of HTTP/3 consist (RFC 9114 §7.1).
///
/// The first two bits of the first byte are the length: 1, 2, 4 or 8 bytes. A number may have more bytes than it needs.
enum QUICInteger {
    /// The largest number.
    static let maximum: UInt64 = 1 << 62 - 1

    /// Returns the number of bytes of an integer by its first byte.
    static func byteCount(startingWith byte: UInt8) -> Int { 1 << Int(byte >> 6) }

    /// Returns the smallest number of bytes that can hold a number.
    static func byteCount(of number: UInt64) -> Int {
        switch number {
        case ..<(1 << 6): 1
        case ..<(1 << 14): 2
        case ..<(1 << 30): 4
        default: 8
        }
    }

    /// Reads an integer.
    ///
    /// - Parameter offset: Where it begins. Advanced to its end, if it is complete.
    /// - Returns: `nil` if the bytes end within the integer.
    static func read(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) -> UInt64? {
        guard offset < bytes.count else { return nil }
        let count = byteCount(startingWith: bytes[offset])
        guard count <= bytes.count - offset else { return nil }
        var number = UInt64(bytes[offset] & 0x3F)
        for index in offset + 1..<offset + count { number = number << 8 | UInt64(bytes[index]) }
        offset += count
        return number
    }
}

extension [UInt8] {
    /// Appends an integer of variable length (RFC 9000 §16).
    ///
    /// - Parameters:
    ///   - number: At most ``QUICInteger/maximum``.
    ///   - byteCount: The number of bytes, which must be able to hold the number. Default: the smallest.
    mutating func append(quic number: UInt64, byteCount: Int? = nil) {
        let count = byteCount ?? QUICInteger.byteCount(of: number)
        let first = UInt8(count.trailingZeroBitCount) << 6
        for index in (0..<count).reversed() {
            let byte = UInt8(truncatingIfNeeded: number >> UInt64(8 * index))
            append(index == count - 1 ? byte & 0x3F | first : byte)
        }
    }
}
