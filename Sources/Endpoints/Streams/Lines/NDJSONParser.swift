import Foundation

/// The JSON texts of a stream with one on each line (NDJSON, JSON Lines), as bytes.
///
/// Lines end with LF or CRLF, the last one also with the stream. Lines of nothing but white space are passed over. That a line is JSON is
/// for whoever decodes it to find out.
public struct NDJSONParser: StreamParser {
    private var splitter: LineSplitter

    /// - Parameter maximumLineBytes: The longest line, its end not counted, in bytes. A longer one is an error, and nothing follows it.
    public init(maximumLineBytes: Int = 1 << 20) {
        splitter = LineSplitter(maximumBytes: maximumLineBytes)
    }

    /// Takes the next bytes.
    public mutating func receive(_ chunk: Data) { splitter.receive(chunk) }

    /// Says that nothing follows.
    public mutating func finish() { splitter.finish() }

    /// The next line without its end; `nil` when it takes more bytes, and at the end. It shares the chunk's storage where it came whole.
    ///
    /// - Throws: ``StreamParsingError`` for a line past the limit.
    public mutating func next() throws(StreamParsingError) -> Data? {
        try splitter.next(isSkipped: Self.isBlank)
    }

    private static func isBlank(_ line: Data) -> Bool {
        line.withUnsafeBytes { bytes in bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
    }
}
