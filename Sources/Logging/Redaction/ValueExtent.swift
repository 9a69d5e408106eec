import NetworkSupport

/// The range of a value that starts at an index; in cases of doubt, the longer range.
struct ValueExtent {
    enum Style {
        /// `name=value`, which ends at white space, `&`, `;` or a quote.
        case word
        /// The argument of an option, which ends at white space or a quote.
        case argument
        /// `name: several words`, which ends at the end of the line, at `;`, or at a comma followed by white space.
        case phrase
        /// `"name": value`, which ends at a comma or at the end of the line.
        case member
        /// `Cookie: a=b; c=d`, which ends at the end of the line.
        case line
    }

    /// The start of the text to redact, after an opening quote.
    private(set) var contentStart: Int
    /// The end of the text to redact, before a closing quote.
    private(set) var contentEnd: Int
    /// The end of the value, after a closing quote.
    private(set) var end: Int

    init(_ bytes: [UInt8], from start: Int, style: Style) {
        contentStart = start
        contentEnd = start
        end = start
        var opening = start
        while opening < bytes.count, bytes[opening] == .backslash { opening += 1 }
        if opening < bytes.count, bytes[opening] == .quote || bytes[opening] == .apostrophe {
            endQuoted(bytes, quote: opening, escapes: opening - start)
        } else {
            endBare(bytes, style: style)
        }
    }

    /// Sets the end of a quoted value: the next quote that is not escaped more deeply than the opening one, or the end of the bytes.
    private mutating func endQuoted(_ bytes: [UInt8], quote: Int, escapes: Int) {
        contentStart = quote + 1
        var run = 0
        var index = quote + 1
        while index < bytes.count {
            let byte = bytes[index]
            if byte == bytes[quote], escapes == 0 ? run.isMultiple(of: 2) : run <= escapes {
                contentEnd = index - (escapes == 0 ? 0 : run)
                end = index + 1
                return
            }
            run = byte == .backslash ? run + 1 : 0
            index += 1
        }
        contentEnd = bytes.count
        end = bytes.count
    }

    private mutating func endBare(_ bytes: [UInt8], style: Style) {
        var depth = 0
        var isQuoted = false
        var index = contentStart
        scan: while index < bytes.count {
            let byte = bytes[index]
            if isQuoted || depth > 0 {
                if isQuoted, byte == .backslash {
                    index += 1
                } else if byte == .quote {
                    isQuoted.toggle()
                } else if !isQuoted, byte.isOpening {
                    depth += 1
                } else if !isQuoted, byte.isClosing {
                    depth -= 1
                }
            } else if byte == .lineFeed || byte == .carriageReturn {
                break scan
            } else if style != .line {
                if byte.isOpening {
                    depth += 1
                } else if byte.isClosing || byte == .less || byte == .greater {
                    break scan
                } else if byte == .quote {
                    if style == .word || style == .argument { break scan }
                    isQuoted = true
                } else if endsBare(bytes, at: index, style: style) {
                    break scan
                }
            }
            index += 1
        }
        contentEnd = min(index, bytes.count)
        end = contentEnd
    }

    private func endsBare(_ bytes: [UInt8], at index: Int, style: Style) -> Bool {
        let byte = bytes[index]
        switch style {
        case .word:
            if byte == .ampersand || byte == .semicolon { return true }
            return byte.isWhitespace && !Self.isScheme(bytes[contentStart..<index])
        case .argument:
            return byte.isWhitespace || byte == .apostrophe
        case .phrase:
            if byte == .semicolon { return true }
            return byte == .comma && index + 1 < bytes.count && bytes[index + 1].isWhitespace
        case .member:
            return byte == .comma
        case .line:
            return false
        }
    }

    /// Returns whether a word is an authentication scheme, so that the next word belongs to the value: `auth=Bearer abc`.
    private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count <= 10 else { return false }
        let word = Array(word).text.lowercased()
        return word == "token" || SecretGrammar.schemes.contains(word)
    }
}

/// The lines that belong to a YAML key because of their indentation: a block scalar (`key: |`), a list, or a value on the next line
/// (YAML 1.2 §8).
struct YAMLBlock {
    /// The start of the first line's text.
    let start: Int
    /// The end of the last line, before its line ending.
    let end: Int

    /// Creates a block from the lines after a key, or returns `nil` if the value is on the key's line or no lines belong to the key.
    ///
    /// - Parameter colon: The index of the colon after the key.
    init?(_ bytes: [UInt8], after colon: Int) {
        let window = bytes[colon..<min(colon + 128, bytes.count)]
        guard let endOfLine = window.firstIndex(of: .lineFeed), Self.isHeader(bytes[(colon + 1)..<endOfLine]) else {
            return nil
        }
        let lineStart = bytes[max(0, colon - 512)..<colon].lastIndex(of: .lineFeed).map { $0 + 1 } ?? max(0, colon - 512)
        let key = bytes[lineStart..<colon].firstIndex { !$0.isSpaceOrTab && $0 != .hyphen } ?? colon
        let indentation = key - lineStart
        var line = endOfLine + 1
        var first: Int?
        var last = endOfLine
        while line < bytes.count {
            let next = bytes[line...].firstIndex(of: .lineFeed) ?? bytes.count
            let text = bytes[line..<next].firstIndex { !$0.isWhitespace }
            if let text {
                // The items of a list may have the same indentation as their key.
                let isItem = text - line == indentation && bytes[text] == .hyphen && text + 1 < next && bytes[text + 1] == .space
                guard text - line > indentation || isItem else { break }
                first = first ?? text
                last = next
            }
            line = next + 1
        }
        guard let first else { return nil }
        start = first
        end = last > first && bytes[last - 1] == .carriageReturn ? last - 1 : last
    }

    /// Returns whether the rest of the key's line is empty or contains only block indicators (`|`, `>-`, `|2`), tags, anchors and comments.
    private static func isHeader(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.split { $0.isWhitespace }
        for word in words {
            guard let first = word.first else { continue }
            if first == .hash { return true }
            let isIndicator = first == UInt8(ascii: "|") || first == .greater
            guard word.count <= 3 && isIndicator || first == UInt8(ascii: "!") || first == .ampersand else { return false }
        }
        return true
    }
}
