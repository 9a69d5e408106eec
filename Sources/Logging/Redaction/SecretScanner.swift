import Foundation
import NetworkSupport

/// Finds what looks like a secret in a text, in one pass.
///
/// Each search forwards either advances the position, is remembered (``NextByte``), or ends after a few bytes; each search backwards is bounded.
/// Therefore the time is linear in the length of the text, whatever it contains.
struct SecretScanner {
    let bytes: [UInt8]
    let redaction: Redaction
    /// Whether the text is the path of a URL.
    let isPath: Bool
    private let limit: Int
    /// The ranges that are secret, in order.
    private(set) var hidden: [Range<Int>] = []
    /// The number of bytes of the text that were processed.
    private(set) var index = 0
    /// How long the output would be up to the index.
    private var outputCount = 0
    private var endOfAuthority = 0
    var failedSearches = 0
    /// Whether the previous XML element contains the name of a secret, which makes the next element secret.
    var nextElementIsSecret = false
    var endOfCredentials = NextByte { SecretScanner.endsCredentials($0) }
    private var endOfItem = NextByte { $0.isWhitespace || $0 == .ampersand || $0 == .quote || $0 == .less }
    var equalsSign = NextByte { $0 == .equals }
    var line = CommandLine()

    init(_ bytes: [UInt8], redaction: Redaction, isPath: Bool = false, limit: Int = .max) {
        self.bytes = bytes
        self.redaction = redaction
        self.isPath = isPath
        self.limit = limit
    }

    mutating func run() {
        while index < bytes.count, outputCount < limit {
            switch bytes[index] {
            case .colon:
                if !copyUserinfo() && (isPath || !hidePair()) { copy() }
            case .equals:
                if !hidePair() { copy() }
            case .less:
                if isPath || !hideElement() { copy() }
            case .hyphen:
                if isPath || !(hidePrivateKey() || hideOption()) { copy() }
            case UInt8(ascii: "e"):
                if !hideWebToken() { copy() }
            case let byte where SecretGrammar.canStartScheme[Int(byte)]:
                if !hideCredentials() { copy() }
            default:
                copyPlainRun()
            }
        }
    }

    /// Passes the bytes before the next one at which a secret could be detected; at most 4096, so that the limit is checked regularly.
    private mutating func copyPlainRun() {
        var end = index + 1
        let last = min(bytes.count, index + 4096)
        while end < last, !SecretGrammar.canStart[Int(bytes[end])] { end += 1 }
        copy(end - index)
    }

    mutating func copy(_ count: Int = 1) {
        index += count
        outputCount += count
    }

    mutating func hide(upTo end: Int) {
        guard end > index else { return }
        hidden.append(index..<end)
        index = end
        outputCount += Redaction.placeholder.utf8.count
    }

    // MARK: Userinfo

    /// Passes `://` (or `:\/\/`, as escaped in JSON) at the current colon, and hides user information after it.
    ///
    /// - Returns: Whether `://` was found.
    private mutating func copyUserinfo() -> Bool {
        var start = index + 1
        for _ in 0..<2 {
            while start < bytes.count, bytes[start] == .backslash { start += 1 }
            guard start < bytes.count, bytes[start] == .slash else { return false }
            start += 1
        }
        copy(start - index)
        var end = start
        while end < bytes.count, !Self.endsAuthority(bytes[end]) { end += 1 }
        endOfAuthority = end
        if let at = bytes[start..<end].lastIndex(of: .at) {
            hide(upTo: at)
        } else if let colon = bytes[start..<end].lastIndex(of: .colon),
            bytes[(colon + 1)..<end].contains(where: { $0.isAlphanumeric && !$0.isDigit }),
            let at = bytes[end..<min(end + 1024, bytes.count)].firstIndex(where: { $0 == .at || Self.endsURL($0) }),
            bytes[at] == .at
        {
            // `//user:pa/ss@host`: a password with an unencoded delimiter, recognized by a colon that is not followed by a port.
            hide(upTo: at)
        }
        return true
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case .slash, .question, .hash, .backslash: true
        default: endsURL(byte)
        }
    }

    private static func endsURL(_ byte: UInt8) -> Bool {
        byte == .quote || byte == .less || byte == .greater || byte.isWhitespace
    }

    // MARK: Pairs

    /// Hides the value after the current separator if the name before it is secret.
    private mutating func hidePair() -> Bool {
        guard bytes[index] != .colon || index >= endOfAuthority, let name = nameBefore(index) else { return false }
        if bytes[index] == .colon, let block = YAMLBlock(bytes, after: index) {
            copy(block.start - index)
            hide(upTo: block.end)
            return true
        }
        var start = index + 1
        if start < bytes.count, bytes[start] == .greater { start += 1 }
        while start < bytes.count, bytes[start].isSpaceOrTab { start += 1 }
        let visible = start
        while start < bytes.count, bytes[start].isWhitespace { start += 1 }
        // A value on the next line belongs to the name only if it is in quotes or brackets.
        if start < bytes.count, start > visible, bytes[start] != .quote, !bytes[start].isOpening { start = visible }
        guard start < bytes.count, !bytes[start].isWhitespace else { return false }
        guard !name.needsQuery || isInQuery(name, valueAt: start) else { return false }
        let value = ValueExtent(bytes, from: start, style: style(of: name))
        guard value.end > start else { return false }
        copy(value.contentStart - index)
        hide(upTo: value.contentEnd)
        copy(value.end - index)
        return true
    }

    private func style(of name: Name) -> ValueExtent.Style {
        let isColon = bytes[index] == .colon
        let lower = name.text.lowercased()
        if lower.contains("cookie") || (isColon && !name.isQuoted && (lower.contains("authorization") || lower.contains("cert")))
        {
            return .line
        }
        return isColon ? (name.isQuoted ? .member : .phrase) : .word
    }

    private struct Name {
        var text: String
        var start: Int
        var isQuoted: Bool
        /// Whether the name is secret only in a query or a form.
        var needsQuery: Bool
    }

    /// Returns whether a pair is an item of a query or form: `?key=a`, `&code=a`, `key=a&…`.
    private mutating func isInQuery(_ name: Name, valueAt start: Int) -> Bool {
        if name.start > 0, Self.isItemDelimiter(bytes[name.start - 1]) { return true }
        let end = endOfItem.index(in: bytes, from: start)
        return end < bytes.count && bytes[end] == .ampersand
    }

    private static func isItemDelimiter(_ byte: UInt8) -> Bool {
        byte == .question || byte == .ampersand || byte == .hash || byte == .semicolon
    }

    /// Returns the name before a separator if it is secret, otherwise `nil`.
    private func nameBefore(_ separator: Int) -> Name? {
        var end = separator
        let floor = max(0, separator - 8)
        while end > floor, bytes[end - 1].isSpaceOrTab { end -= 1 }
        var isQuoted = false
        while end > floor, bytes[end - 1] == .quote || bytes[end - 1] == .apostrophe || bytes[end - 1] == .backslash {
            end -= 1
            isQuoted = true
        }
        var start = end
        while start > 0, end - start < 128, Self.isNameByte(bytes[start - 1]) { start -= 1 }
        guard start < end else { return nil }
        let text = Array(bytes[start..<end]).text
        let isColon = bytes[separator] == .colon
        // `anna@auth.example: …` is an e-mail address and what follows it.
        if isColon, !isQuoted, start > 1, bytes[start - 1] == .at, Self.isNameByte(bytes[start - 2]),
            SecretNames.isEmailAddress("x@" + text)
        {
            return nil
        }
        if redaction.isSecret(member: text)
            || (isColon && SecretNames.isNamedByAnother(text) && isNamedByLine(around: start, separator))
            || (isColon && text.asciiLowercased.begins(with: "x-") && redaction.isSecret(header: text))
        {
            return Name(text: text, start: start, isQuoted: isQuoted, needsQuery: false)
        }
        guard !isColon, !isQuoted, redaction.isSecret(field: text) else { return nil }
        return Name(text: text, start: start, isQuoted: false, needsQuery: true)
    }

    /// Returns whether one of the two lines before or after this one names its value as a secret, as `name: password` does for `value: …`
    /// in YAML.
    private func isNamedByLine(around start: Int, _ separator: Int) -> Bool {
        let before = bytes[max(0, start - 256)..<start].split(separator: .lineFeed, omittingEmptySubsequences: false)
        let behind = bytes[separator..<min(separator + 256, bytes.count)].split(
            separator: .lineFeed, omittingEmptySubsequences: false)
        return (before.dropLast().suffix(2) + behind.dropFirst().prefix(2)).contains { line in
            let text = line.drop { $0.isWhitespace || $0 == .hyphen || $0 == .quote }
            guard let colon = text.firstIndex(of: .colon), SecretNames.namesAnother(Array(text[..<colon]).text) else {
                return false
            }
            let value = Array(text[(colon + 1)...]).text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\r\"'"))
            return !value.isEmpty && redaction.isSecret(member: value)
        }
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case .hyphen, .underscore, .dot, .percent, .openBracket, .closeBracket: true
        default: byte.isNameLetter
        }
    }
}

/// The place of the next byte that meets a condition. It is remembered, so that many searches in one text take linear time together.
struct NextByte {
    private let matches: @Sendable (UInt8) -> Bool
    /// The places from which the last search has the same result.
    private var searched = 0..<0

    init(_ matches: @escaping @Sendable (UInt8) -> Bool) {
        self.matches = matches
    }

    /// Returns the index of the next such byte at or after an index, or the number of bytes.
    mutating func index(in bytes: [UInt8], from start: Int) -> Int {
        if searched.contains(start) || searched.upperBound == start && start > 0 && searched.lowerBound < start {
            return searched.upperBound
        }
        var end = start
        while end < bytes.count, !matches(bytes[end]) { end += 1 }
        searched = start..<end
        return end
    }
}
