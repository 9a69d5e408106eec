import Foundation

/// An error that ``JSONSlicer`` throws when it cannot return the value at a path.
///
/// No description contains a value of the document, which could be a secret. Member names are shown: at most five, each
/// truncated to 40 Unicode scalars, with control characters escaped.
public struct JSONSliceError: Error, Equatable, Sendable {
    /// The kinds of failure, for callers to branch on.
    ///
    /// A document that is malformed anywhere is reported as `malformedDocument`, even if the path does not lead to a value.
    public enum Kind: Equatable, Sendable {
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

    /// The types of a JSON value (RFC 8259 §3).
    public enum ValueType: String, Sendable {
        /// A type as the RFC names it; `bool` is `true` or `false`.
        case object, array, string, number, bool, null
    }

    /// The kind of failure, with its details.
    public let kind: Kind

    /// The path that the caller passed.
    public let path: JSONKeyPath

    /// The byte offset in the document at which the failure was detected.
    ///
    /// For a path that does not lead to a value, the start of the object, array or scalar at which the search ended. `nil`
    /// if the path itself is malformed.
    public let byteOffset: Int?

    init(kind: Kind, path: JSONKeyPath, byteOffset: Int? = nil) {
        self.kind = kind
        self.path = path
        self.byteOffset = byteOffset
    }
}

extension JSONSliceError: CustomStringConvertible, LocalizedError {
    /// The text of ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// A description of the path, the cause and the byte offset, on one line.
    public var description: String {
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
        "\"" + bounded(path.text, to: 200) + "\""
    }

    private static func quoted(_ name: String) -> String {
        "\"" + bounded(name, to: 41) + "\""
    }

    /// Returns the text truncated to `limit` scalars, with control characters and line separators escaped.
    static func bounded(_ text: String, to limit: Int) -> String {
        var bounded = String.UnicodeScalarView()
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return String(bounded) + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                bounded.append(contentsOf: scalar.escaped(asASCII: true).unicodeScalars)
            default:
                bounded.append(scalar)
            }
        }
        return String(bounded)
    }
}

extension JSONSliceError {
    init(_ error: JSONSyntaxError, at offset: Int, path: JSONKeyPath) {
        let kind: Kind =
            switch error.reason {
            case .empty: .emptyDocument
            case .tooDeep: .depthExceeded(limit: JSONContainerStack.limit)
            default: .malformedDocument(byteOffset: offset, reason: error.reason.text)
            }
        self.init(kind: kind, path: path, byteOffset: offset)
    }

    /// - Parameter parent: The part of the path that exists in the document.
    init(_ miss: JSONLocation.Miss, after parent: JSONKeyPath, at offset: Int, path: JSONKeyPath) {
        let kind: Kind
        switch miss {
        case .name(let name, let available):
            kind = .pathNotFound(missing: name, parent: parent, availableKeys: available)
        case .index(let index, let count):
            kind = .indexOutOfRange(index: index, count: count, parent: parent)
        case .type(let expected, let found):
            kind = .typeMismatch(expected: expected, found: found, at: parent)
        case .leadingZero:
            let before = JSONKeyPath.pointer(to: path.components.prefix(parent.components.count))
            // The offset after the slash that precedes the token.
            kind = .malformedPath(offset: before.utf8.count + 1, reason: "an array index has no leading zeros")
        }
        self.init(kind: kind, path: path, byteOffset: offset)
    }
}
