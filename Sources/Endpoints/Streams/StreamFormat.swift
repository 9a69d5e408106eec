import Foundation

/// A format that determines how a response's body is parsed into a stream of values.
///
/// ```swift
/// let movies = try await service.stream(endpoint, as: .elements(of: Movie.self, at: "data.items"))
/// ```
///
/// Values are decoded one at a time, by the task that reads the stream, when it reads them. A custom ``StreamParser`` can be used as a
/// format too.
public struct StreamFormat<Element: Sendable>: Sendable {
    private let make: @Sendable () -> any StreamParser<Element>

    /// Creates a format from a custom parser.
    ///
    /// - Parameter parser: Creates a parser. It is called once for each stream.
    public init(parser: @escaping @Sendable () -> any StreamParser<Element>) {
        make = parser
    }

    /// Creates a parser for one stream.
    public func makeParser() -> any StreamParser<Element> { make() }
}

extension StreamFormat where Element == Data {
    /// The bytes as they are received, in non-empty chunks of any size.
    public static var chunks: StreamFormat { StreamFormat { ChunkParser() } }
}

extension StreamFormat where Element == String {
    /// Lines of text of at most 1 MiB each, ended by LF or CRLF; see ``LineParser``.
    public static var lines: StreamFormat { .lines() }

    /// Lines of text, ended by LF or CRLF; see ``LineParser``.
    ///
    /// - Parameter maximumLineBytes: The maximum length of a line in bytes. A longer line ends the stream with an error. Default: 1 MiB.
    public static func lines(maximumLineBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { LineParser(maximumLineBytes: maximumLineBytes) }
    }
}

extension StreamFormat where Element == ServerSentEvent {
    /// Server-sent events of at most 1 MiB each; see ``ServerSentEventParser``.
    public static var serverSentEvents: StreamFormat { .serverSentEvents() }

    /// Server-sent events; see ``ServerSentEventParser``.
    ///
    /// - Parameter maximumEventBytes: The maximum length of an event in bytes. A longer event ends the stream with an error. Default: 1 MiB.
    public static func serverSentEvents(maximumEventBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { ServerSentEventParser(maximumEventBytes: maximumEventBytes) }
    }
}

extension StreamFormat where Element: Decodable {
    /// A JSON text on each line (NDJSON, JSON Lines); see ``NDJSONParser``.
    ///
    /// - Parameters:
    ///   - type: The type that each line is decoded as.
    ///   - decoder: The decoder for the elements. It must not be changed while it is in use. Default: one with Foundation's settings.
    ///   - onFailure: How the stream continues after a line that cannot be decoded or is not JSON. Default: it ends with the error.
    ///   - maximumLineBytes: The maximum length of a line in bytes. A longer line ends the stream with an error. Default: 1 MiB.
    public static func ndjson(
        _ type: Element.Type = Element.self, decoder: JSONDecoder = JSONDecoder(), onFailure: ElementFailureRule = .stop,
        maximumLineBytes: Int = 1 << 20
    ) -> StreamFormat {
        StreamFormat {
            DecodingStreamParser(NDJSONParser(maximumLineBytes: maximumLineBytes), onFailure: onFailure) {
                (record, index, _) throws(StreamParsingError) in
                try decoder.decode(Element.self, from: record, index: index) { [] }
            }
        }
    }

    /// A JSON text sequence, `application/json-seq` (RFC 7464); see ``JSONSequenceParser``.
    ///
    /// - Parameters:
    ///   - type: The type that each text is decoded as.
    ///   - decoder: The decoder for the elements. It must not be changed while it is in use. Default: one with Foundation's settings.
    ///   - onFailure: How the stream continues after a text that cannot be decoded, is truncated or is not JSON. Default: it ends with
    ///     the error.
    ///   - maximumElementBytes: The maximum length of a text in bytes. A longer text ends the stream with an error. Default: 16 MiB.
    public static func jsonSequence(
        _ type: Element.Type = Element.self, decoder: JSONDecoder = JSONDecoder(), onFailure: ElementFailureRule = .stop,
        maximumElementBytes: Int = 16 << 20
    ) -> StreamFormat {
        StreamFormat {
            DecodingStreamParser(JSONSequenceParser(maximumElementBytes: maximumElementBytes), onFailure: onFailure) {
                (text, index, _) throws(StreamParsingError) in
                switch text.error {
                case .truncated: throw StreamParsingError(.truncatedText, index: index, record: text.data)
                case .malformed(let reason):
                    throw StreamParsingError(.malformedText(reason: reason), index: index, record: text.data)
                case nil: try decoder.decode(Element.self, from: text.data, index: index) { [] }
                }
            }
        }
    }

    /// The elements of an array in a JSON document, decoded while the document is received; see ``JSONElementParser``.
    ///
    /// - Parameters:
    ///   - type: The type that each element is decoded as.
    ///   - path: The path of the array: `data.items`, or the RFC 6901 pointer `/data/items`. Default: the document itself.
    ///   - decoder: The decoder for the elements. It must not be changed while it is in use. Default: one with Foundation's settings.
    ///   - onFailure: How the stream continues after an element that cannot be decoded. Default: it ends with the error. A malformed
    ///     document always ends it.
    ///   - maximumElementBytes: The maximum length of an element in bytes. A longer element ends the stream with an error. Default: 16 MiB.
    public static func elements(
        of type: Element.Type = Element.self, at path: JSONKeyPath = "", decoder: JSONDecoder = JSONDecoder(),
        onFailure: ElementFailureRule = .stop, maximumElementBytes: Int = 16 << 20
    ) -> StreamFormat {
        StreamFormat {
            DecodingStreamParser(
                JSONElementParser(at: path, maximumElementBytes: maximumElementBytes), onFailure: onFailure
            ) { (record, index, parser) throws(StreamParsingError) in
                try decoder.decode(Element.self, from: record, index: index) { parser.steps }
            }
        }
    }
}

/// A rule that determines how a stream continues after an element that cannot be decoded as the requested type.
///
/// It applies to single elements only. A malformed stream and an exceeded limit always end the stream.
public struct ElementFailureRule: Sendable {
    /// Receives the index of the element and the error; `nil` ends the stream.
    let report: (@Sendable (Int, StreamParsingError) -> Void)?

    /// Ends the stream with the error.
    public static let stop = ElementFailureRule(report: nil)

    /// Skips the element without reporting it.
    public static let skip = ElementFailureRule { _, _ in }

    /// Skips the element and reports the error.
    ///
    /// - Parameter report: Receives the number of elements before the skipped one, and the error. It is called once for each skipped
    ///   element, by the task that reads the stream, before the next element is returned.
    public static func skip(_ report: @escaping @Sendable (_ index: Int, _ error: StreamParsingError) -> Void)
        -> ElementFailureRule
    {
        ElementFailureRule(report: report)
    }
}

/// A parser that decodes the records of another parser.
struct DecodingStreamParser<Base: StreamParser, Element: Sendable>: StreamParser {
    private var base: Base
    private let failureRule: ElementFailureRule
    private let decode: @Sendable (Base.Element, Int, Base) throws(StreamParsingError) -> Element
    private var index = 0

    /// - Parameter decode: Decodes a record, given its index and the parser that returned it.
    init(
        _ base: Base, onFailure failureRule: ElementFailureRule,
        decode: @escaping @Sendable (Base.Element, Int, Base) throws(StreamParsingError) -> Element
    ) {
        self.base = base
        self.failureRule = failureRule
        self.decode = decode
    }

    mutating func receive(_ chunk: Data) { base.receive(chunk) }

    mutating func finish() { base.finish() }

    mutating func next() throws(StreamParsingError) -> Element? {
        while let record = try base.next() {
            defer { index += 1 }
            do throws(StreamParsingError) {
                return try decode(record, index, base)
            } catch {
                guard let report = failureRule.report else { throw error }
                report(index, error)
            }
        }
        return nil
    }
}

extension JSONDecoder {
    /// Decodes a record; an error's coding path starts with `path` and the record's index.
    ///
    /// - Parameter path: The path of the array in the document.
    func decode<Value: Decodable>(
        _ type: Value.Type, from record: Data, index: Int, path: () -> [JSONKeyPath.Component]
    ) throws(StreamParsingError) -> Value {
        do {
            return try decode(type, from: record)
        } catch let error as DecodingError {
            let rooted = error.prefixed(by: JSONKeyPath(components: path() + [.index(index)]))
            throw StreamParsingError(.undecodable(rooted), index: index, record: record)
        } catch {
            throw StreamParsingError(.undecodable(error), index: index, record: record)
        }
    }
}
