/// The lines that belong to a key of YAML because they are indented further: a block scalar (`key: |`), a list, or a value on a line of its
/// own (YAML 1.2 §8).
struct YAMLBlock {
    /// Where the first line's text begins.
    let start: Int
    /// The end of the last line, without its line feed.
    let end: Int

    /// - Parameter colon: The one behind the key.
    /// - Returns: `nil` where the value is on the key's line, or no line belongs to it.
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
                // A list may stand as far left as its key.
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

    /// Whether nothing stands on the key's line but the indicator of a block: `|`, `>-`, `|2`, a tag, a comment.
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
