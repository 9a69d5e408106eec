import Foundation

/// What one file of a ``RecordFolder`` holds: a key, a few bytes about the payload, and the payload.
///
/// The file begins with forty bytes, all numbers little-endian; key, info and payload follow, and nothing behind them:
///
///     0   "SDTR"
///     4   version, 32 bits
///     8   XXH64 of all that follows up to the payload
///     16  XXH64 of the payload
///     24  length of the key, 32 bits
///     28  length of the info, 32 bits
///     32  length of the payload, 64 bits
///
/// So all but the payload can be read alone, and no byte can change without being noticed.
struct DiskRecord: Equatable, Sendable {
    static let version: UInt32 = 1
    /// What is not part of key, info or payload.
    static let fixedBytes = 40
    /// The longest key, and the longest info.
    static let maximumHeadPartBytes = 1 << 20

    var key: [UInt8]
    var info: [UInt8]
    var payload: Data

    var byteCount: Int { Self.fixedBytes + key.count + info.count + payload.count }

    /// All that comes before the payload. Key and info have to be within their limit.
    func encodedHead() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.fixedBytes + key.count + info.count)
        bytes += DiskRecordHead.magic
        bytes.append(number: Self.version)
        bytes.append(number: UInt64(0))
        bytes.append(number: payload.withUnsafeBytes { XXHash64.hash($0) })
        bytes.append(number: UInt32(key.count))
        bytes.append(number: UInt32(info.count))
        bytes.append(number: UInt64(payload.count))
        bytes += key
        bytes += info
        let checksum = bytes.withUnsafeBytes(DiskRecordHead.checksum)
        withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(8..<16, with: $0) }
        return bytes
    }

    /// The record in a whole file.
    static func decode(_ file: Data) throws(DiskRecordFlaw) -> DiskRecord {
        let result = file.withUnsafeBytes { bytes in
            Result { () throws(DiskRecordFlaw) in
                let head = try DiskRecordHead(bytes, fileBytes: file.count)
                let payload = UnsafeRawBufferPointer(rebasing: bytes[head.headBytes...])
                guard XXHash64.hash(payload) == head.payloadChecksum else { throw .damaged }
                return head
            }
        }
        let head = try result.get()
        return DiskRecord(key: head.key, info: head.info, payload: file.dropFirst(head.headBytes))
    }
}

/// Why a file is no record.
enum DiskRecordFlaw: Error {
    /// Written by another version of this format: it is left where it is, as that version may still be in use.
    case otherVersion
    /// Anything else than what was written: it is of no use to anybody.
    case damaged
    /// It cannot be read now, or is longer than may be read.
    case unreadable
}

/// All of a record but its payload.
struct DiskRecordHead: Equatable, Sendable {
    static let magic = Array("SDTR".utf8)

    var key: [UInt8]
    var info: [UInt8]
    var payloadBytes: Int
    var payloadChecksum: UInt64

    var headBytes: Int { DiskRecord.fixedBytes + key.count + info.count }

    /// - Parameters:
    ///   - bytes: The file's beginning, up to the end of the info at least.
    ///   - fileBytes: How long the whole file is.
    init(_ bytes: UnsafeRawBufferPointer, fileBytes: Int) throws(DiskRecordFlaw) {
        let lengths = try Self.lengths(bytes, fileBytes: fileBytes)
        let end = DiskRecord.fixedBytes + lengths.key + lengths.info
        guard bytes.count >= end, Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<end])) == bytes.number(at: 8) else {
            throw .damaged
        }
        let keyEnd = DiskRecord.fixedBytes + lengths.key
        key = Array(bytes[DiskRecord.fixedBytes..<keyEnd])
        info = Array(bytes[keyEnd..<end])
        payloadBytes = fileBytes - end
        payloadChecksum = bytes.number(at: 16)
    }

    /// How long key and info are, from the first forty bytes; they are within the file, and what is left over is the payload.
    static func lengths(_ bytes: UnsafeRawBufferPointer, fileBytes: Int) throws(DiskRecordFlaw) -> (key: Int, info: Int) {
        guard bytes.count >= DiskRecord.fixedBytes, bytes[..<4].elementsEqual(magic) else { throw .damaged }
        guard bytes.number(at: 4) as UInt32 == DiskRecord.version else { throw .otherVersion }
        let (key, info) = (Int(bytes.number(at: 24) as UInt32), Int(bytes.number(at: 28) as UInt32))
        let limit = DiskRecord.maximumHeadPartBytes
        // No sum of these can overflow.
        guard key <= limit, info <= limit, let payload = Int(exactly: bytes.number(at: 32) as UInt64),
            payload == fileBytes - DiskRecord.fixedBytes - key - info
        else { throw .damaged }
        return (key, info)
    }

    /// - Parameter head: All up to the end of the info. What is not under the checksum is compared with what it has to be.
    static func checksum(_ head: UnsafeRawBufferPointer) -> UInt64 {
        XXHash64.hash(UnsafeRawBufferPointer(rebasing: head[16...]))
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number. The bytes have to be there.
    func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension [UInt8] {
    /// Little-endian.
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
