import Foundation

/// Why no slice was cut.
///
/// No description holds a value of the document, which could be a secret. Names of members are shown: at most five, each
/// cut after 40 scalars, with control characters escaped.
public struct JSONSliceError: Error, Equatable, Sendable {
    /// What a caller branches on. A document that is malformed anywhere is `malformedDocument`, also where the path does
    /// not lead to a value.
    public enum Kind: Equatable, Sendable {
        /// The path's text breaks its syntax at that UTF-8 byte; or a pointer has an index with leading zeros where the
        /// document holds an array (RFC 6901 §4).
        case malformedPath(offset: Int, reason: String)
        /// The document holds nothing but whitespace.
        case emptyDocument
        /// The document breaks RFC 8259 at that byte. In UTF-16 and UTF-32 documents the offset counts bytes of the same
        /// text in UTF-8, unless the encoding itself is what is broken.
        case malformedDocument(byteOffset: Int, reason: String)
        /// Arrays and objects are nested deeper than the limit.
        case depthExceeded(limit: Int)
        /// The object at `parent` has no such member.
        case pathNotFound(missing: String, parent: JSONKeyPath, availableKeys: [String])
        /// The array at `parent` has only `count` elements.
        case indexOutOfRange(index: Int, count: Int, parent: JSONKeyPath)
        /// The path enters an object or array where the document holds something else.
        case typeMismatch(expected: ValueType, found: ValueType, at: JSONKeyPath)
    }

    /// The types of a JSON value (RFC 8259 §3).
    public enum ValueType: String, Sendable {
        /// As the RFC names them; `bool` is `true` or `false`.
        case object, array, string, number, bool, null
    }

    /// What went wrong.
    public let kind: Kind

    /// The path that was looked for.
    public let path: JSONKeyPath

    /// Where in the document the failure was noticed: for a path that leads nowhere, the object, array or scalar that
    /// ended it. `nil` when the path alone is at fault.
    public let byteOffset: Int?

    init(kind: Kind, path: JSONKeyPath, byteOffset: Int? = nil) {
        self.kind = kind
        self.path = path
        self.byteOffset = byteOffset
    }
}

extension JSONSliceError: CustomStringConvertible, LocalizedError {
    /// The ``description``.
    public var errorDescription: String? { description }
    /// Path, cause and byte offset on one line.
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

    /// A text of at most `limit` scalars that stays on its line.
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
    init(_ flaw: JSONFlaw, at offset: Int, path: JSONKeyPath) {
        let kind: Kind =
            switch flaw.reason {
            case .empty: .emptyDocument
            case .tooDeep: .depthExceeded(limit: JSONContainerStack.limit)
            default: .malformedDocument(byteOffset: offset, reason: flaw.reason.text)
            }
        self.init(kind: kind, path: path, byteOffset: offset)
    }

    /// - Parameter parent: The steps that could be taken.
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
            // Behind the slash that leads the token.
            kind = .malformedPath(offset: before.utf8.count + 1, reason: "an array index has no leading zeros")
        }
        self.init(kind: kind, path: path, byteOffset: offset)
    }
}
