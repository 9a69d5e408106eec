import NetworkSupport

/// Credentials after the name of a scheme, tokens, private keys and options of commands.
extension SecretScanner {
    /// Hides a JSON web token, which starts with `eyJ`, the base64 encoding of `{"`.
    mutating func hideWebToken() -> Bool {
        guard index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "y"), bytes[index + 2] == UInt8(ascii: "J") else {
            return false
        }
        var end = index
        while end < bytes.count, bytes[end].isAlphanumeric || Self.isWebTokenMark(bytes[end]) { end += 1 }
        guard end - index >= 10 else { return false }
        hide(upTo: end)
        return true
    }

    private static func isWebTokenMark(_ byte: UInt8) -> Bool {
        byte == .underscore || byte == .hyphen || byte == .dot || byte == .equals
    }

    // MARK: Schemes

    /// Hides the credentials after an authentication scheme that begins at the current byte.
    mutating func hideCredentials() -> Bool {
        guard let scheme = SecretGrammar.schemeBytes.first(where: { bytes.matches($0, at: index) }) else { return false }
        let endOfScheme = index + scheme.count
        var start = endOfScheme
        while start < bytes.count, Self.separatesCredentials(bytes[start]) { start += 1 }
        guard start > endOfScheme else { return false }
        var end = endOfCredentials.index(in: bytes, from: start)
        guard end > start, !isHarmlessWord(start..<end) else {
            // The separators are not searched again.
            copy(start - index)
            return true
        }
        if scheme.first == UInt8(ascii: "d"), scheme.count > 4 {
            guard equalsSign.index(in: bytes, from: start) < end else {
                copy(start - index)
                return true
            }
            end = bytes[end...].firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? bytes.count
        }
        copy(start - index)
        hide(upTo: end)
        return true
    }

    private func isHarmlessWord(_ range: Range<Int>) -> Bool {
        range.count <= 16 && SecretGrammar.harmlessWords.contains(Array(bytes[range]).text.lowercased())
    }

    private static func separatesCredentials(_ byte: UInt8) -> Bool {
        switch byte {
        case .plus, .colon, .equals, .quote, .apostrophe, .backslash: true
        default: byte.isWhitespace
        }
    }

    static func endsCredentials(_ byte: UInt8) -> Bool {
        switch byte {
        case .quote, .apostrophe, .comma, .semicolon, .less, .greater, .backslash, .ampersand: true
        default: byte.isWhitespace || byte.isClosing
        }
    }

    // MARK: Private keys

    /// Hides the content of a PEM block whose label names a private key (RFC 7468), at the first hyphen of its first line.
    mutating func hidePrivateKey() -> Bool {
        guard index == 0 || bytes[index - 1] != .hyphen, isPEMMark(Self.begin, at: index) else { return false }
        let label = bytes[index..<min(index + 80, bytes.count)].drop { $0 == .hyphen }.prefix { $0 != .hyphen }
        guard Array(label).map(\.lowered).contains(sequence: SecretGrammar.pemLabel) else { return false }
        var visible = label.endIndex
        while visible < bytes.count, bytes[visible] == .hyphen { visible += 1 }
        copy(visible - index)
        var end = index
        while end < bytes.count, !isPEMMark(Self.end, at: end) { end += 1 }
        hide(upTo: end)
        return true
    }

    /// Returns whether four hyphens, or five, and a word are at an index: `-----BEGIN`, `---- END`.
    private func isPEMMark(_ word: [UInt8], at index: Int) -> Bool {
        guard index + 9 < bytes.count, bytes[index] == .hyphen, bytes[index + 3] == .hyphen else { return false }
        let start = index + (bytes[index + 4] == .hyphen || bytes[index + 4] == .space ? 5 : 4)
        return bytes[index..<(index + 4)].allSatisfy { $0 == .hyphen } && bytes.matches(word, at: start)
    }

    private static let begin = Array("begin ".utf8)
    private static let end = Array("end ".utf8)

    // MARK: Options

    /// Hides the argument of an option of a command: of `-u`, `--user` and the like after `curl`, and of one with a secret name, such as
    /// `--password`.
    mutating func hideOption() -> Bool {
        if index > 0 {
            let before = bytes[index - 1]
            guard before.isWhitespace || before == .quote || before == .apostrophe else { return false }
        }
        guard index + 1 < bytes.count else { return false }
        return bytes[index + 1] == .hyphen ? hideLongOption() : hideShortOption()
    }

    private mutating func hideLongOption() -> Bool {
        let name = bytes[(index + 2)..<min(index + 66, bytes.count)].prefix {
            $0.isAlphanumeric || $0 == .hyphen || $0 == .underscore
        }
        guard !name.isEmpty else { return false }
        let isSecret = Self.takesSecretArgument(
            Array(bytes[index..<name.endIndex]), isCurl: line.isCurl(in: bytes, at: index), redaction)
        return isSecret && hideArgument(after: name.endIndex)
    }

    /// Returns whether the argument of an option is secret, which is the next word: `-u`, `-su`, `--user`, `--password`.
    static func takesSecretArgument(_ option: [UInt8], isCurl: Bool, _ redaction: Redaction) -> Bool {
        if option.starts(with: "--".utf8) {
            let name = Array(option.dropFirst(2)).text
            return redaction.isSecret(member: name) || (isCurl && SecretGrammar.curlOptions.contains(name.asciiLowercased))
        }
        let letters = option.dropFirst()
        guard isCurl, let last = letters.firstIndex(where: SecretGrammar.shortCurlOptions.contains) else { return false }
        return last == letters.endIndex - 1 && SecretGrammar.secretCurlOptions.contains(letters[last])
    }

    private mutating func hideShortOption() -> Bool {
        guard bytes[index + 1].isAlphanumeric, line.isCurl(in: bytes, at: index) else { return false }
        // Letters without an argument may be combined with one that has an argument: `-su user:password`.
        let letters = bytes[(index + 1)..<min(index + 17, bytes.count)]
        guard let option = letters.firstIndex(where: { !$0.isAlphanumeric || SecretGrammar.shortCurlOptions.contains($0) }),
            SecretGrammar.secretCurlOptions.contains(bytes[option])
        else { return false }
        return hideArgument(after: option + 1)
    }

    /// Hides the argument of an option that ends at an index: `-u a`, `-ua`, `--user=a`, `"-u", "a"`.
    private mutating func hideArgument(after end: Int) -> Bool {
        var start = end
        while start < bytes.count, start - end < 32, Self.separatesArgument(bytes[start]) { start += 1 }
        // A line that continues in the next one.
        guard start < bytes.count, !(start > end && bytes[start] == .hyphen) else { return false }
        if start > end, bytes[start - 1] == .quote || bytes[start - 1] == .apostrophe { start -= 1 }
        let value = ValueExtent(bytes, from: start, style: .argument)
        guard value.contentEnd > value.contentStart else { return false }
        copy(value.contentStart - index)
        hide(upTo: value.contentEnd)
        copy(value.end - index)
        return true
    }

    private static func separatesArgument(_ byte: UInt8) -> Bool {
        switch byte {
        case .quote, .apostrophe, .comma, .equals, .backslash: true
        default: byte.isWhitespace
        }
    }
}

/// Whether a place in a text is in a command line that calls curl. Each line is searched once.
struct CommandLine {
    private var searched = 0
    /// The place after the first `curl` of the line, or `nil` if the line has none.
    private var call: Int?

    mutating func isCurl(in bytes: [UInt8], at index: Int) -> Bool {
        while searched < index {
            let byte = bytes[searched]
            if byte == .lineFeed, searched == 0 || bytes[searched - 1] != .backslash {
                call = nil
            } else if call == nil, byte.lowered == UInt8(ascii: "c"), bytes.matches(Self.name, at: searched),
                searched == 0 || !bytes[searched - 1].isNameLetter
            {
                call = searched + Self.name.count
            }
            searched += 1
        }
        return call.map { $0 <= index } ?? false
    }

    private static let name = Array("curl".utf8)
}
