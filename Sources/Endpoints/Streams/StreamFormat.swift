import Foundation

/// How the body of a response is made into a stream of values.
///
/// ```swift
/// let movies = try await service.stream(endpoint, as: .elements(of: Movie.self, at: "data.items"))
/// ```
///
/// Values are made one at a time, where and when the stream is read. A parser of your own makes a format too.
public struct StreamFormat<Element: Sendable>: Sendable {
    private let make: @Sendable () -> any StreamParser<Element>

    /// - Parameter parser: Makes the parser of one stream.
    public init(parser: @escaping @Sendable () -> any StreamParser<Element>) {
        make = parser
    }

    /// A parser for one stream.
    public func makeParser() -> any StreamParser<Element> { make() }
}

extension StreamFormat where Element == Data {
    /// The bytes as they come, in chunks of any size, none of them empty.
    public static var chunks: StreamFormat { StreamFormat { ChunkParser() } }
}

extension StreamFormat where Element == String {
    /// Lines of text, ended by LF or CRLF; see ``LineParser``. At most 1 MiB each.
    public static var lines: StreamFormat { .lines() }

    /// Lines of text, ended by LF or CRLF; see ``LineParser``.
    ///
    /// - Parameter maximumLineBytes: The longest line. A longer one ends the stream with an error.
    public static func lines(maximumLineBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { LineParser(maximumLineBytes: maximumLineBytes) }
    }
}

extension StreamFormat where Element == ServerSentEvent {
    /// Server-sent events; see ``ServerSentEventParser``. At most 1 MiB each.
    public static var serverSentEvents: StreamFormat { .serverSentEvents() }

    /// Server-sent events; see ``ServerSentEventParser``.
    ///
    /// - Parameter maximumEventBytes: The longest event. A longer one ends the stream with an error.
    public static func serverSentEvents(maximumEventBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { ServerSentEventParser(maximumEventBytes: maximumEventBytes) }
    }
}

extension StreamFormat where Element: Decodable {
    /// A JSON text on each line (NDJSON, JSON Lines); see ``NDJSONParser``.
    ///
    /// - Parameters:
    ///   - type: What each line is decoded to.
    ///   - decoder: Foundation's defaults unless given. Don't change it once it is in use.
    ///   - onFailure: What becomes of the stream when a line is no such value, or no JSON.
    ///   - maximumLineBytes: The longest line. A longer one ends the stream with an error.
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
    ///   - type: What each text is decoded to.
    ///   - decoder: Foundation's defaults unless given. Don't change it once it is in use.
    ///   - onFailure: What becomes of the stream when a text is no such value, is truncated, or no JSON.
    ///   - maximumElementBytes: The longest text. A longer one ends the stream with an error.
    public static func jsonSequence(
        _ type: Element.Type = Element.self, decoder: JSONDecoder = JSONDecoder(), onFailure: ElementFailureRule = .stop,
        maximumElementBytes: Int = 16 << 20
    ) -> StreamFormat {
        StreamFormat {
            DecodingStreamParser(JSONSequenceParser(maximumElementBytes: maximumElementBytes), onFailure: onFailure) {
                (text, index, _) throws(StreamParsingError) in
                switch text.flaw {
                case .truncated: throw StreamParsingError(.truncatedText, index: index, record: text.data)
                case .malformed(let reason):
                    throw StreamParsingError(.malformedText(reason: reason), index: index, record: text.data)
                case nil: try decoder.decode(Element.self, from: text.data, index: index) { [] }
                }
            }
        }
    }

    /// The elements of an array in a JSON document, decoded while it arrives; see ``JSONElementParser``.
    ///
    /// - Parameters:
    ///   - type: What each element is decoded to.
    ///   - path: Where the array is: `data.items`, or the RFC 6901 pointer `/data/items`. The document itself unless given.
    ///   - decoder: Foundation's defaults unless given. Don't change it once it is in use.
    ///   - onFailure: What becomes of the stream when an element is no such value. A malformed document always ends it.
    ///   - maximumElementBytes: The longest element. A longer one ends the stream with an error.
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

/// What becomes of a stream when one of its elements is no value of the type asked for.
///
/// Only elements are meant: a stream that is broken as such, and a limit that is hit, always end it.
public struct ElementFailureRule: Sendable {
    /// `nil` stops.
    let report: (@Sendable (Int, StreamParsingError) -> Void)?

    /// The stream ends with the error.
    public static let stop = ElementFailureRule(report: nil)

    /// The element is passed over, and nobody hears of it.
    public static let skip = ElementFailureRule { _, _ in }

    /// The element is passed over.
    ///
    /// - Parameter report: Hears of each, with the number of elements before it. Runs where the stream is read, before the next element.
    public static func skip(_ report: @escaping @Sendable (_ index: Int, _ error: StreamParsingError) -> Void)
        -> ElementFailureRule
    {
        ElementFailureRule(report: report)
    }
}

/// Decodes what another parser cuts out.
struct DecodingStreamParser<Base: StreamParser, Element: Sendable>: StreamParser {
    private var base: Base
    private let failureRule: ElementFailureRule
    private let decode: @Sendable (Base.Element, Int, Base) throws(StreamParsingError) -> Element
    private var index = 0

    /// - Parameter decode: Makes the value of a record with this index.
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
    /// - Parameter path: Where the document's root is in the stream.
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
