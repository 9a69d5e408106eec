import Foundation

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
        func rooted(_ context: Context) -> Context {
            Context(
                codingPath: path.components.map(JSONPathKey.init) + context.codingPath,
                debugDescription: context.debugDescription,
                underlyingError: context.underlyingError
            )
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, rooted(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, rooted(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, rooted(context))
        case .dataCorrupted(let context): .dataCorrupted(rooted(context))
        @unknown default: self
        }
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
