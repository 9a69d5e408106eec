import Foundation

/// Chunks of bytes that were written and not read, in their order.
package struct ChunkQueue: PipeQueue {
    /// The size from which a chunk is passed on without a copy, and up to which smaller ones are joined, in bytes.
    static let largeBytes = 16 << 10

    private var chunks: [Data] = []
    /// The number of bytes of the first chunk that were read.
    private var taken = 0
    /// The number of bytes.
    package private(set) var weight = 0

    package init() {}

    package mutating func append(_ chunk: Data) {
        if chunk.isEmpty { return }
        chunks.append(chunk)
        weight += chunk.count
    }

    /// Removes and returns the first chunk, without a copy; several small ones as one.
    package mutating func take() -> Data? {
        if let chunk = takeLarge() { return chunk }
        guard let first = chunks.first else { return nil }
        if chunks.count == 1 {
            defer { removeAll() }
            return first.dropFirst(taken)
        }
        var piece = Data(count: min(weight, Self.largeBytes))
        _ = piece.withUnsafeMutableBytes { read(into: $0) }
        return piece
    }

    /// Removes and returns the first chunk without a copy, if it has at least ``largeBytes`` and none of its bytes were read.
    package mutating func takeLarge() -> Data? {
        guard taken == 0, let first = chunks.first, first.count >= Self.largeBytes else { return nil }
        chunks.removeFirst()
        weight -= first.count
        return first
    }

    package mutating func removeAll() {
        self = ChunkQueue()
    }

    /// Removes all bytes that fit into the buffer, and returns their number.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        var used = 0
        while count < buffer.count, used < chunks.count {
            let chunk = chunks[used]
            let size = min(chunk.count - taken, buffer.count - count)
            let start = chunk.startIndex + taken
            chunk.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), from: start..<(start + size))
            count += size
            taken += size
            if taken == chunk.count {
                taken = 0
                used += 1
            }
        }
        chunks.removeFirst(used)
        weight -= count
        return count
    }
}

/// Bytes that were received and not read. They are read all at once.
@usableFromInline package struct ReceivedBytes: PipeQueue {
    @usableFromInline package var bytes = Data()

    @inlinable package init() {}

    @inlinable package var weight: Int { bytes.count }

    @inlinable package mutating func take() -> Data? {
        if bytes.isEmpty { return nil }
        defer { bytes = Data() }
        return bytes
    }

    @inlinable package mutating func removeAll() {
        bytes = Data()
    }
}
