import Foundation

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
public protocol StreamParser<Element>: Sendable {
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
        chunks.isEmpty ? nil : chunks.removeFirst()
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

    /// Returns the same as ``take(from:to:)`` without the last byte, which is the closing quote of a name.
    mutating func takeName(from start: Int, to end: Int) -> Data {
        take(from: start, to: end).dropLast()
    }

    /// Starts again at the beginning of the stream, with bytes that were taken before.
    mutating func restart(with head: Data, offset: Int) {
        base = 0
        chunk = head
        self.offset = offset
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
