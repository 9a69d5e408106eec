import Foundation

/// The encoding of a text, detected by its byte order mark or by the positions of its zero bytes (RFC 4627 §3).
struct TextEncoding: Equatable {
    /// Nil for UTF-8.
    var foundation: String.Encoding?
    var markLength: Int

    static let utf8 = TextEncoding(foundation: nil, markLength: 0)

    @inline(__always)
    static func detect(_ bytes: UnsafeRawBufferPointer) -> TextEncoding {
        // JSON in UTF-8 begins with two ASCII characters other than zero, or has one byte.
        if bytes.count > 1 {
            let (a, b) = (bytes[0], bytes[1])
            if a != 0 && a < 0x80 && b != 0 && a != 0xEF { return .utf8 }
            return detectOther(bytes)
        }
        return .utf8
    }

    @inline(never)
    private static func detectOther(_ bytes: UnsafeRawBufferPointer) -> TextEncoding {
        func byte(_ i: Int) -> UInt8? { i < bytes.count ? bytes[i] : nil }
        switch (byte(0), byte(1), byte(2), byte(3)) {
        case (0, 0, 0xFE, 0xFF): return TextEncoding(foundation: .utf32BigEndian, markLength: 4)
        case (0xFF, 0xFE, 0, 0): return TextEncoding(foundation: .utf32LittleEndian, markLength: 4)
        case (0xFE, 0xFF, _, _): return TextEncoding(foundation: .utf16BigEndian, markLength: 2)
        case (0xFF, 0xFE, _, _): return TextEncoding(foundation: .utf16LittleEndian, markLength: 2)
        case (0xEF, 0xBB, 0xBF, _): return TextEncoding(foundation: nil, markLength: 3)
        case (0, 0, 0, let d?) where d != 0: return TextEncoding(foundation: .utf32BigEndian, markLength: 0)
        case (0, let b?, 0, let d?) where b != 0 && d != 0: return TextEncoding(foundation: .utf16BigEndian, markLength: 0)
        case (let a?, 0, 0, 0) where a != 0: return TextEncoding(foundation: .utf32LittleEndian, markLength: 0)
        case (let a?, 0, let c?, 0) where a != 0 && c != 0: return TextEncoding(foundation: .utf16LittleEndian, markLength: 0)
        case (0, let b?, nil, nil) where b != 0: return TextEncoding(foundation: .utf16BigEndian, markLength: 0)
        case (let a?, 0, nil, nil) where a != 0: return TextEncoding(foundation: .utf16LittleEndian, markLength: 0)
        default: return .utf8
        }
    }
}

extension TextEncoding {
    /// The length of a code unit in bytes, and the order of its bytes.
    private var unit: (width: Int, isBigEndian: Bool) {
        switch foundation {
        case .utf16BigEndian?: (2, true)
        case .utf16LittleEndian?: (2, false)
        case .utf32BigEndian?: (4, true)
        case .utf32LittleEndian?: (4, false)
        default: (1, true)
        }
    }

    /// Converts a text in UTF-16 or UTF-32 to UTF-8, without its byte order mark.
    ///
    /// - Throws: ``ScanFailure`` at the first code unit that is incomplete, an unpaired surrogate, or not a Unicode scalar.
    func converted(_ bytes: UnsafeRawBufferPointer) throws(ScanFailure) -> Data {
        var utf8: [UInt8] = []
        utf8.reserveCapacity(bytes.count - markLength)
        var offset = markLength
        while offset < bytes.count {
            let start = offset
            var scalar = codeUnit(of: bytes, &offset)
            if unit.width == 2, let high = scalar, high & 0xFC00 == 0xD800 {
                let low = codeUnit(of: bytes, &offset)
                scalar = low.flatMap { $0 & 0xFC00 == 0xDC00 ? 0x10000 + (high & 0x3FF) << 10 + $0 & 0x3FF : nil }
            }
            guard let scalar = scalar.flatMap(Unicode.Scalar.init), let encoded = UTF8.encode(scalar) else {
                throw ScanFailure(reason: .unsupportedEncoding, offset: start)
            }
            utf8.append(contentsOf: encoded)
        }
        return Data(utf8)
    }

    /// Returns the code unit at `offset` and moves `offset` past it; `nil` if the unit is incomplete.
    private func codeUnit(of bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt32? {
        let (width, isBigEndian) = unit
        guard bytes.count - offset >= width else { return nil }
        defer { offset += width }
        var unit: UInt32 = 0
        for index in 0..<width {
            unit |= UInt32(bytes[offset + index]) << UInt32(8 * (isBigEndian ? width - 1 - index : index))
        }
        return unit
    }
}
