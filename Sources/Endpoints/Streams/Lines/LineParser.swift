import Foundation

/// Lines of text, ended by LF or CRLF. What follows the last line end is a line too, unless it is empty.
///
/// The text is UTF-8; bytes that are not are replaced by U+FFFD, and a byte order mark at the start is dropped. Empty lines count.
public struct LineParser: StreamParser {
    private var splitter: LineSplitter

    /// - Parameter maximumLineBytes: The longest line, its end not counted, in bytes. A longer one is an error, and nothing follows it.
    public init(maximumLineBytes: Int = 1 << 20) {
        splitter = LineSplitter(maximumBytes: maximumLineBytes)
    }

    /// Takes the next bytes.
    public mutating func receive(_ chunk: Data) { splitter.receive(chunk) }

    /// Says that nothing follows.
    public mutating func finish() { splitter.finish() }

    /// The next line without its end; `nil` when it takes more bytes, and at the end.
    ///
    /// - Throws: ``StreamParsingError`` for a line past the limit.
    public mutating func next() throws(StreamParsingError) -> String? {
        try splitter.next().map { String(decoding: $0, as: UTF8.self) }
    }
}
