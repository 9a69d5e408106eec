/// Makes text from outside harmless for terminals and log files.
enum VisibleText {
    /// The text with everything written out that moves a cursor, ends a line or changes the reading direction: `\n`,
    /// `\u{1B}`, `\u{202E}`.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
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

    /// C0, C1 and DEL; line and paragraph separators; direction marks, embeddings and isolates (Unicode TR 9); invisible
    /// format characters and tags.
    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        case 0xE0000...0xE007F: true
        default: false
        }
    }

    /// Cuts after `limit` bytes, on a character boundary, with a note of how many follow.
    static func cut(_ text: String, limit: Int) -> String {
        let bytes = text.utf8
        guard bytes.count > limit else { return text }
        var end = bytes.index(bytes.startIndex, offsetBy: max(0, limit))
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
        return "\(text[..<end])… (\(bytes.distance(from: end, to: bytes.endIndex)) more bytes)"
    }
}
