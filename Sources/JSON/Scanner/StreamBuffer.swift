import NetworkSupport

/// The bytes of a stream that have not been decoded, followed by ``NetworkSupport/PaddedBytes/padding`` zeros.
struct StreamBuffer {
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The offsets of the first byte that has not been consumed, and of the end.
    private(set) var start = 0
    private(set) var end = 0
    /// The number of bytes of the stream before `start`.
    private(set) var consumed = 0

    init(capacity: Int = 16 << 10) {
        self.capacity = capacity
        memory = .allocate(capacity: capacity)
        memory.initialize(repeating: 0, count: PaddedBytes.padding)
    }

    func deallocate() { memory.deallocate() }

    var count: Int { end - start }
    @inline(__always) var text: UnsafeMutablePointer<UInt8> { memory + start }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        let needed = count + bytes.count + PaddedBytes.padding
        if end + bytes.count + PaddedBytes.padding > capacity {
            // Moved to the front only if that frees half of the capacity, so that each byte is moved a few times at most.
            if needed <= capacity / 2 {
                memory.update(from: memory + start, count: count)
            } else {
                capacity = max(2 * capacity, needed)
                let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
                moved.update(from: memory + start, count: count)
                memory.deallocate()
                memory = moved
            }
            end = count
            start = 0
        }
        UnsafeMutableRawPointer(memory + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
        (memory + end).update(repeating: 0, count: PaddedBytes.padding)
    }

    /// Removes bytes from the front.
    @inline(__always)
    mutating func consume(_ count: Int) {
        start &+= count
        consumed &+= count
    }
}
