/// The value of a `Content-Range` header (RFC 9110 §14.4), in bytes.
package struct ContentRange: Sendable, Hashable {
    /// The position of the part in the complete content; never empty. `nil` if no part was sent (`bytes */1000`).
    package var range: Range<Int64>?
    /// The length of the complete content; `nil` if the server does not state it (`bytes 0-99/*`).
    package var total: Int64?

    package init(_ range: Range<Int64>?, of total: Int64?) {
        self.range = range
        self.total = total
    }

    /// Parses the header's value.
    ///
    /// Returns `nil` for any other text: another unit, an end before the start or not below the total length, or a number that does not
    /// fit in an `Int64`.
    package init?(_ text: String) {
        let parts = text.trimmed.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard let total = Self.number(sides[1]) else { return nil }
            self.total = total
        }
        guard sides[0] != "*" else {
            // Without a range, the length is required.
            if total == nil { return nil }
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), last >= first, last < .max
        else { return nil }
        if let total, last >= total { return nil }
        range = first..<(last + 1)
    }

    /// Returns the value of a text that consists only of digits, whereas `Int64.init` also accepts a sign.
    package static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(text)
    }
}

extension StringProtocol {
    /// The text without leading and trailing optional white space (RFC 9110 §5.6.3).
    var trimmed: SubSequence {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
