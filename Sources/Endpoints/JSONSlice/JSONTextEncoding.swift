/// The encoding of a JSON document. RFC 8259 §8.1 requires UTF-8; the others are supported because JSONDecoder supports them.
enum JSONTextEncoding {
    case utf8
    case utf16(bigEndian: Bool)
    case utf32(bigEndian: Bool)

    /// An error at the byte offset at which the text is invalid in its encoding.
    struct Malformed: Error {
        let offset: Int
    }

    /// Detects the encoding and the length of the byte order mark in bytes, as JSONDecoder does.
    ///
    /// Without a mark the zero bytes among the first four bytes decide, because the first characters are ASCII in most
    /// documents. `FF FE` always means UTF-16, so little-endian UTF-32 is supported only without a mark.
    static func detect(_ bytes: UnsafeBufferPointer<UInt8>) -> (encoding: JSONTextEncoding, markLength: Int) {
        // The common case, two ASCII characters without zeros, needs no check for marks.
        if bytes.count >= 2, 1..<0x80 ~= bytes[0], 1..<0x80 ~= bytes[1] { return (.utf8, 0) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0x00, 0x00, 0xFE, 0xFF]) { return (.utf32(bigEndian: true), 4) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(bigEndian: true), 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(bigEndian: false), 2) }
        let zeros = bytes.prefix(4).map { $0 == 0 }
        return switch zeros {
        case [true, true, true, false]: (.utf32(bigEndian: true), 0)
        case [false, true, true, true]: (.utf32(bigEndian: false), 0)
        case [true, false, true, false], [true, false]: (.utf16(bigEndian: true), 0)
        case [false, true, false, true], [false, true]: (.utf16(bigEndian: false), 0)
        default: (.utf8, 0)
        }
    }

    /// Converts the text to UTF-8.
    ///
    /// - Throws: ``Malformed`` at the first code unit that is incomplete, an unpaired surrogate, or not a Unicode scalar.
    func transcoded(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int) throws(Malformed) -> [UInt8] {
        var utf8: [UInt8] = []
        utf8.reserveCapacity(bytes.count - offset)
        var offset = offset
        while offset < bytes.count {
            let start = offset
            var scalar = unit(of: bytes, &offset)
            if case .utf16 = self, let high = scalar, high & 0xFC00 == 0xD800 {
                let low = unit(of: bytes, &offset)
                scalar = low.flatMap { $0 & 0xFC00 == 0xDC00 ? 0x10000 + (high & 0x3FF) << 10 + $0 & 0x3FF : nil }
            }
            guard let scalar = scalar.flatMap(Unicode.Scalar.init), let encoded = UTF8.encode(scalar) else {
                throw Malformed(offset: start)
            }
            utf8.append(contentsOf: encoded)
        }
        return utf8
    }

    /// Returns the code unit at `offset` and moves `offset` past it; `nil` if the unit is incomplete.
    private func unit(of bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> UInt32? {
        let (width, bigEndian) =
            switch self {
            case .utf8: (1, true)
            case .utf16(let bigEndian): (2, bigEndian)
            case .utf32(let bigEndian): (4, bigEndian)
            }
        guard bytes.count - offset >= width else { return nil }
        defer { offset += width }
        var unit: UInt32 = 0
        for index in 0..<width {
            unit |= UInt32(bytes[offset + index]) << UInt32(8 * (bigEndian ? width - 1 - index : index))
        }
        return unit
    }
}
