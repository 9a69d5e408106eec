import Foundation

/// Bytes that arrive in pieces, in one buffer, which becomes ``PaddedBytes`` without a copy.
///
/// `Data` takes several times as long to append a piece: its storage is shared, and checks at run time for overlapping accesses.
package struct PaddedBuffer: ~Copyable {
    /// Room for `capacity` bytes and the padding.
    private var buffer: UnsafeMutableRawPointer?
    private var capacity = 0
    package private(set) var count = 0

    package init() {}

    deinit { free(buffer) }

    /// Makes room for `count` bytes, if no byte was received.
    package mutating func reserveCapacity(_ count: Int) {
        if buffer == nil, count > 0 { grow(to: count) }
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        if count + bytes.count > capacity { grow(to: max(count + bytes.count, 2 * capacity)) }
        buffer?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Returns the bytes, and is empty afterwards.
    package mutating func take() -> PaddedBytes {
        guard count > 0, var bytes = buffer else { return PaddedBytes(Data()) }
        bytes.advanced(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: PaddedBytes.padding)
        let size = count + PaddedBytes.padding
        // What was not needed is given back, unless it is little.
        if capacity - count > count / 4 + 4096, let smaller = realloc(bytes, size) { bytes = smaller }
        let received = PaddedBytes(padded: Data(bytesNoCopy: bytes, count: size, deallocator: .free), count: count)
        buffer = nil
        capacity = 0
        count = 0
        return received
    }

    private mutating func grow(to capacity: Int) {
        guard let larger = realloc(buffer, capacity + PaddedBytes.padding) else { fatalError("out of memory") }
        buffer = larger
        self.capacity = capacity
    }
}
