import Foundation

/// A byte sequence that can be searched for in other bytes, with the Boyer–Moore–Horspool algorithm.
package struct BytePattern: Sendable, Hashable {
    fileprivate let bytes: [UInt8]
    /// The distance by which the pattern may be moved, indexed by the text's byte at the pattern's last position.
    private let skips: [Int]

    /// Creates a pattern of the text's UTF-8 bytes.
    ///
    /// - Parameter text: The text to search for, which must not be empty.
    package init(_ text: String) {
        bytes = Array(text.utf8)
        var skips = [Int](repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() { skips[Int(byte)] = bytes.count - 1 - index }
        self.skips = skips
    }

    package func occurs(in text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress, let last = bytes.last, text.count >= bytes.count else { return false }
        return bytes.withUnsafeBytes { pattern in
            skips.withUnsafeBufferPointer { skips in
                guard let first = pattern.baseAddress else { return false }
                var end = bytes.count - 1
                while end < text.count {
                    let byte = text[end]
                    if byte == last, memcmp(start + (end - (pattern.count - 1)), first, pattern.count) == 0 { return true }
                    end += skips[Int(byte)]
                }
                return false
            }
        }
    }
}

/// A search for a pattern in bytes that are received in chunks.
package struct BytePatternSearch: Sendable {
    private let pattern: BytePattern
    /// The last bytes received, at most one fewer than the pattern has.
    private var tail: [UInt8] = []

    package init(_ pattern: BytePattern) {
        self.pattern = pattern
    }

    /// Searches the next chunk, together with the end of the previous chunks.
    ///
    /// - Returns: Whether an occurrence of the pattern ends in this chunk.
    package mutating func finds(in chunk: Data) -> Bool {
        let most = pattern.bytes.count - 1
        let joint = tail + chunk.prefix(most)
        if joint.withUnsafeBytes(pattern.occurs) || chunk.withUnsafeBytes(pattern.occurs) { return true }
        tail = chunk.count >= most ? Array(chunk.suffix(most)) : Array(joint.suffix(most))
        return false
    }
}
