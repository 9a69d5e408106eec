/// A hash function over bytes that arrive piece by piece.
package protocol MessageDigest: Sendable {
    /// Creates a digest of no bytes.
    init()

    /// Adds bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer)

    /// Returns the digest of all bytes so far; more may follow.
    func finalized() -> [UInt8]
}

extension MessageDigest {
    /// Returns the digest of bytes in memory.
    package static func digest(of message: some Sequence<UInt8>) -> [UInt8] {
        var hash = Self()
        let isContiguous: Void? = message.withContiguousStorageIfAvailable { hash.update(UnsafeRawBufferPointer($0)) }
        if isContiguous == nil { Array(message).withUnsafeBytes { hash.update($0) } }
        return hash.finalized()
    }
}

/// A hash function that changes words by blocks of 64 bytes.
protocol BlockDigest: MessageDigest {
    associatedtype Words

    /// The words after all complete blocks.
    var words: Words { get set }
    /// The bytes after them.
    var blocks: DigestBlocks { get set }

    /// Updates the words with complete blocks.
    ///
    /// - Parameter blocks: The bytes, a multiple of the block size.
    static func compress(_ words: inout Words, _ blocks: UnsafeRawBufferPointer)
}

extension BlockDigest {
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var words = words
        blocks.update(bytes) { Self.compress(&words, $0) }
        self.words = words
    }

    /// Returns the words after the last blocks.
    ///
    /// - Parameter isBigEndian: The order of the bytes of the number of bits.
    func finalWords(isBigEndian: Bool) -> Words {
        var words = words
        blocks.padded(isBigEndian: isBigEndian).withUnsafeBytes { Self.compress(&words, $0) }
        return words
    }
}

/// The bytes that a hash function has not processed yet, because it processes blocks of 64 bytes.
struct DigestBlocks: Sendable {
    static let byteCount = 64

    /// The bytes that wait for the next block, always fewer than a block.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    init() {
        rest.reserveCapacity(Self.byteCount)
    }

    /// Passes complete blocks to `compress`: bytes whose number is a multiple of the block size.
    mutating func update(_ bytes: UnsafeRawBufferPointer, compress: (UnsafeRawBufferPointer) -> Void) {
        count &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(Self.byteCount - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<start])
            guard rest.count == Self.byteCount else { return }
            rest.withUnsafeBytes(compress)
            rest.removeAll(keepingCapacity: true)
        }
        let whole = (bytes.count - start) / Self.byteCount * Self.byteCount
        if whole > 0 { compress(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + whole)])) }
        rest.append(contentsOf: bytes[(start + whole)...])
    }

    /// Returns the last blocks: the rest, a one bit, zeros, and the number of bits.
    ///
    /// - Parameter isBigEndian: The order of the bytes of the number.
    func padded(isBigEndian: Bool) -> [UInt8] {
        var padding = rest
        padding.append(0x80)
        padding += [UInt8](repeating: 0, count: (120 - padding.count % Self.byteCount) % Self.byteCount)
        let bits = count &* 8
        withUnsafeBytes(of: isBigEndian ? bits.bigEndian : bits.littleEndian) { padding += $0 }
        return padding
    }
}
