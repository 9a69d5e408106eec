/// Escaping and truncation of remote text for terminals, log files and messages.
package enum VisibleText {
    /// Returns the text with characters that move a cursor, end a line or change the reading direction escaped as `\n`, `\u{1B}`
    /// or `\u{202E}`.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.contains(where: isHarmful) ? escaped(text.unicodeScalars[...]) : text
    }

    /// Returns the first `limit` Unicode scalars, escaped, and `…` if there are more.
    package static func escaped(_ text: String, limit: Int) -> String {
        let start = text.unicodeScalars.prefix(limit)
        return escaped(start) + (start.endIndex < text.endIndex ? "…" : "")
    }

    private static func escaped(_ scalars: Substring.UnicodeScalarView) -> String {
        var result = ""
        for scalar in scalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if isHarmful(scalar) {
                    result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Whether a scalar is escaped: control characters; line and paragraph separators; format characters, among them direction marks,
    /// embeddings and isolates (Unicode TR 9); tags.
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2060...0x206F, 0xE0000...0xE007F: true
        case 0x20...0x7E: false
        default: scalar.properties.generalCategory == .format
        }
    }

    /// Returns at most the first `limit` bytes of the text, cut on a scalar boundary, with a note of how many bytes were omitted.
    package static func cut(_ text: String, limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let start = start(of: text, bytes: limit)
        return cut(start, omittedBytes: text.utf8.count - start.utf8.count)
    }

    /// Returns at most the first `limit` bytes of the text, cut on a scalar boundary.
    package static func start(of text: String, bytes limit: Int) -> String {
        let bytes = text.utf8
        guard bytes.count > limit else { return text }
        var end = bytes.index(bytes.startIndex, offsetBy: max(0, limit))
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
        return String(text[..<end])
    }

    /// Returns a text that has been cut, with a note of how many bytes were omitted. With 0, returns it unchanged.
    package static func cut(_ text: String, omittedBytes: Int) -> String {
        omittedBytes > 0 ? "\(text)… (\(omittedBytes) more bytes)" : text
    }
}
