import Foundation

/// Bytes to be looked for in other bytes (Horspool's search: most bytes of the text are not even looked at).
package struct BytePattern: Sendable, Hashable {
    fileprivate let bytes: [UInt8]
    /// By a text's byte under the pattern's last one: how far the pattern may move on.
    private let skips: [Int]

    /// - Parameter text: Not empty.
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

/// A search in a text that comes in chunks.
package struct BytePatternSearch: Sendable {
    private let pattern: BytePattern
    /// The end of what has come, one byte shorter than the pattern at most.
    private var tail: [UInt8] = []

    package init(_ pattern: BytePattern) {
        self.pattern = pattern
    }

    /// - Returns: Whether the pattern ends in this chunk.
    package mutating func finds(in chunk: Data) -> Bool {
        let most = pattern.bytes.count - 1
        let joint = tail + chunk.prefix(most)
        if joint.withUnsafeBytes(pattern.occurs) || chunk.withUnsafeBytes(pattern.occurs) { return true }
        tail = chunk.count >= most ? Array(chunk.suffix(most)) : Array(joint.suffix(most))
        return false
    }
}
