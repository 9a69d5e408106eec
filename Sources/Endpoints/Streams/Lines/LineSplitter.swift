import Foundation

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
