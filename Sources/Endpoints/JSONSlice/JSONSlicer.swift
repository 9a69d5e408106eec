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
        switch data.withUnsafeBytes({ Self.search($0.bindMemory(to: UInt8.self), path) }) {
        case .found(let range, let steps):
            let start = data.startIndex + range.lowerBound
            return (data[start..<start + range.count], steps)
        case .transcoded(let utf8):
            return try locate(path, in: utf8)
        case .failed(let error):
            throw error
        }
    }

    private enum Outcome {
        case found(Range<Int>, JSONKeyPath)
        case transcoded(Data)
        case failed(JSONSliceError)
    }

    private static func search(_ bytes: UnsafeBufferPointer<UInt8>, _ path: JSONKeyPath) -> Outcome {
        let (encoding, markLength) = JSONTextEncoding.detect(bytes)
        guard case .utf8 = encoding else {
            do throws(JSONTextEncoding.Malformed) {
                return .transcoded(Data(try encoding.transcoded(bytes, from: markLength)))
            } catch {
                let reason = "the text is not what its encoding allows"
                let kind = JSONSliceError.Kind.malformedDocument(byteOffset: error.offset, reason: reason)
                return .failed(JSONSliceError(kind: kind, path: path, byteOffset: error.offset))
            }
        }
        guard let start = bytes.baseAddress else { return .failed(JSONSliceError(kind: .emptyDocument, path: path)) }
        var scanner = JSONScanner(from: start + markLength, to: start + bytes.count)
        do throws(JSONFlaw) {
            let location = try scanner.locate(path.components)
            let steps = JSONKeyPath(components: location.steps)
            guard let miss = location.miss else { return .found(location.start - start..<location.end - start, steps) }
            return .failed(JSONSliceError(miss, after: steps, at: location.start - start, path: path))
        } catch {
            return .failed(JSONSliceError(error, at: error.offset(from: start), path: path))
        }
    }
}
