import Foundation
import NetworkLogging
import NetworkSupport

/// Extracts the bytes of one value from a JSON document, so that only these bytes need to be decoded.
///
/// The document is read once, front to back, and rejected if it violates RFC 8259 anywhere: before, inside or after the
/// value. A UTF-16 or UTF-32 document that ends inside a character is rejected too. A byte order mark is skipped, nesting is
/// limited to 512 levels, the first of two members with the same name is used, and names are compared by canonical
/// equivalence.
package struct JSONSlicer: Sendable {
    /// Creates a slicer, which has no state.
    package init() {}

    /// Returns the bytes of the value at a path, without the whitespace around it.
    ///
    /// The value may be of any type, also a string, a number, `true`, `false` or `null`. If the document is UTF-8, the
    /// slice shares its storage and its indices.
    ///
    /// - Parameters:
    ///   - data: A complete document in UTF-8, or in UTF-16 or UTF-32, which are detected by a byte order mark or by their
    ///     zero bytes.
    ///   - path: The path of the value. The empty path selects the whole document.
    /// - Throws: ``JSONSliceError``. A malformed path is reported before a malformed document, and a malformed document
    ///   before a path that does not lead to a value.
    package func slice(of data: Data, at path: JSONKeyPath) throws(JSONSliceError) -> Data {
        try locate(path, in: data).data
    }

    /// Returns the slice, and the path with every pointer token resolved to the member name or the index that it matched.
    package func locate(_ path: JSONKeyPath, in data: Data) throws(JSONSliceError) -> (data: Data, path: JSONKeyPath) {
        try path.validated()
        do throws(JSONPathFailure) {
            return try path.located(in: data)
        } catch {
            throw JSONSliceError(error, path: path)
        }
    }
}

extension DecodingError {
    /// Returns the same error with `path` prepended to its coding path, so that it starts at the document's root.
    ///
    /// A pointer token of digits becomes an index. Paths from ``JSONSlicer/locate(_:in:)`` contain no tokens.
    package func prefixed(by path: JSONKeyPath) -> DecodingError {
        replacing(path: path.components.map(JSONPathKey.init) + (context?.codingPath ?? []))
    }
}

/// A step of a key path as a coding key, spelled as JSONDecoder spells its own keys.
private struct JSONPathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ component: JSONKeyPath.Component) {
        switch component {
        case .key(let name): self.init(stringValue: name)
        case .index(let index): self.init(intValue: index)
        case .token(let token):
            if let index = JSONKeyPath.index(ofDigits: token.utf8) {
                self.init(intValue: index)
            } else {
                self.init(stringValue: token)
            }
        }
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}

/// An error that ``JSONSlicer`` throws when it cannot return the value at a path.
///
/// No description contains a value of the document, which could be a secret. Member names are shown: at most five, each
/// truncated to 40 Unicode scalars, with control characters escaped.
package struct JSONSliceError: Error, Equatable, Sendable {
    /// The kinds of failure, for callers to branch on.
    ///
    /// A document that is malformed anywhere is reported as `malformedDocument`, even if the path does not lead to a value.
    package enum Kind: Equatable, Sendable {
        /// The path's text is malformed at that UTF-8 byte, or a pointer has an index with leading zeros where the
        /// document contains an array (RFC 6901 §4).
        case malformedPath(offset: Int, reason: String)
        /// The document is empty or contains only whitespace.
        case emptyDocument
        /// The document violates RFC 8259 at that byte. In UTF-16 and UTF-32 documents the offset counts the bytes of the
        /// same text in UTF-8, unless the encoding itself is invalid.
        case malformedDocument(byteOffset: Int, reason: String)
        /// Arrays and objects are nested more than `limit` levels deep.
        case depthExceeded(limit: Int)
        /// The object at `parent` has no member named `missing`; `availableKeys` are at most five of its names.
        case pathNotFound(missing: String, parent: JSONKeyPath, availableKeys: [String])
        /// The array at `parent` has only `count` elements.
        case indexOutOfRange(index: Int, count: Int, parent: JSONKeyPath)
        /// The path requires an object or an array where the document contains a value of another type.
        case typeMismatch(expected: ValueType, found: ValueType, at: JSONKeyPath)
    }

    /// The types of a JSON value.
    package typealias ValueType = JSONValueType

    /// The kind of failure, with its details.
    package let kind: Kind

    /// The path that the caller passed.
    package let path: JSONKeyPath

    /// The byte offset in the document at which the failure was detected.
    ///
    /// For a path that does not lead to a value, the start of the object, array or scalar at which the search ended. `nil`
    /// if the path itself is malformed.
    package let byteOffset: Int?

    init(kind: Kind, path: JSONKeyPath, byteOffset: Int? = nil) {
        self.kind = kind
        self.path = path
        self.byteOffset = byteOffset
    }
}

extension JSONSliceError: RedactedStringConvertible, LocalizedError {
    /// A description of the path, the cause and the byte offset, on one line.
    package var description: String {
        let place = byteOffset.map { " at byte \($0)" } ?? ""
        return "no JSON value at \(Self.quoted(path)): \(cause)\(place)"
    }

    private var cause: String {
        switch kind {
        case .malformedPath(let offset, let reason):
            "the path is malformed at its byte \(offset), \(reason)"
        case .emptyDocument:
            "the document is empty"
        case .malformedDocument(_, let reason):
            "the document is malformed, \(reason)"
        case .depthExceeded(let limit):
            "the document is nested deeper than \(limit)"
        case .pathNotFound(let missing, let parent, let keys):
            "\(Self.place(parent)) has no \(Self.quoted(missing)), "
                + (keys.isEmpty ? "and no members" : "its first members are \(keys.map(Self.quoted).joined(separator: ", "))")
        case .indexOutOfRange(let index, let count, let parent):
            "index \(index) is outside the \(count) elements of \(Self.place(parent))"
        case .typeMismatch(let expected, let found, let path):
            "expected \(expected.rawValue) but found \(found.rawValue) in \(Self.place(path))"
        }
    }

    private static func place(_ path: JSONKeyPath) -> String {
        path.components.isEmpty ? "the document" : quoted(path)
    }

    private static func quoted(_ path: JSONKeyPath) -> String {
        "\"" + path.text.printable(limit: 200) + "\""
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.printable(limit: 41) + "\""
    }
}

extension JSONSliceError {
    init(_ failure: JSONPathFailure, path: JSONKeyPath) {
        let parent = path.components == failure.steps ? path : JSONKeyPath(components: failure.steps)
        let kind: Kind =
            switch failure.kind {
            case .emptyDocument: .emptyDocument
            case .notJSON(.tooDeep): .depthExceeded(limit: NestingLimit.maximumDepth)
            case .notJSON(let reason): .malformedDocument(byteOffset: failure.byteOffset, reason: reason.clause)
            case .noMember(let name, let available):
                .pathNotFound(
                    missing: name, parent: parent, availableKeys: available.map { VisibleText.escaped($0, limit: 40) })
            case .noElement(let index, let count): .indexOutOfRange(index: index, count: count, parent: parent)
            case .mismatch(let expected, let found): .typeMismatch(expected: expected, found: found, at: parent)
            case .leadingZero:
                // The offset after the slash that precedes the token.
                .malformedPath(
                    offset: JSONKeyPath.pointer(to: path.components.prefix(failure.steps.count)).utf8.count + 1,
                    reason: "an array index has no leading zeros")
            }
        self.init(kind: kind, path: path, byteOffset: failure.byteOffset)
    }
}

extension JSONKeyPath {
    /// Returns the path itself if it is well-formed.
    ///
    /// - Throws: ``JSONSliceError`` of kind `malformedPath`, with the UTF-8 offset into the path's text.
    @discardableResult
    package func validated() throws(JSONSliceError) -> JSONKeyPath {
        guard let syntaxError else { return self }
        throw JSONSliceError(kind: .malformedPath(offset: syntaxError.offset, reason: syntaxError.reason), path: self)
    }
}

extension ScanFailure.Reason {
    /// The reason as a clause of a sentence about the text.
    var clause: String {
        switch self {
        case .unexpectedEnd: "it ends too early"
        case .afterTopLevelValue: "there is text after the value"
        case .tooDeep: "it is nested too deeply"
        case .tooManyValues: "it has too many values"
        case .unexpectedCharacter, .unexpectedCharacterInLiteral: "a value is expected"
        case .unexpectedCharacterInArray: "a comma or closing bracket is expected"
        case .unexpectedCharacterInObject: "a member name in quotes, a colon, a comma or a closing brace is expected"
        case .trailingComma: "a comma has no value after it"
        case .unexpectedCharacterInNumber: "a digit is expected"
        case .leadingZero: "a number has a leading zero"
        case .controlCharacter: "a control character in a string is not escaped"
        case .invalidEscape, .invalidHexDigit: "an escape sequence is unknown"
        case .loneSurrogate: "a surrogate escape is not paired"
        case .invalidUTF8: "a string is not UTF-8"
        case .unsupportedEncoding: "the text is invalid in its encoding"
        }
    }
}
