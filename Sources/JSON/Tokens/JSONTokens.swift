/// A text that may not be JSON, read as strings, words, white space and punctuation.
///
/// ``Scanner`` stops at the first byte that is not JSON. Code that redacts or shows a text has to continue after that byte: truncated and
/// malformed documents, several documents, JSON5, and more than 512 levels. Tokens have no grammar, so every text is a sequence of them,
/// and there is no recursion. The bytes of strings, escapes and white space are read with the functions of a scan.
package struct JSONTokens {
    @usableFromInline let bytes: UnsafeBufferPointer<UInt8>

    /// Creates the tokens of a text, which must not be used after its bytes are invalid. The bytes need no padding.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The number of bytes in the text.
    @inlinable package var count: Int { bytes.count }

    /// The byte at an index; zero at ``count``.
    @inlinable package subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index <= count, "The index is not in the text.")
        return index < count ? bytes[index] : 0
    }

    /// The bytes of a part of the text.
    @inlinable package subscript(range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "The range is not in the text.")
        return UnsafeBufferPointer(rebasing: bytes[range])
    }

    /// Returns the index of the first byte that is not white space, or ``count``.
    package func skipWhiteSpace(from index: Int) -> Int {
        var index = index
        while index < count, Bytes.isWhiteSpace(self[index]) { index += 1 }
        return index
    }

    /// Returns whether white space or a punctuation mark is at an index, and therefore no token.
    package func isBetweenTokens(at index: Int) -> Bool { Self.separators[Int(self[index])] }

    /// Returns the token that begins at an index, where white space and punctuation must not be.
    package func token(at index: Int) -> JSONToken {
        let quote = self[index]
        guard quote == 0x22 || quote == 0x27 else {
            var end = index + 1
            while end < count, !Self.separators[Int(self[end])], self[end] != 0x22 { end += 1 }
            return JSONToken(kind: .word, start: index, contentStart: index, contentEnd: min(end, count), end: min(end, count))
        }
        let close = endOfContent(from: index + 1, quote: quote)
        return JSONToken(
            kind: quote == 0x22 ? .string : .singleQuoted, start: index, contentStart: index + 1, contentEnd: close,
            end: min(close + 1, count))
    }

    /// Returns the string in double quotes that begins at the next byte that is not white space, or `nil` if another byte is there.
    package func string(from index: Int) -> JSONToken? {
        let first = skipWhiteSpace(from: index)
        return self[first] == 0x22 ? token(at: first) : nil
    }

    /// Returns the index of the comma or bracket after the value that begins at an index. Brackets are counted and not matched.
    package func endOfValue(from index: Int, before limit: Int) -> Int? {
        var index = index
        var depth = 0
        let limit = min(limit, count)
        while index < limit {
            switch self[index] {
            case 0x22:
                index = min(endOfContent(from: index + 1, quote: 0x22) + 1, count)
                continue
            case 0x2C where depth == 0: return index
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D:
                if depth == 0 { return index }
                depth -= 1
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Returns the index of the quote that ends a string, or ``count``. A byte after a backslash is not a quote.
    private func endOfContent(from index: Int, quote: UInt8) -> Int {
        guard index < count, let start = bytes.baseAddress else { return count }
        let end = start + count
        var p = start + index
        if quote == 0x22 {
            while end - p >= 8 {
                let special = Bytes.specialInString(Bytes.load8(p))
                if special == 0 {
                    p += 8
                    continue
                }
                p += special.trailingZeroBitCount &>> 3
                if p.pointee == 0x22 { return p - start }
                p += p.pointee == 0x5C ? 2 : 1
            }
        }
        while p < end, p.pointee != quote { p += p.pointee == 0x5C ? 2 : 1 }
        return min(p - start, count)
    }

    /// White space and the punctuation marks `{`, `}`, `[`, `]`, `,`, `:`, and `=`, which some formats have in place of a colon.
    private static let separators: [Bool] = (0...255).map { " \t\r\n{}[],:=".utf8.contains($0) }
}

/// A string or a word of a text that may not be JSON.
package struct JSONToken: Equatable {
    package enum Kind {
        /// A string in double quotes.
        case string
        /// A string in single quotes, as in JSON5.
        case singleQuoted
        /// Other bytes up to white space, punctuation or a double quote: a number, a literal, or what is not JSON.
        case word
    }

    package let kind: Kind
    /// Where the token begins, with its quote.
    package let start: Int
    /// Where the text between the quotes begins.
    package let contentStart: Int
    /// Where the text between the quotes ends.
    package let contentEnd: Int
    /// Where the token ends, after its quote.
    package let end: Int

    /// Whether the end of the text is not within the token's quotes.
    package var isComplete: Bool { kind == .word || contentEnd < end }
}
