import Foundation

/// An async sequence of the chunks of some data.
package struct Pieces: AsyncSequence, Sendable {
    package typealias Element = Data

    let data: Data
    let size: Int
    private var onPiece: @Sendable (_ produced: Int) -> Void = { _ in }

    package init(of data: Data, size: Int) {
        self.data = data
        self.size = size
    }

    /// Returns the same sequence. Before it produces a chunk, it calls `onPiece` with the number of bytes requested so far.
    package func watched(_ onPiece: @escaping @Sendable (_ produced: Int) -> Void) -> Pieces {
        var pieces = self
        pieces.onPiece = onPiece
        return pieces
    }

    package func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }

    package struct Iterator: AsyncIteratorProtocol {
        let pieces: Pieces
        var offset = 0

        fileprivate init(pieces: Pieces) {
            self.pieces = pieces
        }

        package mutating func next() async -> Data? {
            let rest = pieces.data.dropFirst(offset)
            guard !rest.isEmpty else { return nil }
            let piece = rest.prefix(pieces.size)
            offset += piece.count
            pieces.onPiece(offset)
            return piece
        }
    }
}

extension Data {
    /// Returns pseudo-random bytes, so that misplaced bytes are detected. Generates eight bytes per step, which is faster in
    /// debug builds.
    package static func pattern(_ count: Int, seed: UInt64 = 0) -> Data {
        let words = (0..<UInt64((count + 7) / 8)).map { (seed &+ $0 &+ 1) &* 0x9E37_79B9_7F4A_7C15 }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }
}
