import Foundation

/// Puts numbers and texts one behind another.
struct ByteWriter {
    private var bytes = Data()

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Its length, and its UTF-8.
    mutating func add(_ text: String) {
        add(UInt32(truncatingIfNeeded: text.utf8.count))
        var text = text
        text.withUTF8 { bytes.append(contentsOf: UnsafeRawBufferPointer($0)) }
    }

    /// Without a length.
    mutating func add(_ data: Data) {
        bytes.append(data)
    }

    /// What was put together so far.
    var data: Data { bytes }

    /// All of it, with the checksum of what follows put in eight bytes at an offset.
    consuming func finished(checksumAt offset: Int) -> Data {
        let sum = Self.checksum(of: bytes, from: offset + 8)
        for index in 0..<8 { bytes[bytes.startIndex + offset + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(index))) }
        return bytes
    }

    static func checksum(of data: Data, from offset: Int) -> UInt64 {
        data.withUnsafeBytes { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[min(offset, $0.count)...])) }
    }
}
