import Foundation

/// A parser of streams with one JSON text on each line (NDJSON, JSON Lines). It returns the bytes of each text.
///
/// Lines end with LF or CRLF, the last line also with the end of the stream. Lines that contain only white space are skipped. The parser does
/// not check that a line is valid JSON.
package struct NDJSONParser: StreamParser, JSONRecordParser {
    let reader: JSONStreamReader
    var failure: StreamParsingError?
    private let maximumBytes: Int
    /// Bytes in which no line ends.
    private var searched = 0
    /// The number of lines returned so far.
    private var count = 0

    /// Creates a parser with a limit on the length of a line.
    ///
    /// - Parameters:
    ///   - maximumLineBytes: The maximum length of a line in bytes, without its line ending. A longer line is an error that ends the
    ///     stream. Default: 1 MiB.
    ///   - reader: A new reader. Default: one that decodes with the default strategies.
    package init(maximumLineBytes: Int = 1 << 20, reader: JSONStreamReader = JSONStreamReader()) {
        maximumBytes = min(max(0, maximumLineBytes), .max - 1)
        self.reader = reader
    }

    /// Adds the next bytes of the stream.
    package mutating func receive(_ chunk: Data) {
        if failure == nil { reader.append(chunk) }
    }

    /// Marks the end of the stream: no bytes follow.
    package mutating func finish() { reader.finish() }

    /// Returns the next line without its line ending, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// - Throws: ``StreamParsingError`` for a line that exceeds the limit.
    package mutating func next() throws(StreamParsingError) -> Data? { try nextCopy()?.data }

    mutating func find() throws(StreamParsingError) -> JSONRecord? {
        while true {
            let feed = reader.firstIndex(of: 0x0A, from: searched)
            var length = feed ?? reader.count
            if feed == nil {
                searched = length
                // One more byte is allowed, because it may be the CR of a CRLF.
                guard length <= maximumBytes + (reader.isFinished ? 0 : 1) else { throw tooLong() }
                guard reader.isFinished, length > 0 else { return nil }
            } else if length > 0, reader[length - 1] == 0x0D {
                length -= 1
            }
            guard length <= maximumBytes else { throw tooLong() }
            searched = 0
            if reader.position == 0, length >= 3, reader[0] == 0xEF, reader[1] == 0xBB, reader[2] == 0xBF {
                reader.consume(3)
                length -= 3
            }
            guard reader.endOfWhiteSpace(to: length) < length else {
                // A line ending that is left over is a blank line as well.
                reader.consume(feed == nil ? length : length + 1)
                continue
            }
            count += 1
            return JSONRecord(length: length, isScanned: false)
        }
    }

    private func tooLong() -> StreamParsingError {
        StreamParsingError(.limitExceeded(.line, maximumBytes: maximumBytes), index: count, byteOffset: reader.position)
    }
}
