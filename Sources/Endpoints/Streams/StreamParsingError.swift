import Foundation

/// Why a stream, or one element of it, cannot be made into values.
///
/// No description holds bytes of the stream, which could be a secret.
public struct StreamParsingError: Error, Sendable {
    /// What is limited.
    public enum Limit: String, Sendable, Hashable {
        /// A line, its end not counted: 1 MiB unless said otherwise.
        case line
        /// All lines of a server-sent event, its comments not counted: 1 MiB unless said otherwise.
        case event
        /// An element of a JSON array, a text of a JSON text sequence, or a member's name on the way to the array: 16 MiB unless said
        /// otherwise.
        case element
    }

    /// What a caller branches on.
    public enum Kind: Sendable {
        /// Something is longer than allowed, by that many bytes.
        case limitExceeded(Limit, maximumBytes: Int)
        /// The document is malformed, or the path does not lead to an array.
        case document(JSONSliceError)
        /// A JSON text sequence has bytes before its first record separator (RFC 7464 §2.1).
        case noRecordSeparator
        /// A text of a JSON text sequence was cut short: by the next one, by the end, or, for numbers and literals, by not being followed
        /// by white space (RFC 7464 §2.4).
        case truncatedText
        /// A text of a JSON text sequence is no JSON.
        case malformedText(reason: String)
        /// An event stream is expected, and the response says it is something else (WHATWG HTML §9.2.2).
        case unexpectedContentType(String?)
        /// The element is no value of the type asked for.
        case undecodable(any Error)
    }

    /// What went wrong.
    public let kind: Kind

    /// How many elements came before, those that were passed over included.
    public let index: Int

    /// Where in the stream it was noticed, in bytes from its start; for a limit, where the element, or the event's line, begins. `nil` where
    /// an element could not be decoded.
    public let byteOffset: Int?

    /// The beginning of the element, for a redacted snippet.
    package let record: Data

    package init(_ kind: Kind, index: Int, byteOffset: Int? = nil, record: Data = Data()) {
        self.kind = kind
        self.index = index
        self.byteOffset = byteOffset
        self.record = record.prefix(1024)
    }

    /// Whether nothing can follow. Otherwise one element is at fault, and the stream can go on behind it.
    public var endsStream: Bool {
        switch kind {
        case .limitExceeded, .document, .noRecordSeparator, .unexpectedContentType: true
        case .truncatedText, .malformedText, .undecodable: false
        }
    }
}

extension StreamParsingError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// Cause, element and byte offset on one line.
    public var description: String {
        let place = byteOffset.map { " at byte \($0)" } ?? ""
        return "element \(index) of the stream: \(reason)\(place)"
    }

    /// The cause alone, without the place.
    package var reason: String {
        switch kind {
        case .limitExceeded(.line, let maximum): "the line is longer than \(maximum) bytes (maximumLineBytes)"
        case .limitExceeded(.event, let maximum): "the event is longer than \(maximum) bytes (maximumEventBytes)"
        case .limitExceeded(.element, let maximum): "the element is longer than \(maximum) bytes (maximumElementBytes)"
        case .document(let error): error.description
        case .noRecordSeparator: "a record separator (0x1E) is expected"
        case .truncatedText: "the text is cut short"
        case .malformedText(let reason): "the text is malformed, \(reason)"
        case .unexpectedContentType(let type):
            "the content type is \(type.map { "\"\($0.printable)\"" } ?? "not told"), not text/event-stream"
        case .undecodable(let error): "cannot be decoded (\(type(of: error)))"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var errorDescription: String? { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
