import Foundation

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
