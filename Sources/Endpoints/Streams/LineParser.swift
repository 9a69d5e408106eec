import Foundation

/// A parser of text lines that end with LF or CRLF. Text after the last line ending is a line too, unless it is empty.
///
/// The text is read as UTF-8: invalid bytes are replaced by U+FFFD, and a byte order mark at the start is skipped. Empty lines are returned
/// as empty strings.
package struct LineParser: StreamParser {
    private var splitter: LineSplitter

    /// Creates a parser with a limit on the length of a line.
    ///
    /// - Parameter maximumLineBytes: The maximum length of a line in bytes, without its line ending. A longer line is an error that ends the
    ///   stream. Default: 1 MiB.
    package init(maximumLineBytes: Int = 1 << 20) {
        splitter = LineSplitter(maximumBytes: maximumLineBytes)
    }

    /// Adds the next bytes of the stream.
    package mutating func receive(_ chunk: Data) { splitter.receive(chunk) }

    /// Marks the end of the stream: no bytes follow.
    package mutating func finish() { splitter.finish() }

    /// Returns the next line without its line ending, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// - Throws: ``StreamParsingError`` for a line that exceeds the limit.
    package mutating func next() throws(StreamParsingError) -> String? {
        try splitter.next().map { String(decoding: $0, as: UTF8.self) }
    }
}

/// A splitter that divides a stream at its line feeds.
///
/// A carriage return before a line feed belongs to the line ending. Any other carriage return is part of the line.
struct LineSplitter: Sendable {
    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var failure: StreamParsingError?
    /// The number of lines returned so far.
    private var count = 0

    init(maximumBytes: Int) {
        self.maximumBytes = min(max(0, maximumBytes), .max - 1)
    }

    mutating func receive(_ chunk: Data) {
        buffer.receive(chunk)
    }

    mutating func finish() {
        buffer.isFinished = true
    }

    /// Returns the next line without its line ending and without a byte order mark.
    mutating func next() throws(StreamParsingError) -> Data? {
        if let failure { throw failure }
        guard let line = try nextLine() else { return nil }
        count += 1
        return line
    }

    private mutating func nextLine() throws(StreamParsingError) -> Data? {
        let start = buffer.offset
        let position = buffer.position(ofElementFrom: start)
        let length = buffer.chunk.withUnsafeBytes { bytes -> Int? in
            guard start < bytes.count, let base = bytes.baseAddress else { return nil }
            let rest = base + start
            return memchr(rest, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - rest }
        }
        guard let length else {
            buffer.keep(from: start)
            // One more byte is allowed, because it may be the CR of a CRLF.
            guard buffer.kept.count <= maximumBytes + (buffer.isFinished ? 0 : 1) else { throw fail(at: position) }
            guard buffer.isFinished, !buffer.kept.isEmpty else { return nil }
            return withoutMark(buffer.take(from: buffer.offset, to: buffer.offset), isFirst: position == 0)
        }
        buffer.offset = start + length + 1
        var line = buffer.take(from: start, to: start + length)
        if line.last == 0x0D { line = line.dropLast() }
        guard line.count <= maximumBytes else { throw fail(at: position) }
        return withoutMark(line, isFirst: position == 0)
    }

    private func withoutMark(_ line: Data, isFirst: Bool) -> Data {
        isFirst && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
    }

    private mutating func fail(at position: Int) -> StreamParsingError {
        let error = StreamParsingError(
            .limitExceeded(.line, maximumBytes: maximumBytes), index: count, byteOffset: position)
        buffer.drop()
        failure = error
        return error
    }
}
