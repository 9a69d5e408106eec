/// Copies JSON and redacts the values of secret keys, without recursion, so that any depth of nesting is supported.
///
/// It recognizes tokens and not the grammar: a string or bare word is a key if a colon follows it (or, in malformed input, anything but a
/// comma or a closing bracket). Therefore, truncated and malformed documents are redacted too.
struct JSONRedactor {
    private let bytes: [UInt8]
    private let redaction: Redaction
    private let limit: Int
    private let keepsTypes: Bool
    private var output: [UInt8] = []
    private(set) var index = 0
    private var isMalformed = false
    private var depth = 0
    /// The depths of the enclosing objects in which a member names a secret whose value is in another member.
    private var namedSecrets: [Int] = []

    /// Creates a redactor for a document.
    ///
    /// - Parameters:
    ///   - limit: The number of bytes of output after which the redactor stops. The output can be slightly longer.
    ///   - keepsTypes: Whether a secret number becomes 0, so that the redacted document can be decoded into the same types; otherwise it is
    ///     replaced by the placeholder. `true`, `false` and `null` are always kept.
    init(_ bytes: [UInt8], redaction: Redaction, limit: Int, keepsTypes: Bool = false) {
        self.bytes = bytes
        self.redaction = redaction
        self.limit = limit
        self.keepsTypes = keepsTypes
    }

    /// Returns the redacted document.
    mutating func run() -> [UInt8] {
        while index < bytes.count, output.count < limit {
            if bytes[index].isWhitespace || Self.isStructural(bytes[index]) {
                count(bytes[index])
                output.append(bytes[index])
                index += 1
            } else {
                copyToken()
            }
        }
        guard isMalformed else { return output }
        var scanner = TextRedactor(output, redaction: redaction)
        return scanner.run()
    }

    private mutating func copyToken() {
        let token = Token(bytes, at: index)
        var next = token.end
        while next < bytes.count, bytes[next].isWhitespace { next += 1 }
        let isValue = next == bytes.count || Self.endsValue(bytes[next])
        let isKey = !isValue && (bytes[next] == .colon || bytes[next] == .equals)
        if !token.isJSON(bytes) || (!isValue && (!isKey || bytes[next] == .equals)) { isMalformed = true }
        if isValue { return copyContent(of: token) }
        let name = token.name(bytes)
        let value = isKey ? next + 1 : next
        noteNaming(name, valueAt: value)
        let isSecret = redaction.isSecret(field: name) && !(SecretNames.isOpenAsNumber(name) && isNumber(at: value))
        if isSecret || (SecretNames.isNamedByAnother(name) && isNamedSecret(valueAt: value)) {
            output += bytes[index..<value]
            index = value
            hideValue()
        } else {
            copyContent(of: token)
        }
    }

    private mutating func count(_ byte: UInt8) {
        switch byte {
        case .openBrace, .openBracket: depth += 1
        case .closeBrace, .closeBracket:
            while let last = namedSecrets.last, last >= depth { namedSecrets.removeLast() }
            depth = max(0, depth - 1)
        default: break
        }
    }

    // MARK: Members that name others

    /// Records for the rest of the object that it has a member that names a secret, such as `"name": "password"`.
    private mutating func noteNaming(_ name: String, valueAt start: Int) {
        guard SecretNames.namesAnother(name), namedSecrets.last != depth, namesSecret(valueAt: start) else { return }
        namedSecrets.append(depth)
    }

    /// Returns whether a previous member of the object, or one of the next four, names this member's value as a secret.
    private func isNamedSecret(valueAt start: Int) -> Bool {
        if namedSecrets.last == depth { return true }
        var index = start
        let end = min(bytes.count, start + 4096)
        for _ in 0..<4 {
            guard let comma = endOfValue(from: index, before: end), bytes[comma] == .comma,
                let key = token(from: comma + 1, before: end),
                let colon = bytes[key.end..<end].firstIndex(where: { !$0.isWhitespace }), bytes[colon] == .colon
            else { return false }
            if SecretNames.namesAnother(key.name(bytes)), namesSecret(valueAt: colon + 1) { return true }
            index = colon + 1
        }
        return false
    }

    private func namesSecret(valueAt start: Int) -> Bool {
        guard let value = token(from: start, before: bytes.count), bytes[value.contentStart - 1] == .quote else { return false }
        return redaction.isSecret(field: value.name(bytes)) || redaction.isSecret(header: value.name(bytes))
    }

    /// Returns the string that begins at the next non-whitespace byte, or `nil` if that byte is not a double quote.
    private func token(from start: Int, before end: Int) -> Token? {
        guard let first = bytes[min(start, end)..<end].firstIndex(where: { !$0.isWhitespace }), bytes[first] == .quote else {
            return nil
        }
        return Token(bytes, at: first)
    }

    private func isNumber(at start: Int) -> Bool {
        guard let first = bytes[min(start, bytes.count)...].firstIndex(where: { !$0.isWhitespace }) else { return false }
        let number = bytes[first...].prefix(32).prefix { $0.isDigit || $0 == .hyphen || $0 == .dot }
        guard !number.isEmpty, number.endIndex < bytes.count else { return false }
        return bytes[number.endIndex].isWhitespace || Self.endsValue(bytes[number.endIndex])
    }

    /// Returns the index of the comma or bracket that ends a value.
    private func endOfValue(from start: Int, before end: Int) -> Int? {
        var index = start
        var depth = 0
        while index < end {
            let byte = bytes[index]
            if byte == .quote {
                index = Token(bytes, at: index).end
                continue
            }
            if depth == 0, Self.endsValue(byte) { return index }
            if byte == .openBrace || byte == .openBracket { depth += 1 }
            if byte == .closeBrace || byte == .closeBracket { depth -= 1 }
            index += 1
        }
        return nil
    }

    // MARK: Content

    /// Copies a token that does not name a secret, and redacts secrets in its text.
    private mutating func copyContent(of token: Token) {
        output += bytes[index..<token.contentStart]
        // Content beyond the limit is never shown, but some of it is needed to find the end of a secret.
        let window = max(0, limit - output.count) + 4096
        let content = Array(bytes[token.contentStart..<token.contentEnd].prefix(window))
        let plain = content.contains(.backslash) ? JSONText.unescaped(content) : content
        var scanner = TextRedactor(plain, redaction: redaction)
        let redacted = scanner.run()
        let isBare = token.contentEnd == token.end
        if redacted == plain {
            output += content
        } else if isBare, Self.bareValue(bytes[token.contentStart..<token.end]) != nil {
            // A number that is a secret value.
            output += keepsTypes ? [UInt8(ascii: "0")] : Array("\"\(Redaction.placeholder)\"".utf8)
        } else if plain == content {
            output += redacted
        } else {
            output += Redaction.placeholder.utf8
        }
        output += bytes[token.contentEnd..<token.end]
        index = token.end
    }

    /// Replaces the value, which ends before the next comma or closing bracket at its depth.
    private mutating func hideValue() {
        while index < bytes.count, bytes[index].isWhitespace {
            output.append(bytes[index])
            index += 1
        }
        let start = index
        index = min(bytes.count, endOfValue(from: start, before: bytes.count) ?? bytes.count)
        guard index > start else { return }
        // `true`, `false` and `null` are not secret.
        if let value = Self.bareValue(bytes[start..<index]), keepsTypes || value.first?.isDigit == false {
            output += value
            return
        }
        output.append(.quote)
        output += Redaction.placeholder.utf8
        output.append(.quote)
    }

    /// Returns the replacement of a bare value: 0 for a number, and `true`, `false` and `null` unchanged. `nil` for any other value.
    private static func bareValue(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let text = Array(value.prefix { !$0.isWhitespace })
        guard value[(value.startIndex + text.count)...].allSatisfy({ $0.isWhitespace }), let first = text.first else {
            return nil
        }
        if ["true", "false", "null"].contains(text.text) { return text }
        let isNumber = text.allSatisfy { byte in
            byte.isDigit || byte == .hyphen || byte == .plus || byte == .dot || byte.lowered == UInt8(ascii: "e")
        }
        return isNumber && (first.isDigit || first == .hyphen) ? [UInt8(ascii: "0")] : nil
    }

    private static func endsValue(_ byte: UInt8) -> Bool {
        byte == .comma || byte == .closeBrace || byte == .closeBracket
    }

    private static func isStructural(_ byte: UInt8) -> Bool {
        byte == .openBrace || byte == .openBracket || byte == .colon || byte == .equals || endsValue(byte)
    }

    /// A string in double or single quotes, or a sequence of bytes other than white space and structural characters.
    private struct Token {
        let contentStart: Int
        let contentEnd: Int
        let end: Int

        init(_ bytes: [UInt8], at start: Int) {
            let quote = bytes[start]
            guard quote == .quote || quote == .apostrophe else {
                var end = start + 1
                while end < bytes.count, !bytes[end].isWhitespace, bytes[end] != .quote,
                    !JSONRedactor.isStructural(bytes[end])
                { end += 1 }
                contentStart = start
                contentEnd = end
                self.end = end
                return
            }
            var index = start + 1
            while index < bytes.count, bytes[index] != quote { index += bytes[index] == .backslash ? 2 : 1 }
            contentStart = start + 1
            contentEnd = min(index, bytes.count)
            end = min(index + 1, bytes.count)
        }

        func name(_ bytes: [UInt8]) -> String {
            let content = Array(bytes[contentStart..<contentEnd].suffix(512))
            return (content.contains(.backslash) ? JSONText.unescaped(content) : content).text
        }

        /// Returns whether this is a terminated string in double quotes, a number or a literal.
        func isJSON(_ bytes: [UInt8]) -> Bool {
            if contentEnd < end { return bytes[contentEnd] == .quote }
            guard contentEnd - contentStart <= 64, contentStart > 0, bytes[contentStart - 1] != .quote else { return false }
            let word = Array(bytes[contentStart..<contentEnd])
            if word.allSatisfy({ $0.isDigit || $0 == .hyphen || $0 == .plus || $0 == .dot || $0.lowered == UInt8(ascii: "e") }) {
                return true
            }
            return ["true", "false", "null"].contains(word.text)
        }
    }
}
