import Foundation

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
