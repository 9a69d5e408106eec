import Foundation

// Text of messages is divided and compared by bytes. The operations of Swift's `Character` do something else: a delimiter before a combining
// character is a part of another `Character`, as is each byte of CRLF; texts with different bytes may be equal, such as `;` and U+037E, or `K`
// and U+212A; and `lowercased()` maps U+212A to `k`.

extension Substring {
    /// The parts between the occurrences of an ASCII character, in order. Empty parts are included, so there is at least one.
    ///
    /// - Parameters:
    ///   - delimiter: The character between the parts.
    ///   - maximum: The maximum number of parts, at least 1; the last one contains what follows. Default: no limit.
    package func parts(at delimiter: Unicode.Scalar, maximum: Int = .max) -> [Substring] {
        utf8.split(separator: UInt8(ascii: delimiter), maxSplits: Swift.max(1, maximum) - 1, omittingEmptySubsequences: false)
            .map(Substring.init)
    }

    /// The text before the first occurrence of an ASCII character, and the text after it; `nil` if it does not occur.
    package func divided(at delimiter: Unicode.Scalar) -> (head: Substring, tail: Substring)? {
        guard let place = utf8.firstIndex(of: UInt8(ascii: delimiter)) else { return nil }
        return (Substring(utf8[..<place]), Substring(utf8[place...].dropFirst()))
    }
}

extension String {
    /// The parts between the occurrences of an ASCII character, in order. Empty parts are included, so there is at least one.
    package func parts(at delimiter: Unicode.Scalar, maximum: Int = .max) -> [Substring] {
        self[...].parts(at: delimiter, maximum: maximum)
    }

    /// The text before the first occurrence of an ASCII character, and the text after it; `nil` if it does not occur.
    package func divided(at delimiter: Unicode.Scalar) -> (head: Substring, tail: Substring)? {
        self[...].divided(at: delimiter)
    }
}

extension StringProtocol {
    /// Whether the first bytes are those of another text.
    package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the last bytes are those of another text.
    package func ends(with suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Whether both texts have the same bytes.
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                bytes.count == others.count
                    && (bytes.isEmpty || memcmp(bytes.baseAddress!, others.baseAddress!, bytes.count) == 0)
            }
        }
        // `nil` for a text that is not stored in UTF-8.
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// The text with ASCII letters in lower case. All other characters are unchanged.
    package var asciiLowercased: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        return String(decoding: utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
