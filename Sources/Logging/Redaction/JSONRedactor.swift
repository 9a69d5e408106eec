import NetworkJSON
import NetworkSupport

/// Copies JSON and redacts the values of secret keys, without recursion, so that any depth of nesting is supported.
///
/// It reads ``JSONTokens`` and no grammar: a string or word is a key if a colon follows it (or, in malformed input, anything but a comma or a
/// closing bracket). Therefore, truncated and malformed documents are redacted up to their end. A scan stops at the first error, and the
/// secrets after it would be found by their names only where these are not escaped: `{"a":01,"pass\u0077ord":"abc"}`. What a scan has
/// accepted before an error is not reliable either: `{"password":"abc"def"}` has the value `abc"def`.
struct JSONRedactor {
    private let text: JSONTokens
    private let isCut: Bool
    private let redaction: Redaction
    private let limit: Int
    private let keepsTypes: Bool
    private var output: [UInt8] = []
    private var index = 0
    private var isMalformed = false
    /// The starts of the enclosing objects and arrays.
    private var enclosing: [Int] = []
    /// The number of enclosing objects and arrays outside of a secret value that is one itself.
    private var hidingDepth: Int?
    /// What the members of each object say about other members; made when it is needed.
    private var objects: JSONObjects?
    /// Whether a previous element of the array is `curl`, and whether the last one is an option whose argument is secret.
    private var isCurl = false
    private var argumentIsSecret = false
    private var meanings = KeyMeanings()
    /// The content of the current token, decoded. A property so that its memory is used again.
    private var content: [UInt8] = []

    /// Redacts a document. Of a secret value that is an object or an array, the strings and numbers are replaced, so that it keeps its structure.
    ///
    /// - Parameters:
    ///   - limit: The number of bytes of output after which the redactor stops. The output can be slightly longer.
    ///   - keepsTypes: Whether a secret number becomes 0, so that the redacted document can be decoded into the same types; otherwise it is
    ///     replaced by the placeholder. `true`, `false` and `null` are always kept.
    /// - Returns: The redacted document, and the number of bytes that were read.
    static func redacted(_ text: TextStart, redaction: Redaction, limit: Int, keepsTypes: Bool) -> (output: [UInt8], read: Int) {
        text.bytes.withUnsafeBufferPointer { bytes in
            var redactor = JSONRedactor(
                JSONTokens(bytes), isCut: text.isCut, redaction: redaction, limit: limit, keepsTypes: keepsTypes)
            redactor.run()
            guard redactor.isMalformed else { return (redactor.output, redactor.index) }
            let output = TextStart(redactor.output, isCut: text.isCut || redactor.index < bytes.count)
            var scanner = TextRedactor(output, redaction: redaction)
            return (scanner.run(), redactor.index)
        }
    }

    private init(_ text: JSONTokens, isCut: Bool, redaction: Redaction, limit: Int, keepsTypes: Bool) {
        self.text = text
        self.isCut = isCut
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
        if hidingDepth != nil {
            if isValue || text[next] != .colon { hide(token) } else { copyContent(of: token) }
            return
        }
        if isValue {
            if token.kind == .string, isSecretArgument(token) { return hide(token) }
            return copyContent(of: token)
        }
        let value = text[next] == .colon || text[next] == .equals ? next + 1 : next
        if isSecret(meanings.meaning(of: token, in: text, redaction), valueAt: value) {
            copy(upTo: text.skipWhiteSpace(from: value))
            if text[index] == .openBrace || text[index] == .openBracket { hidingDepth = enclosing.count } else { hideValue() }
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
        // A secret value ends before the next comma or closing bracket at its depth.
        if let hidingDepth, enclosing.count <= hidingDepth, Self.endsValue(byte) { self.hidingDepth = nil }
        switch byte {
        case .openBrace, .openBracket: enclosing.append(index)
        case .closeBrace, .closeBracket: _ = enclosing.popLast()
        default: return
        }
        (isCurl, argumentIsSecret) = (false, false)
    }

    // MARK: Keys

    /// Returns whether the value of a key is secret.
    private mutating func isSecret(_ meaning: KeyMeaning, valueAt start: Int) -> Bool {
        if meaning.contains(.isSecret) { return true }
        guard !meaning.isDisjoint(with: [.isContextual, .isNamedByAnother]) else { return false }
        if objects == nil { objects = JSONObjects(text, isCut: isCut, redaction) }
        let isString = text.string(from: start) != nil
        return objects?.isSecret(meaning, isString: isString, ofObjectAt: enclosing.last ?? -1) ?? false
    }

    /// Returns whether an element of an array is the argument of an option whose argument is secret, as in `["curl", "-u", "user:password"]`.
    private mutating func isSecretArgument(_ token: JSONToken) -> Bool {
        guard token.contentEnd - token.contentStart <= 64 else {
            defer { argumentIsSecret = false }
            return argumentIsSecret
        }
        let content = Array(text[token.contentStart..<token.contentEnd])
        if content == Array("curl".utf8) || content.suffix(5).elementsEqual("/curl".utf8) { isCurl = true }
        let isOption = content.first == .hyphen
        let isSecret = argumentIsSecret && !isOption
        argumentIsSecret = isOption && SecretScanner.takesSecretArgument(content, isCurl: isCurl, redaction)
        return isSecret
    }

    // MARK: Values

    /// Copies a token that does not name a secret, and redacts secrets in its text.
    private mutating func copyContent(of token: JSONToken) {
        copy(upTo: token.contentStart)
        // Content beyond the limit is never shown, but some of it is needed to find the end of a secret.
        let window = max(0, limit - output.count) + 4096
        let shown = text[token.contentStart..<min(token.contentEnd, token.contentStart + window)]
        let isCut = shown.count < token.contentEnd - token.contentStart
        let isEscaped = shown.contains(.backslash)
        content.removeAll(keepingCapacity: true)
        if isEscaped {
            content = JSONEscapes.decoded(shown)
        } else {
            content.append(contentsOf: shown)
        }
        let redacted = redactedContent(isCut: isCut)
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

    private func redactedContent(isCut: Bool) -> [UInt8] {
        guard TextRedactor.canFindSecret(in: content) else { return SecretValues.masked(content, isCut: isCut) }
        var scanner = TextRedactor(TextStart(content, isCut: isCut), redaction: redaction)
        return scanner.run()
    }

    /// Replaces a token of a secret object or array.
    private mutating func hide(_ token: JSONToken) {
        appendReplacement(of: token.start..<token.end)
        index = token.end
    }

    /// Replaces the value, which ends before the next comma or closing bracket at its depth.
    private mutating func hideValue() {
        let start = index
        index = text.endOfValue(from: start, before: text.count) ?? text.count
        guard index > start else { return }
        var end = start
        while end < index, !text[end].isWhitespace { end += 1 }
        appendReplacement(of: start..<(text.skipWhiteSpace(from: end) == index ? end : index))
    }

    private mutating func appendReplacement(of range: Range<Int>) {
        let kind = range.count <= 64 ? WordKind(text[range]) : .other
        switch kind {
        case .literal:
            // `true`, `false` and `null` are not secret.
            output.append(contentsOf: text[range])
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
