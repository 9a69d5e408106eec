import Foundation
import NetworkLogging

/// An incremental parser that produces elements from bytes that arrive in chunks.
///
/// The elements do not depend on how the bytes are split into chunks.
///
/// ```swift
/// var parser = LineParser()
/// for try await chunk in body {
///     parser.receive(chunk)
///     while let line = try parser.next() { print(line) }
/// }
/// parser.finish()
/// while let line = try parser.next() { print(line) }
/// ```
///
/// A parser never requests bytes and never waits. If all elements are read with ``next()`` before the next chunk is passed, it buffers
/// the beginning of at most one element, up to a limit. Otherwise it also buffers the chunks that have not been read.
package protocol StreamParser<Element>: Sendable {
    /// The type of the elements that the parser produces.
    associatedtype Element: Sendable

    /// Adds the next bytes of the stream. They are ignored after ``finish()`` and after an error that ends the stream.
    mutating func receive(_ chunk: Data)

    /// Marks the end of the stream: no bytes follow.
    mutating func finish()

    /// Returns the next element, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// - Throws: ``StreamParsingError``. An error that ends the stream is thrown again by each later call. After an error that concerns
    ///   a single element, the next call continues after that element. ``StreamParsingError/endsStream`` distinguishes them.
    mutating func next() throws(StreamParsingError) -> Element?
}

/// A parser that returns the chunks unchanged, except that empty chunks are left out.
package struct ChunkParser: StreamParser {
    private var chunks: [Data] = []
    /// The number of chunks at the front that were returned.
    private var returned = 0

    /// Creates a parser without buffered chunks.
    package init() {}

    /// Adds the next bytes of the stream.
    package mutating func receive(_ chunk: Data) {
        if !chunk.isEmpty { chunks.append(chunk) }
    }

    /// Does nothing, because no chunk is held back.
    package mutating func finish() {}

    /// Returns the oldest chunk that has not been returned yet, or `nil` if there is none.
    package mutating func next() throws(StreamParsingError) -> Data? {
        guard returned < chunks.count else { return nil }
        defer {
            chunks[returned] = Data()
            returned += 1
            if returned == chunks.count { (chunks, returned) = ([], 0) }
        }
        return chunks[returned]
    }
}

/// A buffer with the chunk that is being read, and the beginning of an element from earlier chunks.
struct ChunkBuffer: Sendable {
    /// The latest chunk, with the unread rest of the one before.
    private(set) var chunk = Data()
    /// The number of bytes of `chunk` that have been read.
    var offset = 0
    /// The beginning of an element that continues in the next chunk.
    private(set) var kept = Data()
    /// The position of the chunk's first byte in the stream.
    private(set) var base = 0
    var isFinished = false

    /// The position of the next byte in the stream.
    var position: Int { base + offset }
    /// Returns the position in the stream of an element whose bytes are those in `kept` and those from `start` of the chunk.
    func position(ofElementFrom start: Int) -> Int { base + start - kept.count }
    var isEmpty: Bool { offset == chunk.count }

    mutating func receive(_ data: Data) {
        guard !isFinished, !data.isEmpty else { return }
        if isEmpty {
            base += chunk.count
            chunk = data
        } else {
            base += offset
            var joined = Data(chunk.dropFirst(offset))
            joined.append(data)
            chunk = joined
        }
        offset = 0
    }

    /// Discards all bytes and ends the stream.
    mutating func drop() {
        base += offset
        chunk = Data()
        kept = Data()
        offset = 0
        isFinished = true
    }

    /// Returns the kept bytes followed by those from `start` up to `end` of the chunk, and clears the kept bytes.
    ///
    /// The result shares the chunk's storage if no bytes were kept.
    mutating func take(from start: Int, to end: Int) -> Data {
        let slice = slice(start, end)
        guard !kept.isEmpty else { return slice }
        kept.append(slice)
        defer { kept = Data() }
        return kept
    }

    /// Keeps the bytes from `start` up to `end` of the chunk for the next one.
    mutating func keep(from start: Int, to end: Int) {
        // Copied, because a slice would keep the whole chunk in memory.
        if start < end { kept.append(contentsOf: slice(start, end)) }
        offset = end
    }

    /// Keeps the bytes from `start` to the end of the chunk for the next one.
    mutating func keep(from start: Int) {
        keep(from: start, to: chunk.count)
    }

    private func slice(_ start: Int, _ end: Int) -> Data {
        let first = chunk.startIndex
        return chunk[first + start..<first + end]
    }
}

/// An error in a stream or in one of its elements.
///
/// No description contains bytes of the stream, which could be a secret, except those that the error of an element quotes, with secrets redacted.
public struct StreamParsingError: Error, Sendable {
    /// The kinds of limits on the size of an element.
    package enum Limit: String, Sendable, Hashable {
        /// The length of a line without its line ending. Default: 1 MiB.
        case line
        /// The total length of the lines of a server-sent event, without comments. Default: 1 MiB.
        case event
        /// The length of an element of a JSON array, of a text in a JSON text sequence, or of a member name on the path to the array.
        /// Default: 16 MiB.
        case element
    }

    /// The kinds of failure, for callers to branch on.
    package enum Kind: Sendable {
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
    package let kind: Kind

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
    package var endsStream: Bool {
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
        case .malformedText(let reason): "the text is malformed, \(reason.printableLine)"
        case .unexpectedContentType(let type):
            "the content type is \(type.map { "\"\($0.printable)\"" } ?? "missing"), not text/event-stream"
        case .undecodable(let error): "cannot be decoded: \(ErrorText(error))"
        }
    }
}
