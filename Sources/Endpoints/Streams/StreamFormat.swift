import Foundation

/// A format that determines how a response's body is parsed into a stream of values.
///
/// ```swift
/// let movies = try await service.stream(
///     endpoint, as: .elements(of: Movie.self, at: "data.items"))
/// ```
///
/// Values are decoded one at a time, by the task that reads the stream, when it reads them.
public struct StreamFormat<Element: Sendable>: Sendable {
    private let make: @Sendable (any JSONDataDecoder) -> any StreamParser<Element>

    /// Creates a format from a custom parser.
    ///
    /// - Parameter parser: Creates a parser. It is called once for each stream.
    package init(parser: @escaping @Sendable () -> any StreamParser<Element>) {
        make = { _ in parser() }
    }

    /// Creates a format of JSON values.
    ///
    /// - Parameters:
    ///   - decoder: The decoder for the values; `nil` for that of the service.
    ///   - parser: Creates a parser that uses a decoder. It is called once for each stream.
    init(decoder: (any JSONDataDecoder)?, parser: @escaping @Sendable (any JSONDataDecoder) -> any StreamParser<Element>) {
        make = { parser(decoder ?? $0) }
    }

    /// Creates a parser for one stream.
    ///
    /// - Parameter decoder: The JSON decoder of the service. Default: `nil`, which uses the default one.
    package func makeParser(decoder: (any JSONDataDecoder)? = nil) -> any StreamParser<Element> {
        make(decoder ?? JSONResponseDecoder.defaultDecoder)
    }
}

extension StreamFormat where Element == Data {
    /// The bytes as they are received, in non-empty chunks of any size.
    public static var chunks: StreamFormat { StreamFormat { ChunkParser() } }
}

extension StreamFormat where Element == String {
    /// Lines of text, ended by LF or CRLF, the last one also by the end of the stream.
    ///
    /// - Parameter maximumLineBytes: The maximum length of a line in bytes. A longer line ends the stream with an error. Default: 1 MiB.
    public static func lines(maximumLineBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { LineParser(maximumLineBytes: maximumLineBytes) }
    }
}

extension StreamFormat where Element == ServerSentEvent {
    /// Server-sent events up to a size (WHATWG HTML §9.2).
    ///
    /// Bytes that are not UTF-8 are replaced by U+FFFD. An event that is incomplete at the end of the stream is discarded.
    ///
    /// - Parameter maximumEventBytes: The maximum length of an event in bytes. A longer event ends the stream with an error. Default: 1 MiB.
    public static func serverSentEvents(maximumEventBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { ServerSentEventParser(maximumEventBytes: maximumEventBytes) }
    }
}

extension StreamFormat where Element: Decodable {
    /// A JSON text on each line (NDJSON, JSON Lines). Lines that contain only white space are skipped.
    ///
    /// - Parameters:
    ///   - type: The type that each line is decoded as.
    ///   - decoder: The decoder for the elements. Default: `nil`, which uses that of the service.
    ///   - onFailure: How the stream continues after a line that cannot be decoded or is not JSON. Default: it ends with the error.
    ///   - maximumLineBytes: The maximum length of a line in bytes. A longer line ends the stream with an error. Default: 1 MiB.
    public static func ndjson(
        _ type: Element.Type = Element.self, decoder: (any JSONDataDecoder)? = nil,
        onFailure: ElementFailureRule = .stop, maximumLineBytes: Int = 1 << 20
    ) -> StreamFormat {
        StreamFormat(decoder: decoder) { decoder in
            JSONDecodingParser(decoder, onFailure: onFailure) { NDJSONParser(maximumLineBytes: maximumLineBytes, reader: $0) }
        }
    }

    /// A JSON text sequence, `application/json-seq` (RFC 7464). A malformed text does not end the sequence (§2.3).
    ///
    /// - Parameters:
    ///   - type: The type that each text is decoded as.
    ///   - decoder: The decoder for the elements. Default: `nil`, which uses that of the service.
    ///   - onFailure: How the stream continues after a text that cannot be decoded, is truncated or is not JSON. Default: it ends with
    ///     the error.
    ///   - maximumElementBytes: The maximum length of a text in bytes. A longer text ends the stream with an error. Default: 16 MiB.
    public static func jsonSequence(
        _ type: Element.Type = Element.self, decoder: (any JSONDataDecoder)? = nil,
        onFailure: ElementFailureRule = .stop, maximumElementBytes: Int = 16 << 20
    ) -> StreamFormat {
        StreamFormat(decoder: decoder) { decoder in
            JSONDecodingParser(decoder, onFailure: onFailure) {
                JSONSequenceParser(maximumElementBytes: maximumElementBytes, reader: $0)
            }
        }
    }

    /// The elements of an array in a JSON document, decoded while the document is received.
    ///
    /// The document must be UTF-8 and is validated as a whole (RFC 8259). Nesting is limited to 512 levels.
    ///
    /// - Parameters:
    ///   - type: The type that each element is decoded as.
    ///   - path: The path of the array: `data.items`, or the RFC 6901 pointer `/data/items`. Default: the document itself.
    ///   - decoder: The decoder for the elements. Default: `nil`, which uses that of the service.
    ///   - onFailure: How the stream continues after an element that cannot be decoded. Default: it ends with the error. A malformed
    ///     document always ends it.
    ///   - maximumElementBytes: The maximum length of an element in bytes. A longer element ends the stream with an error. Default: 16 MiB.
    public static func elements(
        of type: Element.Type = Element.self, at path: JSONKeyPath = "", decoder: (any JSONDataDecoder)? = nil,
        onFailure: ElementFailureRule = .stop, maximumElementBytes: Int = 16 << 20
    ) -> StreamFormat {
        StreamFormat(decoder: decoder) { decoder in
            JSONDecodingParser(decoder, onFailure: onFailure) {
                JSONElementParser(at: path, maximumElementBytes: maximumElementBytes, reader: $0)
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
