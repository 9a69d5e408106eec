/// A scanner of the value of a header field: tokens, quoted strings and lists (RFC 9110 §5.6).
///
/// It returns slices of the field; only quoted strings are copied. A scanner can be copied, to continue from the same place if what follows is
/// not what was expected.
package struct FieldScanner: Sendable {
    /// The text that has not been read yet.
    package private(set) var rest: Substring.UTF8View

    /// Creates a scanner at the beginning of a text.
    package init(_ text: Substring) {
        rest = text.utf8
    }

    /// Whether all of the text has been read.
    package var isAtEnd: Bool { rest.isEmpty }
    /// The next byte; `nil` at the end.
    package var next: UInt8? { rest.first }

    /// Reads a character, which must be ASCII.
    ///
    /// - Returns: Whether it was the next one. If not, nothing is read.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads the bytes that meet a condition, and returns them.
    @discardableResult
    package mutating func take(while condition: (UInt8) -> Bool) -> Substring {
        let text = rest.prefix(while: condition)
        rest = rest[text.endIndex...]
        return Substring(text)
    }

    /// Reads the text up to a character, and the character itself.
    ///
    /// - Returns: The text before the character; `nil` if there is no such character, and nothing is read.
    package mutating func take(until character: Unicode.Scalar) -> Substring? {
        guard let end = rest.firstIndex(of: UInt8(ascii: character)) else { return nil }
        defer { rest = rest[end...].dropFirst() }
        return Substring(rest[..<end])
    }

    /// Reads optional white space (RFC 9110 §5.6.3).
    package mutating func takeSpace() {
        take(while: \.isSpaceOrTab)
    }

    /// Reads a quoted string, and returns its text without quotes and escapes (RFC 9110 §5.6.4).
    ///
    /// - Parameter endIsOptional: Whether the end of the field also ends the string. Default: `false`.
    /// - Returns: `nil` if there is no complete quoted string, and nothing is read.
    package mutating func takeQuotedString(endIsOptional: Bool = false) -> String? {
        guard next == UInt8(ascii: "\"") else { return nil }
        let content = rest.dropFirst()
        var end = content.startIndex
        var (isEscaped, hasEscapes) = (false, false)
        while end < content.endIndex, isEscaped || content[end] != UInt8(ascii: "\"") {
            isEscaped = !isEscaped && content[end] == UInt8(ascii: "\\")
            hasEscapes = hasEscapes || isEscaped
            content.formIndex(after: &end)
        }
        guard end < content.endIndex || endIsOptional else { return nil }
        rest = content[end...].dropFirst()
        guard hasEscapes else { return String(Substring(content[..<end])) }
        isEscaped = false
        let bytes = content[..<end].filter { byte in
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            return !isEscaped
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the text up to the next separator outside of quoted strings, and the separator itself.
    ///
    /// - Returns: The text before the separator, trimmed; `nil` at the end of the field.
    package mutating func takePart(endingAt separator: Unicode.Scalar) -> Substring? {
        guard !isAtEnd else { return nil }
        var (isQuoted, isEscaped) = (false, false)
        let part = rest.prefix { byte in
            if byte == UInt8(ascii: separator), !isQuoted { return false }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            return true
        }
        rest = rest[part.endIndex...].dropFirst()
        return Substring(part.trimmed)
    }

    /// Returns the text between this place and that of a copy that has read further.
    package func text(upTo later: FieldScanner) -> Substring {
        Substring(rest[..<later.rest.startIndex])
    }
}

/// A value and its parameters, as in `Content-Type` and `Content-Disposition`: `value *( ";" name "=" value )` (RFC 9110 §5.6.6).
package struct FieldParameters: Sendable {
    /// The text before the first semicolon, in lower case.
    package let value: String
    /// The parameters in order: names in lower case, and values as they are written, which are `nil` without an equals sign.
    package let parameters: [(name: String, value: Substring?)]

    /// Parses a field. It never fails: text that is not a parameter becomes one without a value.
    package init(_ text: Substring) {
        var scanner = FieldScanner(text)
        value = (scanner.takePart(endingAt: ";") ?? "").asciiLowercased
        var parameters: [(name: String, value: Substring?)] = []
        while let part = scanner.takePart(endingAt: ";") {
            var parameter = FieldScanner(part)
            let name = parameter.take(while: { $0 != UInt8(ascii: "=") }).trimmed.asciiLowercased
            parameters.append((name, parameter.take("=") ? Substring(parameter.rest).trimmed : nil))
        }
        self.parameters = parameters
    }

    /// Returns a parameter's value without quotes and escapes; a missing closing quote is ignored.
    package static func unquoted(_ value: Substring) -> String {
        var scanner = FieldScanner(value)
        return scanner.takeQuotedString(endIsOptional: true) ?? String(value)
    }
}
