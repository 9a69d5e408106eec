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

/// Cuts a stream at its line feeds. A carriage return before one belongs to the line's end; alone it is a byte like others.
struct LineSplitter: Sendable {
    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var failure: StreamParsingError?
    /// Lines handed out.
    private(set) var count = 0

    init(maximumBytes: Int) {
        self.maximumBytes = min(max(0, maximumBytes), .max - 1)
    }

    mutating func receive(_ chunk: Data) {
        buffer.receive(chunk)
    }

    mutating func finish() {
        buffer.isFinished = true
    }

    /// The next line without its end, and without a byte order mark.
    ///
    /// - Parameter isSkipped: Lines that do not count.
    mutating func next(isSkipped: (Data) -> Bool = { _ in false }) throws(StreamParsingError) -> Data? {
        if let failure { throw failure }
        while let line = try nextOfAll() {
            if isSkipped(line) { continue }
            count += 1
            return line
        }
        return nil
    }

    private mutating func nextOfAll() throws(StreamParsingError) -> Data? {
        let start = buffer.offset
        let position = buffer.position(ofElementFrom: start)
        let length = buffer.chunk.withUnsafeBytes { bytes -> Int? in
            guard start < bytes.count, let base = bytes.baseAddress else { return nil }
            let rest = base + start
            return memchr(rest, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - rest }
        }
        guard let length else {
            buffer.keep(from: start)
            // A byte more may turn out to be half of the line's end.
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
