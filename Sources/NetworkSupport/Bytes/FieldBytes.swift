// Classes of the bytes in HTTP header fields, and the parts that all fields have in common (RFC 9110 §5.6).

extension UInt8 {
    /// Whether a token such as a field name may contain this character (RFC 9110 §5.6.2).
    @inlinable @inline(__always) package var isTokenByte: Bool {
        // The characters of a token, one bit each.
        let bits: UInt64 = self & 0x40 == 0 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 0x80 && bits &>> UInt64(self & 0x3F) & 1 == 1
    }

    /// Whether this is an ASCII digit.
    @inlinable @inline(__always) package var isDigit: Bool { self &- 0x30 < 10 }

    /// Whether this is a space or a tab: optional white space (RFC 9110 §5.6.3).
    @inlinable @inline(__always) package var isSpaceOrTab: Bool { self == 0x20 || self == 0x09 }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without leading and trailing optional white space (RFC 9110 §5.6.3).
    @inlinable package var trimmed: SubSequence {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isSpaceOrTab { formIndex(after: &start) }
        while start < end {
            let last = index(before: end)
            guard self[last].isSpaceOrTab else { break }
            end = last
        }
        return self[start..<end]
    }
}

extension Collection<UInt8> {
    /// The number that the bytes spell; `nil` if they are not `1*DIGIT`, or the number exceeds `Int64.max`.
    @inlinable package var decimal: Int64? {
        guard let (number, isTooLarge) = decimalOrOverflow, !isTooLarge else { return nil }
        return number
    }

    /// Returns the number that the bytes spell, or `maximum` if it is larger; `nil` if they are not `1*DIGIT`.
    @inlinable package func decimal(clampedTo maximum: Int64) -> Int64? {
        decimalOrOverflow.map { Swift.min($0.number, maximum) }
    }

    /// The number, which is `Int64.max` if it is too large.
    @inlinable var decimalOrOverflow: (number: Int64, isTooLarge: Bool)? {
        guard !isEmpty else { return nil }
        var (number, isTooLarge): (Int64, Bool) = (0, false)
        for digit in self {
            guard digit.isDigit else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowToo) = tens.addingReportingOverflow(Int64(digit &- 0x30))
            isTooLarge = isTooLarge || overflow || overflowToo
            number = isTooLarge ? .max : sum
        }
        return (number, isTooLarge)
    }
}

extension Substring {
    /// The text without leading and trailing optional white space (RFC 9110 §5.6.3).
    package var trimmed: Substring { Substring(utf8.trimmed) }

    /// The elements of a list without quoted strings, trimmed and without empty ones (RFC 9110 §5.6.1).
    package var listElements: [Substring] {
        utf8.split(separator: UInt8(ascii: ",")).map(\.trimmed).filter { !$0.isEmpty }.map(Substring.init)
    }

    /// The media type in a `Content-Type` without its parameters, in lower case (RFC 9110 §8.3.1).
    package var mediaType: String { Substring(utf8.prefix { $0 != UInt8(ascii: ";") }.trimmed).asciiLowercased }
}

extension String {
    /// The text without leading and trailing optional white space (RFC 9110 §5.6.3).
    package var trimmed: Substring { self[...].trimmed }
    /// The elements of a list without quoted strings, trimmed and without empty ones (RFC 9110 §5.6.1).
    package var listElements: [Substring] { self[...].listElements }
    /// The media type in a `Content-Type` without its parameters, in lower case (RFC 9110 §8.3.1).
    package var mediaType: String { self[...].mediaType }
}
