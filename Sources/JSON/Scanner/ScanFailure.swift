/// The reason why a text is not JSON, and the byte at which it was found.
///
/// Creating one does not allocate. A caller receives a `DecodingError` with a ``JSONErrorDetails``.
package struct ScanFailure: Error, Equatable {
    /// What is wrong there.
    package var reason: Reason
    /// Byte offset in the scanned text.
    package var offset: Int

    /// Creates a failure at a byte of the text.
    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The kinds of violations of RFC 8259, and the limits.
    package enum Reason: UInt8, Sendable {
        case unexpectedEnd
        case unexpectedCharacter
        case unexpectedCharacterInArray
        case unexpectedCharacterInObject
        case unexpectedCharacterInNumber
        case unexpectedCharacterInLiteral
        case afterTopLevelValue
        case trailingComma
        case leadingZero
        case controlCharacter
        case invalidEscape
        case invalidHexDigit
        case loneSurrogate
        case invalidUTF8
        case tooDeep
        case tooManyValues
        case unsupportedEncoding

        /// Whether the reason may be that an escape or a character continues in the next piece of the text.
        package var mayBeCut: Bool {
            switch self {
            case .invalidEscape, .invalidHexDigit, .loneSurrogate, .invalidUTF8: true
            default: false
            }
        }
    }
}

extension ScanFailure.Reason {
    var text: String {
        switch self {
        case .unexpectedEnd: "Unexpected end"
        case .unexpectedCharacter: "Unexpected character"
        case .unexpectedCharacterInArray: "Expected ',' or ']'"
        case .unexpectedCharacterInObject: "Expected a key, ':', ',' or '}'"
        case .unexpectedCharacterInNumber: "Invalid number"
        case .unexpectedCharacterInLiteral: "Expected true, false or null"
        case .afterTopLevelValue: "More text after the document's value"
        case .trailingComma: "Comma without a value after it"
        case .leadingZero: "Number with a leading zero"
        case .controlCharacter: "Unescaped control character in a string"
        case .invalidEscape: "Invalid escape"
        case .invalidHexDigit: "Invalid hexadecimal digit in an escape"
        case .loneSurrogate: "Surrogate without its pair"
        case .invalidUTF8: "Invalid UTF-8"
        case .tooDeep: "Too many nested arrays or objects"
        case .tooManyValues: "Too many values"
        case .unsupportedEncoding: "Text is not in the encoding it seems to be in"
        }
    }
}
