import Foundation

/// Cuts the bytes of one value out of a JSON document, so that only they need to be decoded.
///
/// The document is read once, front to back, and refused when it breaks RFC 8259 anywhere, before, inside or behind the
/// value. That is stricter than JSONDecoder, which takes a comma before a closing bracket and never looks at values that
/// nobody asks for; text in UTF-16 or UTF-32 must not be cut inside a character either. Beyond that the two agree: a byte
/// order mark is skipped, nesting ends at 512, of two members with one name the first counts, and names are equal by
/// canonical equivalence.
///
/// Time grows with the document's length, and memory not at all, but for UTF-16 and UTF-32, which are rewritten first.
public struct JSONSlicer: Sendable {
    /// A slicer; it holds nothing.
    public init() {}

    /// The value at a path, without the whitespace around it; it may be a string, number, literal or `null` too.
    ///
    /// The slice shares the document's storage, and its indices, where the document is UTF-8.
    ///
    /// - Parameters:
    ///   - data: A whole document. UTF-8, or what else JSONDecoder reads: UTF-16 and UTF-32, told by their zero bytes.
    ///   - path: The empty path is the document's own value.
    /// - Throws: ``JSONSliceError``. A malformed path comes first, then a malformed document, then a path that leads nowhere.
    public func slice(of data: Data, at path: JSONKeyPath) throws(JSONSliceError) -> Data {
        try locate(path, in: data).data
    }

    /// The slice, and the path with every pointer token resolved to the name or index the document made of it.
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
        do throws(JSONFlaw) {
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
                byteOffset: error.offset, reason: "the text is not what its encoding allows")
            throw JSONSliceError(kind: kind, path: path, byteOffset: error.offset)
        }
    }
}

extension DecodingError {
    /// The same error seen from the document's root: its coding path continues a key path.
    ///
    /// A pointer's token of digits counts as an index; ``JSONSlicer/locate(_:in:)`` hands out paths without tokens.
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

/// A step of a key path in a coding path, spelt as JSONDecoder spells its own.
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
