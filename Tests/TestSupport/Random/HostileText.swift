extension SeededGenerator {
    /// Delimiters, quotes and escapes of header fields.
    private static let delimiters = [
        ";", ";", ",", ",", "=", "=", "\"", "\"", "\\", "'", "<", ">", "(", ")", ":", "/", "*", "%", "@", "?", "-", "&", " ", " ",
        "\t",
    ]

    /// Scalars that a `Character` combines with the one before, or for which `==` or `lowercased()` accepts other bytes: U+037E is equal to
    /// `;`, and U+212A to `K`.
    private static let hostile = [
        "\u{301}", "\u{FE0F}", "\u{200D}", "\u{37E}", "\u{212A}", "\u{1FEF}", "é", "e\u{301}", "\r\n", "\u{0}", "\u{7F}",
        "\u{1F600}",
    ]

    /// Returns a text of random delimiters, words and scalars that are not suited to header fields.
    ///
    /// - Parameters:
    ///   - words: The words that the field usually contains.
    ///   - count: The maximum number of pieces. Default: 14.
    package mutating func hostileText(of words: [String], maximumPieces count: Int = 14) -> String {
        var text = ""
        for _ in 0..<below(count + 1) {
            let kind = below(100)
            text += kind < 45 ? pick(words) : kind < 90 ? pick(Self.delimiters) : pick(Self.hostile)
        }
        return text
    }
}
