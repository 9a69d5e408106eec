/// Decoding of the escapes in JSON strings, and indentation of JSON documents.
enum JSONText {
    /// Returns the content of a JSON string with its escapes decoded (RFC 8259 §7).
    ///
    /// The backslash of an invalid escape is removed; a backslash at the end is kept.
    static func unescaped(_ content: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var index = 0
        while index < content.count {
            guard content[index] == .backslash, index + 1 < content.count else {
                result.append(content[index])
                index += 1
                continue
            }
            let (bytes, length) = escape(in: content, at: index)
            result += bytes
            index += length
        }
        return result
    }

    /// Returns the decoded bytes and the length of the escape at a backslash, which must not be the last byte.
    static func escape(in content: [UInt8], at index: Int) -> (bytes: [UInt8], length: Int) {
        let kind = content[index + 1]
        if kind == UInt8(ascii: "u"), let (scalar, length) = scalar(in: content, at: index) {
            return (Array(String(Character(scalar)).utf8), length)
        }
        return ([escapes[kind] ?? kind], 2)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): .lineFeed, UInt8(ascii: "r"): .carriageReturn, UInt8(ascii: "t"): .tab, UInt8(ascii: "b"): 8,
        UInt8(ascii: "f"): 12,
    ]

    private static func scalar(in content: [UInt8], at index: Int) -> (Unicode.Scalar, length: Int)? {
        guard let unit = unit(in: content, at: index) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        if unit < 0xDC00, let low = self.unit(in: content, at: index + 6), low >= 0xDC00, low < 0xE000,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        {
            return (scalar, 12)
        }
        return ("\u{FFFD}", 6)
    }

    private static func unit(in content: [UInt8], at index: Int) -> UInt32? {
        guard index + 5 < content.count, content[index] == .backslash, content[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var value: UInt32 = 0
        for offset in 2...5 {
            guard let digit = content[index + offset].hexValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Returns the document with one line per member and element. Tokens are not changed; malformed documents are indented by their
    /// brackets.
    ///
    /// Levels beyond the sixteenth are not indented further, so the result is at most 34 times as long as the document.
    static func indented(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        var depth = 0
        var index = 0
        func breakLine() {
            while result.last == .space { result.removeLast() }
            result.append(.lineFeed)
            result += repeatElement(.space, count: 2 * max(0, min(depth, 16)))
        }
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case .quote:
                let start = index
                index += 1
                while index < bytes.count, bytes[index] != .quote { index += bytes[index] == .backslash ? 2 : 1 }
                index = min(index, bytes.count - 1)
                result += bytes[start...index]
            case .openBrace, .openBracket:
                result.append(byte)
                let next = bytes[(index + 1)...].firstIndex { !$0.isWhitespace }
                if let next, bytes[next] == .closeBrace || bytes[next] == .closeBracket {
                    result.append(bytes[next])
                    index = next
                } else {
                    depth += 1
                    breakLine()
                }
            case .closeBrace, .closeBracket:
                depth -= 1
                breakLine()
                result.append(byte)
            case .comma:
                result.append(byte)
                breakLine()
            case .colon:
                result += [.colon, .space]
            case .space, .tab, .lineFeed, .carriageReturn:
                // One space is kept between documents and bare words. All other white space is replaced by the indentation.
                if let last = result.last, !last.isWhitespace, index + 1 < bytes.count, isWord(last), isWord(bytes[index + 1]) {
                    result.append(.space)
                }
            default:
                result.append(byte)
            }
            index += 1
        }
        return result
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case .comma, .colon, .openBrace, .openBracket, .closeBrace, .closeBracket: false
        default: !byte.isWhitespace
        }
    }
}
