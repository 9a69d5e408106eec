import NetworkJSON

/// Copies JSON and redacts the values of secret keys, without recursion, so that any depth of nesting is supported.
///
/// It reads ``JSONTokens`` and no grammar: a string or word is a key if a colon follows it (or, in malformed input, anything but a comma or a
/// closing bracket). Therefore, truncated and malformed documents are redacted up to their end. A scan stops at the first error, and the
/// secrets after it would be found by their names only where these are not escaped: `{"a":01,"pass\u0077ord":"abc"}`. What a scan has
/// accepted before an error is not reliable either: `{"password":"abc"def"}` has the value `abc"def`.
struct JSONRedactor {
    private let text: JSONTokens
    private let redaction: Redaction
    private let limit: Int
    private let keepsTypes: Bool
    private var output: [UInt8] = []
    private var index = 0
    private var isMalformed = false
    private var depth = 0
    /// The depths of the enclosing objects in which a member names a secret whose value is in another member.
    private var namedSecrets: [Int] = []
    private var meanings = KeyMeanings()
    /// The content of the current token, decoded. A property so that its memory is used again.
    private var content: [UInt8] = []

    /// Redacts a document.
    ///
    /// - Parameters:
    ///   - limit: The number of bytes of output after which the redactor stops. The output can be slightly longer.
    ///   - keepsTypes: Whether a secret number becomes 0, so that the redacted document can be decoded into the same types; otherwise it is
    ///     replaced by the placeholder. `true`, `false` and `null` are always kept.
    /// - Returns: The redacted document, and the number of bytes that were read.
    static func redacted(_ bytes: [UInt8], redaction: Redaction, limit: Int, keepsTypes: Bool) -> (output: [UInt8], read: Int) {
        bytes.withUnsafeBufferPointer { bytes in
            var redactor = JSONRedactor(JSONTokens(bytes), redaction: redaction, limit: limit, keepsTypes: keepsTypes)
            redactor.run()
            guard redactor.isMalformed else { return (redactor.output, redactor.index) }
            var scanner = TextRedactor(redactor.output, redaction: redaction)
            return (scanner.run(), redactor.index)
        }
    }

    private init(_ text: JSONTokens, redaction: Redaction, limit: Int, keepsTypes: Bool) {
        self.text = text
        self.redaction = redaction
        self.limit = limit
        self.keepsTypes = keepsTypes
        output.reserveCapacity(min(text.count, limit) + 4096)
    }

    private mutating func run() {
        while index < text.count, output.count < limit {
            let byte = text[index]
            if byte.isWhitespace {
                copy(upTo: min(text.skipWhiteSpace(from: index), index + limit - output.count))
            } else if text.isBetweenTokens(at: index) {
                count(byte)
                output.append(byte)
                index += 1
            } else {
                copyToken()
            }
        }
    }

    private mutating func copy(upTo end: Int) {
        output.append(contentsOf: text[index..<end])
        index = end
    }

    private mutating func copyToken() {
        let token = text.token(at: index)
        let next = text.skipWhiteSpace(from: token.end)
        let isValue = next == text.count || Self.endsValue(text[next])
        if !isJSON(token) || (!isValue && text[next] != .colon) { isMalformed = true }
        if isValue { return copyContent(of: token) }
        let value = text[next] == .colon || text[next] == .equals ? next + 1 : next
        if isSecret(meanings.meaning(of: token, in: text, redaction), valueAt: value) {
            copy(upTo: value)
            hideValue()
        } else {
            copyContent(of: token)
        }
    }

    private func isJSON(_ token: JSONToken) -> Bool {
        guard token.kind == .word else { return token.kind == .string && token.isComplete }
        guard token.start > 0, text[token.start - 1] != .quote, token.end - token.start <= 64 else { return false }
        let word = text[token.start..<token.end]
        return word.allSatisfy(WordKind.isInNumber) || WordKind(word) == .literal
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

    // MARK: Keys

    /// Returns whether the value of a key is secret, and records whether the key's value is the name of another member.
    private mutating func isSecret(_ meaning: KeyMeaning, valueAt start: Int) -> Bool {
        if meaning.isEmpty { return false }
        // For the rest of the object, it has a member that names a secret, such as `"name": "password"`.
        if meaning.contains(.namesAnother), namedSecrets.last != depth, namesSecret(valueAt: start) { namedSecrets.append(depth) }
        if meaning.contains(.isSecret), !(meaning.contains(.isOpenAsNumber) && isNumber(at: start)) { return true }
        return meaning.contains(.isNamedByAnother) && isNamedSecret(valueAt: start)
    }

    /// Returns whether a previous member of the object, or one of the next four, names this member's value as a secret.
    private mutating func isNamedSecret(valueAt start: Int) -> Bool {
        if namedSecrets.last == depth { return true }
        var index = start
        let end = min(text.count, start + 4096)
        for _ in 0..<4 {
            guard let comma = text.endOfValue(from: index, before: end), text[comma] == .comma,
                let key = text.string(from: comma + 1), key.start < end
            else { return false }
            let colon = text.skipWhiteSpace(from: key.end)
            guard colon < end, text[colon] == .colon else { return false }
            let meaning = meanings.meaning(of: key, in: text, redaction)
            if meaning.contains(.namesAnother), namesSecret(valueAt: colon + 1) { return true }
            index = colon + 1
        }
        return false
    }

    private func namesSecret(valueAt start: Int) -> Bool {
        guard let name = text.string(from: start).map({ KeyMeaning.name(of: $0, in: text) }) else { return false }
        return redaction.isSecret(field: name) || redaction.isSecret(header: name)
    }

    private func isNumber(at start: Int) -> Bool {
        let first = text.skipWhiteSpace(from: start)
        let number = text[first..<min(first + 32, text.count)].prefix { $0.isDigit || $0 == .hyphen || $0 == .dot }
        let end = first + number.count
        return !number.isEmpty && end < text.count && (text[end].isWhitespace || Self.endsValue(text[end]))
    }

    // MARK: Values

    /// Copies a token that does not name a secret, and redacts secrets in its text.
    private mutating func copyContent(of token: JSONToken) {
        copy(upTo: token.contentStart)
        // Content beyond the limit is never shown, but some of it is needed to find the end of a secret.
        let window = max(0, limit - output.count) + 4096
        let shown = text[token.contentStart..<min(token.contentEnd, token.contentStart + window)]
        let isEscaped = shown.contains(.backslash)
        content.removeAll(keepingCapacity: true)
        if isEscaped {
            content = JSONEscapes.decoded(shown)
        } else {
            content.append(contentsOf: shown)
        }
        let redacted = redactedContent()
        if redacted == content {
            output.append(contentsOf: shown)
        } else if token.kind == .word, WordKind(text[token.start..<token.end]) != .other {
            // A number that is a secret value.
            output += keepsTypes ? [UInt8(ascii: "0")] : Array("\"\(Redaction.placeholder)\"".utf8)
        } else if isEscaped {
            output += Redaction.placeholder.utf8
        } else {
            output += redacted
        }
        index = token.contentEnd
        copy(upTo: token.end)
    }

    private func redactedContent() -> [UInt8] {
        guard TextRedactor.canFindSecret(in: content) else { return SecretValues.masked(content) }
        var scanner = TextRedactor(content, redaction: redaction)
        return scanner.run()
    }

    /// Replaces the value, which ends before the next comma or closing bracket at its depth.
    private mutating func hideValue() {
        copy(upTo: text.skipWhiteSpace(from: index))
        let start = index
        index = text.endOfValue(from: start, before: text.count) ?? text.count
        guard index > start else { return }
        var end = start
        while end < index, !text[end].isWhitespace { end += 1 }
        let kind = text.skipWhiteSpace(from: end) == index ? WordKind(text[start..<end]) : .other
        switch kind {
        case .literal:
            // `true`, `false` and `null` are not secret.
            output.append(contentsOf: text[start..<end])
        case .number where keepsTypes:
            output.append(UInt8(ascii: "0"))
        case .number, .other:
            output.append(.quote)
            output += Redaction.placeholder.utf8
            output.append(.quote)
        }
    }

    private static func endsValue(_ byte: UInt8) -> Bool {
        byte == .comma || byte == .closeBrace || byte == .closeBracket
    }

    /// What a value without quotes looks like.
    private enum WordKind {
        case literal, number, other

        init(_ word: UnsafeBufferPointer<UInt8>) {
            if let first = word.first, first.isDigit || first == .hyphen, word.allSatisfy(Self.isInNumber) {
                self = .number
            } else {
                self = Self.literals.contains { word.elementsEqual($0) } ? .literal : .other
            }
        }

        static func isInNumber(_ byte: UInt8) -> Bool {
            byte.isDigit || byte == .hyphen || byte == .plus || byte == .dot || byte.lowered == UInt8(ascii: "e")
        }

        private static let literals = ["true", "false", "null"].map { Array($0.utf8) }
    }
}
