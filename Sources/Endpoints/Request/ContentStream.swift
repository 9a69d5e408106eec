import Foundation

/// A sequence of chunks, its type forgotten, that knows whether it has been read.
// Sendable although unchecked: `isSpent` is behind its lock.
package final class ContentStream: @unchecked Sendable, Hashable {
    /// Takes a chunk; returns when there is room for the next one, and throws when no more is wanted.
    package typealias Sink = (Data) async throws -> Void

    package let length: Int64?
    package let isReplayable: Bool
    private let write: @Sendable (Sink) async throws -> Void
    private let lock = NSLock()
    private var isSpent = false

    package init(length: Int64?, isReplayable: Bool, write: @escaping @Sendable (Sink) async throws -> Void) {
        self.length = length
        self.isReplayable = isReplayable
        self.write = write
    }

    /// Hands all chunks to `sink`.
    package func send(to sink: Sink) async throws {
        try await write(sink)
    }

    /// Asks for the right to read it.
    ///
    /// - Returns: `false` when it was read before and cannot be read again.
    package func claim() -> Bool {
        lock.withLock {
            defer { isSpent = true }
            return isReplayable || !isSpent
        }
    }

    /// Whether ``claim()`` would fail.
    package var isUsedUp: Bool {
        lock.withLock { isSpent && !isReplayable }
    }

    package static func == (left: ContentStream, right: ContentStream) -> Bool {
        left === right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
