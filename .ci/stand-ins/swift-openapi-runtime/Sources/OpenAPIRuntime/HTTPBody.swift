public enum IterationBehavior: Sendable { case single, multiple }

public final class HTTPBody: AsyncSequence, Sendable {
    public typealias ByteChunk = ArraySlice<UInt8>
    public enum Length: Equatable, Sendable { case unknown, known(Int64) }

    public let length: Length
    public let iterationBehavior: IterationBehavior
    private let start: @Sendable () -> Iterator

    public init<Bytes: AsyncSequence & Sendable>(_ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior)
    where Bytes.Element == ByteChunk {
        self.length = length
        self.iterationBehavior = iterationBehavior
        start = {
            var iterator = sequence.makeAsyncIterator()
            return Iterator { try await iterator.next() }
        }
    }

    public convenience init(_ bytes: [UInt8]) {
        let chunks = OneChunk(bytes: bytes[...])
        self.init(chunks, length: .known(Int64(bytes.count)), iterationBehavior: .multiple)
    }

    public func makeAsyncIterator() -> Iterator { start() }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws -> ByteChunk?
        public mutating func next() async throws -> ByteChunk? { try await produce() }
    }
}

private struct OneChunk: AsyncSequence, Sendable {
    let bytes: ArraySlice<UInt8>

    func makeAsyncIterator() -> AsyncStream<ArraySlice<UInt8>>.Iterator {
        AsyncStream { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }.makeAsyncIterator()
    }
}
