import Foundation
import NetworkLogging

/// An error in a stream or in one of its elements.
///
/// No description contains bytes of the stream, which could be a secret.
public struct StreamParsingError: Error, Sendable {
    /// The kinds of limits on the size of an element.
    public enum Limit: String, Sendable, Hashable {
        /// The length of a line without its line ending. Default: 1 MiB.
        case line
        /// The total length of the lines of a server-sent event, without comments. Default: 1 MiB.
        case event
        /// The length of an element of a JSON array, of a text in a JSON text sequence, or of a member name on the path to the array.
        /// Default: 16 MiB.
        case element
    }

    /// The kinds of failure, for callers to branch on.
    public enum Kind: Sendable {
        /// A line, event or element is longer than `maximumBytes`.
        case limitExceeded(Limit, maximumBytes: Int)
        /// The document is malformed, or the path does not lead to an array.
        case document(JSONSliceError)
        /// A JSON text sequence has bytes before its first record separator (RFC 7464 §2.1).
        case noRecordSeparator
        /// A text of a JSON text sequence is truncated: by the next text, by the end of the stream, or, for numbers and literals, because
        /// no white space follows (RFC 7464 §2.4).
        case truncatedText
        /// A text of a JSON text sequence is not valid JSON.
        case malformedText(reason: String)
        /// The response's content type is not that of an event stream (WHATWG HTML §9.2.2); `nil` if the response has none.
        case unexpectedContentType(String?)
        /// The element could not be decoded as the requested type.
        case undecodable(any Error)
    }

    /// The kind of failure, with its details.
    public let kind: Kind

    /// The number of elements before this one, including skipped elements.
    public let index: Int

    /// The position in the stream at which the failure was detected, in bytes from its start.
    ///
    /// For a limit, the position at which the element, or the event's line, begins. `nil` for an element that could not be decoded.
    public let byteOffset: Int?

    /// The first 1,024 bytes of the element, for a redacted snippet.
    package let record: Data

    package init(_ kind: Kind, index: Int, byteOffset: Int? = nil, record: Data = Data()) {
        self.kind = kind
        self.index = index
        self.byteOffset = byteOffset
        self.record = record.prefix(1024)
    }

    /// Whether the error ends the stream. Otherwise it concerns one element, and the stream can continue after it.
    public var endsStream: Bool {
        switch kind {
        case .limitExceeded, .document, .noRecordSeparator, .unexpectedContentType: true
        case .truncatedText, .malformedText, .undecodable: false
        }
    }
}

extension StreamParsingError: RedactedStringConvertible, LocalizedError {
    /// A description of the cause, the element's index and the byte offset, on one line.
    public var description: String {
        let place = byteOffset.map { " at byte \($0)" } ?? ""
        return "element \(index) of the stream: \(reason)\(place)"
    }

    /// A description of the cause, without the index and the byte offset.
    package var reason: String {
        switch kind {
        case .limitExceeded(.line, let maximum): "the line is longer than \(maximum) bytes (maximumLineBytes)"
        case .limitExceeded(.event, let maximum): "the event is longer than \(maximum) bytes (maximumEventBytes)"
        case .limitExceeded(.element, let maximum): "the element is longer than \(maximum) bytes (maximumElementBytes)"
        case .document(let error): error.description
        case .noRecordSeparator: "a record separator (0x1E) is expected"
        case .truncatedText: "the text is truncated"
        case .malformedText(let reason): "the text is malformed, \(reason)"
        case .unexpectedContentType(let type):
            "the content type is \(type.map { "\"\($0.printable)\"" } ?? "missing"), not text/event-stream"
        case .undecodable(let error): "cannot be decoded (\(type(of: error)))"
        }
    }

    /// The text of ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}
