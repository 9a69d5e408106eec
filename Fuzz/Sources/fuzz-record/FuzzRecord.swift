import Foundation

@testable import NetworkCache
@testable import NetworkSupport

/// libFuzzer calls it with each of its inputs. The first byte says what is done with the others: read as they are, or with checksums that are
/// right, so that what is behind them is reached too.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return -1 }
    var file = Data(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if start[0] & 1 == 1 { file = repaired(file) }
    let head = file.withUnsafeBytes { bytes in
        Result { () throws(DiskRecordError) in try DiskRecordHead(bytes, fileBytes: bytes.count) }
    }
    guard let record = try? DiskRecord.decode(file) else { return 0 }
    // Reading the head alone gives the same head as reading the whole file.
    guard case .success(let head) = head else { preconditionFailure("the head alone is refused") }
    precondition(head.key == record.key && head.info == record.info && head.payloadBytes == record.payload.count)
    precondition(record.byteCount == file.count && Data(record.encodedHead()) + record.payload == file, "written otherwise")
    for index in [0, 4, 8, 16, 24, 28, 32, 39, file.count - 1] {
        var damaged = file
        damaged[index] ^= 1 << (start[0] >> 5)
        precondition((try? DiskRecord.decode(damaged)) == nil, "damage at \(index) is not seen")
    }
    precondition((try? DiskRecord.decode(file.dropLast())) == nil && (try? DiskRecord.decode(file + [0])) == nil)
    // The result of a store.
    _ = StoredVariants.key(in: record.key)
    guard let variants = StoredVariants(record) else { return 0 }
    guard case .record(let info, let payload) = variants.replacement else { return 0 }
    precondition(payload == record.payload)
    precondition(StoredVariants.notes(in: info) == StoredVariants.notes(in: record.info))
    return 0
}

/// With the magic, version, length of the payload and checksums that such a file would have.
func repaired(_ file: Data) -> Data {
    guard file.count >= DiskRecord.fixedBytes else { return file }
    var bytes = Array(file)
    func put(_ number: some FixedWidthInteger, at offset: Int) {
        withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<(offset + $0.count), with: $0) }
    }
    bytes.replaceSubrange(0..<4, with: DiskRecordHead.magic)
    put(DiskRecord.version, at: 4)
    let (key, info) = bytes.withUnsafeBytes { (Int($0.number(at: 24) as UInt32) & 0xFF, Int($0.number(at: 28) as UInt32) & 0xFF) }
    let end = DiskRecord.fixedBytes + key + info
    guard end <= bytes.count else { return file }
    put(UInt32(key), at: 24)
    put(UInt32(info), at: 28)
    put(UInt64(bytes.count - end), at: 32)
    put(bytes[end...].withUnsafeBytes { XXHash64.hash($0) }, at: 16)
    put(bytes[16..<end].withUnsafeBytes { XXHash64.hash($0) }, at: 8)
    return Data(bytes)
}
