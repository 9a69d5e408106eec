import Foundation

@testable import NetworkCore

/// Data in pieces, as an async sequence.
struct Pieces: AsyncSequence, Sendable {
    typealias Element = Data

    let data: Data
    let size: Int
    private var onPiece: @Sendable (_ produced: Int) -> Void = { _ in }

    init(of data: Data, size: Int) {
        self.data = data
        self.size = size
    }

    /// The same pieces; `onPiece` is called before each piece with the number of bytes that have been requested.
    func watched(_ onPiece: @escaping @Sendable (_ produced: Int) -> Void) -> Pieces {
        var pieces = self
        pieces.onPiece = onPiece
        return pieces
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }

    struct Iterator: AsyncIteratorProtocol {
        let pieces: Pieces
        var offset = 0

        init(pieces: Pieces) {
            self.pieces = pieces
        }

        mutating func next() async -> Data? {
            let rest = pieces.data.dropFirst(offset)
            guard !rest.isEmpty else { return nil }
            let piece = rest.prefix(pieces.size)
            offset += piece.count
            pieces.onPiece(offset)
            return piece
        }
    }
}

/// A file that goes with its owner.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

extension Data {
    /// Bytes in which no place is like another near it. Eight at a time: in a debug build each one costs as much as a word.
    static func pattern(_ count: Int, seed: UInt64 = 0) -> Data {
        let words = (0..<UInt64((count + 7) / 8)).map { (seed &+ $0 &+ 1) &* 0x9E37_79B9_7F4A_7C15 }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }
}
