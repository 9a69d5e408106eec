/// Bytes that keep their place in memory, for C code that does not copy them.
// Sendable although unchecked: written once, in `init`.
final class StableBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
        buffer = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        count = bytes.count
        buffer.copyBytes(from: bytes)
    }

    deinit {
        buffer.deallocate()
    }

    let count: Int
    var start: UnsafeRawPointer? { UnsafeRawPointer(buffer.baseAddress) }
}
