import Foundation

/// Copies a text and replaces what looks like a secret, in one pass.
///
/// Each search backwards or forwards is bounded or advances the position, so that the running time is linear.
struct TextRedactor {
    private let bytes: [UInt8]
    private let redaction: Redaction
    /// Whether the text is the path of a URL, in which `name:value` is not a pair (`/v1/session:revoke`) and `<` does not start an element.
    private let isPath: Bool
    private let limit: Int
    private var output: [UInt8] = []
    /// The number of bytes of the input that were processed.
    private(set) var index = 0
    private var endOfAuthority = 0
    private var failedSearches = 0
    /// Whether the previous XML element contains the name of a secret, which makes the next element secret.
    private var nextElementIsSecret = false

    /// Creates a redactor for a text.
    ///
    /// - Parameter limit: The number of bytes of output after which the redactor stops. The output can be slightly longer.
    init(_ bytes: [UInt8], redaction: Redaction, isPath: Bool = false, limit: Int = .max) {
        self.bytes = bytes
        self.redaction = redaction
        self.isPath = isPath
        self.limit = limit
    }

    /// Returns the redacted text.
    mutating func run() -> [UInt8] {
        output.reserveCapacity(min(bytes.count, limit))
        while index < bytes.count, output.count < limit {
            switch bytes[index] {
            case .colon:
                if !copyUserinfo() && (isPath || !hidePair(separatorLength: 1)) { copy() }
            case .equals:
                if !hidePair(separatorLength: 1) { copy() }
            case .percent:
                if !hideEncodedPair() { copy() }
            case .less:
                if isPath || !hideElement() { copy() }
            case UInt8(ascii: "e"):
                if !hideWebToken() { copy() }
            case UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "n"), UInt8(ascii: "N"):
                if !hideCredentials() { copy() }
            default:
                copyPlainRun()
            }
        }
        return SecretValues.masked(output, isCut: index < bytes.count)
    }

    /// Returns whether a text has a byte sequence at which ``run()`` could redact something other than a secret value.
    ///
    /// It is `true` for some texts without secrets.
    static func canFindSecret(in bytes: [UInt8]) -> Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if canStartSecret[Int(byte)], !byte.isAlphanumeric || beginnings.contains(where: { bytes.matches($0, at: index) }) {
                return true
            }
            index += 1
        }
        return false
    }

    /// Copies the bytes before the next one at which a secret could be detected; at most 4096, so that the limit is checked regularly.
    private mutating func copyPlainRun() {
        var end = index + 1
        let last = Swift.min(bytes.count, index + 4096)
        while end < last, !Self.canStartSecret[Int(bytes[end])] { end += 1 }
        copy(end - index)
    }

    private mutating func copy(_ count: Int = 1) {
        output += bytes[index..<(index + count)]
        index += count
    }

    private mutating func hide(upTo end: Int) {
        output += Redaction.placeholder.utf8
        index = end
    }

    // MARK: Userinfo

    /// Copies `://` (or `:\/\/`, as escaped in JSON) at the current colon, and redacts user information after it.
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
            let at = bytes[end..<Swift.min(end + 1024, bytes.count)].firstIndex(where: { $0 == .at || $0.isWhitespace }),
            bytes[at] == .at
        {
            // `//user:pa/ss@host`: a password with an unencoded delimiter, recognized by a colon that is not followed by a port.
            hide(upTo: at)
        }
        return true
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case .slash, .question, .hash, .backslash, .quote, .less, .greater: true
        default: byte.isWhitespace
        }
    }

    // MARK: Pairs

    /// Redacts the value of a pair that is percent-encoded as a whole, at its separator `%3D` or `%3A`.
    private mutating func hideEncodedPair() -> Bool {
        guard bytes.matches(Self.encodedEquals, at: index) || bytes.matches(Self.encodedColon, at: index) else { return false }
        return hidePair(separatorLength: 3)
    }

    /// Redacts the value after the current separator if the name before it is secret.
    private mutating func hidePair(separatorLength: Int) -> Bool {
        guard bytes[index] != .colon || index >= endOfAuthority, let name = nameBefore(index) else { return false }
        if bytes[index] == .colon, let block = YAMLBlock(bytes, after: index) {
            copy(block.start - index)
            hide(upTo: block.end)
            return true
        }
        var start = index + separatorLength
        if start < bytes.count, bytes[start] == .greater { start += 1 }
        while start < bytes.count, bytes[start].isSpaceOrTab { start += 1 }
        let visible = start
        while start < bytes.count, bytes[start].isWhitespace { start += 1 }
        // A value on the next line belongs to the name only if it is in quotes or brackets.
        if start < bytes.count, start > visible, bytes[start] != .quote, !bytes[start].isOpening { start = visible }
        guard start < bytes.count, !bytes[start].isWhitespace else { return false }
        guard !isDiagnostic(name.text, value: bytes[start..<Swift.min(start + 8, bytes.count)]) else { return false }
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
        if lower.contains("cookie") || (isColon && !name.isQuoted && lower.contains("authorization")) { return .line }
        return isColon ? (name.isQuoted ? .member : .phrase) : .word
    }

    private struct Name {
        var text: String
        var isQuoted: Bool
    }

    /// Returns the name before a separator if it is secret, otherwise `nil`.
    private func nameBefore(_ separator: Int) -> Name? {
        var end = separator
        let floor = Swift.max(0, separator - 8)
        while end > floor, bytes[end - 1].isSpaceOrTab { end -= 1 }
        var isQuoted = false
        while end > floor, bytes[end - 1] == .quote || bytes[end - 1] == .apostrophe || bytes[end - 1] == .backslash {
            end -= 1
            isQuoted = true
        }
        var start = end
        while start > 0, end - start < 128, Self.isNameByte(bytes[start - 1]) { start -= 1 }
        guard start < end else { return nil }
        let text = Array(bytes[start..<end]).percentDecoded().text
        let isSecret =
            redaction.isSecret(field: text)
            || (bytes[separator] == .colon && SecretNames.isNamedByAnother(text) && isNamedByLine(around: start, separator))
        return isSecret ? Name(text: text, isQuoted: isQuoted) : nil
    }

    /// Returns whether one of the two lines before or after this one names its value as a secret, as `name: password` does for `value: …`
    /// in YAML.
    private func isNamedByLine(around start: Int, _ separator: Int) -> Bool {
        let before = bytes[Swift.max(0, start - 256)..<start].split(separator: .lineFeed, omittingEmptySubsequences: false)
        let behind = bytes[separator..<Swift.min(separator + 256, bytes.count)].split(
            separator: .lineFeed, omittingEmptySubsequences: false)
        return (before.dropLast().suffix(2) + behind.dropFirst().prefix(2)).contains { line in
            let text = line.drop { $0.isWhitespace || $0 == .hyphen }
            guard let colon = text.firstIndex(of: .colon), SecretNames.namesAnother(Array(text[..<colon]).text) else {
                return false
            }
            let value = Array(text[(colon + 1)...]).text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\r\"'"))
            return !value.isEmpty && redaction.isSecret(field: value)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case .hyphen, .underscore, .dot, .percent, .openBracket, .closeBracket: true
        default: byte.isNameLetter
        }
    }

    /// Returns whether a value is a short number such as in `code: 404` or `Code=-1001`, which is needed in error messages and too short
    /// for a secret.
    private func isDiagnostic(_ name: String, value: ArraySlice<UInt8>) -> Bool {
        let name = name.lowercased()
        guard name == "code" || name == "key" else { return false }
        let digits = value.first == .hyphen ? value.dropFirst() : value
        let number = digits.prefix { $0.isDigit }
        guard !number.isEmpty, number.count <= (value.first == .hyphen ? 5 : 3) else { return false }
        return number.count == digits.count || !digits[number.endIndex].isNameLetter
    }

    // MARK: Elements, tokens and credentials

    /// Redacts the content and attributes of the XML element at the current `<` if it is secret.
    ///
    /// An element is secret because of its name, because of a name in one of its attributes (`<add key="password" …>`), or because of the
    /// element before it (`<key>password</key><string>…</string>`).
    ///
    /// - Returns: Whether the element was secret.
    private mutating func hideElement() -> Bool {
        var end = index + 1
        while end < bytes.count, end - index < 128, Self.isNameByte(bytes[end]) || bytes[end] == .colon { end += 1 }
        guard end > index + 1, end < bytes.count else { return false }
        let name = Array(bytes[(index + 1)..<end]).text
        let isNamed = nextElementIsSecret
        nextElementIsSecret = false
        var visible = end
        if redaction.isSecret(field: name), !isNameOfNext(named: name, contentAfter: end) {
            nextElementIsSecret = false
        } else if isNamed {
            nextElementIsSecret = false
        } else if let attribute = endOfSecretName(inAttributesFrom: end) {
            visible = attribute
        } else {
            nextElementIsSecret = isSecretName(named: name, contentAfter: end)
            return false
        }
        let closingTag = [.less, .slash] + bytes[(index + 1)..<end].map(\.lowered)
        let close = bytes[visible..<Swift.min(visible + 4096, bytes.count)].firstIndex(of: .greater)
        copy(visible - index)
        // Attributes may contain the secret: `<password value="…"/>`.
        guard let close, failedSearches < 4 else {
            hide(upTo: bytes.count)
            return true
        }
        let isEmpty = bytes[close - 1] == .slash
        let endOfAttributes = isEmpty ? close - 1 : close
        if endOfAttributes > visible { hide(upTo: endOfAttributes) }
        copy(close + 1 - index)
        if isEmpty { return true }
        var search = index
        while search < bytes.count, !(bytes[search] == .less && bytes.matches(closingTag, at: search)) { search += 1 }
        if search == bytes.count {
            failedSearches += 1
            search = bytes[index...].firstIndex(of: .less) ?? bytes.count
        }
        if search > index { hide(upTo: search) }
        // The closing tag is copied here so that its name and a following colon are not processed as a pair.
        if bytes.matches(closingTag, at: index) { copy(closingTag.count) }
        return true
    }

    /// Returns whether an element such as `<key>` or `<name>` contains the name of a secret, whose value is the next element.
    private func isSecretName(named name: String, contentAfter end: Int) -> Bool {
        guard bytes[end] == .greater, SecretNames.namesAnother(name) else { return false }
        let content = bytes[(end + 1)..<Swift.min(end + 129, bytes.count)].prefix { $0 != .less }
        return redaction.isSecret(field: Array(content).text)
    }

    /// Returns whether an element is a name in a list of names and values, such as `<key>` in a property list, followed by the element
    /// that it names.
    private func isNameOfNext(named name: String, contentAfter end: Int) -> Bool {
        guard bytes[end] == .greater, SecretNames.namesAnother(name) else { return false }
        let window = bytes[(end + 1)..<Swift.min(end + 513, bytes.count)]
        guard let close = window.firstIndex(of: .less),
            bytes.matches([.less, .slash] + name.lowercased().utf8 + [.greater], at: close),
            let next = bytes[(close + name.utf8.count + 3)...].prefix(64).firstIndex(where: { !$0.isWhitespace })
        else { return false }
        return bytes[next] == .less && next + 1 < bytes.count && bytes[next + 1] != .slash
    }

    /// Returns the end of an attribute that names a secret, such as `name="password"`, or `nil` if there is no such attribute.
    private func endOfSecretName(inAttributesFrom start: Int) -> Int? {
        guard start < bytes.count, bytes[start].isWhitespace else { return nil }
        var index = start
        let end = Swift.min(start + 512, bytes.count)
        while index < end, bytes[index] != .greater, bytes[index] != .less {
            let name = bytes[index..<end].prefix { Self.isNameByte($0) }
            guard !name.isEmpty else {
                index += 1
                continue
            }
            index = name.endIndex
            guard index + 1 < end, bytes[index] == .equals, bytes[index + 1] == .quote || bytes[index + 1] == .apostrophe else {
                continue
            }
            let quote = bytes[index + 1]
            let value = bytes[(index + 2)..<end].prefix { $0 != quote }
            guard value.endIndex < end else { return nil }
            index = value.endIndex + 1
            if SecretNames.namesAnother(Array(name).text), redaction.isSecret(field: Array(value).text) { return index }
        }
        return nil
    }

    /// Redacts a JSON web token, which starts with `eyJ`, the base64 encoding of `{"`.
    private mutating func hideWebToken() -> Bool {
        guard index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "y"), bytes[index + 2] == UInt8(ascii: "J") else {
            return false
        }
        var end = index
        while end < bytes.count, bytes[end].isAlphanumeric || Self.webTokenMarks.contains(bytes[end]) { end += 1 }
        guard end - index >= 10 else { return false }
        hide(upTo: end)
        return true
    }

    /// Redacts the credentials after an authentication scheme that begins at the current byte.
    private mutating func hideCredentials() -> Bool {
        guard let scheme = Self.schemes.first(where: { bytes.matches($0, at: index) }) else { return false }
        var start = index + scheme.count
        let endOfScheme = start
        while start < bytes.count {
            if bytes.matches(Self.encodedSpace, at: start) {
                start += 3
            } else if Self.separatesCredentials(bytes[start]) {
                start += 1
            } else {
                break
            }
        }
        guard start > endOfScheme else { return false }
        var end = start
        while end < bytes.count, !Self.endsCredentials(bytes[end]) { end += 1 }
        guard end > start, !Self.harmlessWords.contains(Array(bytes[start..<end]).text.lowercased()) else { return false }
        if scheme.first == UInt8(ascii: "d") {
            guard bytes[start..<end].contains(.equals) else { return false }
            end = bytes[end...].firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? bytes.count
        }
        copy(start - index)
        hide(upTo: end)
        return true
    }

    private static func separatesCredentials(_ byte: UInt8) -> Bool {
        switch byte {
        case .plus, .colon, .equals, .quote, .apostrophe, .backslash: true
        default: byte.isWhitespace
        }
    }

    private static func endsCredentials(_ byte: UInt8) -> Bool {
        switch byte {
        case .quote, .apostrophe, .comma, .semicolon, .less, .greater, .backslash, .ampersand: true
        default: byte.isWhitespace || byte.isClosing
        }
    }

    private static let schemes = ["bearer", "basic", "digest", "negotiate", "ntlm"].map { Array($0.utf8) }
    /// The first letters of a web token and of the schemes.
    private static let beginnings = [Array("eyj".utf8)] + schemes.map { Array($0.prefix(3)) }
    private static let harmlessWords: Set<String> = [
        "auth", "authentication", "authorization", "token", "tokens", "realm", "error", "scheme", "credentials", "is", "was",
        "and", "or", "required", "challenge", "header", "access", "usage", "information",
    ]
    private static let webTokenMarks: Set<UInt8> = [.underscore, .hyphen, .dot, .equals]
    private static let canStartSecret: [Bool] = (0...255).map { ":=%<ebBdDnN".utf8.contains($0) }
    private static let encodedEquals = Array("%3d".utf8)
    private static let encodedColon = Array("%3a".utf8)
    private static let encodedSpace = Array("%20".utf8)
}
