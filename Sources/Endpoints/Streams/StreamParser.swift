import Foundation

/// Makes elements of bytes that come in chunks, wherever the borders between the chunks are.
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
/// A parser never asks for bytes and never waits. It keeps the beginning of one element, up to a limit, as long as all elements are
/// taken before the next chunk is handed in; chunks handed in without that are kept too.
public protocol StreamParser<Element>: Sendable {
    /// What the bytes are made into.
    associatedtype Element: Sendable

    /// Takes the next bytes. After ``finish()``, and after an error, they are ignored.
    mutating func receive(_ chunk: Data)

    /// Says that nothing follows.
    mutating func finish()

    /// The next element; `nil` when it takes more bytes, and at the end.
    ///
    /// - Throws: ``StreamParsingError``. One that ends the stream is thrown again each time; after one that is about a single element the
    ///   next call goes on behind it: ``StreamParsingError/endsStream`` tells them apart.
    mutating func next() throws(StreamParsingError) -> Element?
}

/// The chunks as they come; none of them is empty.
public struct ChunkParser: StreamParser {
    private var chunks: [Data] = []

    /// A parser that has got nothing yet.
    public init() {}

    /// Takes the next bytes.
    public mutating func receive(_ chunk: Data) {
        if !chunk.isEmpty { chunks.append(chunk) }
    }

    /// Does nothing.
    public mutating func finish() {}

    /// The chunk that came first of those not taken yet.
    public mutating func next() throws(StreamParsingError) -> Data? {
        chunks.isEmpty ? nil : chunks.removeFirst()
    }
}

/// The chunk that is being read, and the beginning of an element that came with earlier ones.
struct ChunkBuffer: Sendable {
    /// What came last.
    private(set) var chunk = Data()
    /// How much of it has been taken.
    var offset = 0
    /// The beginning of an element that a border has cut.
    private(set) var kept = Data()
    /// Where in the stream the chunk begins.
    private(set) var base = 0
    var isFinished = false

    /// Where in the stream the next byte is.
    var position: Int { base + offset }
    /// Where in the stream an element begins, of which what was not kept begins there in the chunk.
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

    /// Nothing more is read.
    mutating func drop() {
        base += offset
        chunk = Data()
        kept = Data()
        offset = 0
        isFinished = true
    }

    /// The bytes from `start` up to `end` of the chunk, behind those that were kept. Shares the chunk's storage where nothing was.
    mutating func take(from start: Int, to end: Int) -> Data {
        let slice = slice(start, end)
        guard !kept.isEmpty else { return slice }
        kept.append(slice)
        defer { kept = Data() }
        return kept
    }

    /// As ``take(from:to:)``, of which `end` counts the closing quote of a name.
    mutating func takeName(from start: Int, to end: Int) -> Data {
        take(from: start, to: end).dropLast()
    }

    /// Begins anew with bytes that were taken already.
    mutating func restart(with head: Data, offset: Int) {
        base = 0
        chunk = head
        self.offset = offset
    }

    /// Keeps the bytes from `start` up to `end` of the chunk for the next one.
    mutating func keep(from start: Int, to end: Int) {
        // Copied: a slice would hold on to the whole chunk.
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
