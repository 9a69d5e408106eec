import Foundation

/// Extracts the bytes of one value from a JSON document, so that only these bytes need to be decoded.
///
/// The document is read once, front to back, and rejected if it violates RFC 8259 anywhere: before, inside or after the
/// value. That is stricter than JSONDecoder, which accepts a comma before a closing bracket and does not validate values
/// that are not decoded. A UTF-16 or UTF-32 document that ends inside a character is rejected too. Otherwise both behave
/// alike: a byte order mark is skipped, nesting is limited to 512 levels, the first of two members with the same name is
/// used, and names are compared by canonical equivalence.
///
/// The time grows with the document's length. Memory use does not, except for UTF-16 and UTF-32 documents, which are
/// converted to UTF-8 first.
public struct JSONSlicer: Sendable {
    /// Creates a slicer, which has no state.
    public init() {}

    /// Returns the bytes of the value at a path, without the whitespace around it.
    ///
    /// The value may be of any type, also a string, a number, `true`, `false` or `null`. If the document is UTF-8, the
    /// slice shares its storage and its indices.
    ///
    /// - Parameters:
    ///   - data: A complete document in UTF-8, or in UTF-16 or UTF-32, which are detected as JSONDecoder does: by a byte
    ///     order mark or by their zero bytes.
    ///   - path: The path of the value. The empty path selects the whole document.
    /// - Throws: ``JSONSliceError``. A malformed path is reported before a malformed document, and a malformed document
    ///   before a path that does not lead to a value.
    public func slice(of data: Data, at path: JSONKeyPath) throws(JSONSliceError) -> Data {
        try locate(path, in: data).data
    }

    /// Returns the slice, and the path with every pointer token resolved to the member name or the index that it matched.
    package func locate(_ path: JSONKeyPath, in data: Data) throws(JSONSliceError) -> (data: Data, path: JSONKeyPath) {
        try path.validated()
        let (encoding, markLength) = data.withUnsafeBytes { JSONTextEncoding.detect($0.bindMemory(to: UInt8.self)) }
        guard case .utf8 = encoding else {
            return try Self.locate(path, inUTF8: try Self.transcoded(data, encoding, markLength, path), from: 0)
        }
        return try Self.locate(path, inUTF8: data, from: markLength)
    }

    private static func locate(
        _ path: JSONKeyPath, inUTF8 data: Data, from offset: Int
    ) throws(JSONSliceError) -> (data: Data, path: JSONKeyPath) {
        let found = data.withUnsafeBytes { bytes in
            Result { () throws(JSONSliceError) in try search(bytes.bindMemory(to: UInt8.self), from: offset, path) }
        }
        let (range, resolved) = try found.get()
        let start = data.startIndex + range.lowerBound
        return (data[start..<start + range.count], resolved)
    }

    private static func search(
        _ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, _ path: JSONKeyPath
    ) throws(JSONSliceError) -> (Range<Int>, JSONKeyPath) {
        guard let start = bytes.baseAddress else { throw JSONSliceError(kind: .emptyDocument, path: path, byteOffset: 0) }
        var scanner = JSONScanner(from: start + offset, to: start + bytes.count)
        let location: JSONLocation
        do throws(JSONSyntaxError) {
            location = try scanner.locate(path.components)
        } catch {
            throw JSONSliceError(error, at: error.offset(from: start), path: path)
        }
        let range = location.start - start..<location.end - start
        let resolved = path.components == location.steps ? path : JSONKeyPath(components: location.steps)
        guard let miss = location.miss else { return (range, resolved) }
        throw JSONSliceError(miss, after: resolved, at: range.lowerBound, path: path)
    }

    private static func transcoded(
        _ data: Data, _ encoding: JSONTextEncoding, _ markLength: Int, _ path: JSONKeyPath
    ) throws(JSONSliceError) -> Data {
        let text = data.withUnsafeBytes { bytes in
            Result { () throws(JSONTextEncoding.Malformed) in
                Data(try encoding.transcoded(bytes.bindMemory(to: UInt8.self), from: markLength))
            }
        }
        do throws(JSONTextEncoding.Malformed) {
            return try text.get()
        } catch {
            let kind = JSONSliceError.Kind.malformedDocument(
                byteOffset: error.offset, reason: "the text is invalid in its encoding")
            throw JSONSliceError(kind: kind, path: path, byteOffset: error.offset)
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
