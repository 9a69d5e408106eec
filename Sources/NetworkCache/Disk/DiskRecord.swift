import Foundation
import NetworkSupport

/// The contents of a file in a ``RecordFolder``: a key, metadata about the payload (the info), and the payload.
///
/// The file begins with a fixed part of 40 bytes, in which all numbers are little-endian. Key, info and payload follow:
///
///     0   "SDTR"
///     4   version, 32 bits
///     8   XXH64 of all bytes from 16 up to the payload
///     16  XXH64 of the payload
///     24  length of the key, 32 bits
///     28  length of the info, 32 bits
///     32  length of the payload, 64 bits
///
/// Therefore the head can be read without the payload, and a change of any byte is detected.
struct DiskRecord: Equatable, Sendable {
    static let version: UInt32 = 1
    /// The size of the fixed part, in bytes.
    static let fixedBytes = 40
    /// The maximum size of the key, and of the info, in bytes.
    static let maximumHeadPartBytes = 1 << 20

    var key: [UInt8]
    var info: [UInt8]
    var payload: Data

    var byteCount: Int { Self.fixedBytes + key.count + info.count + payload.count }

    /// Returns all bytes before the payload. Key and info must not exceed their maximum size.
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

    /// Decodes the record in a complete file.
    static func decode(_ file: Data) throws(DiskRecordError) -> DiskRecord {
        let result = file.withUnsafeBytes { bytes in
            Result { () throws(DiskRecordError) in
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

/// The reason why a file is not a valid record.
enum DiskRecordError: Error {
    /// The file has another format version. It is not removed, because an application that uses this version may still run.
    case otherVersion
    /// The file has other contents than were written, and is useless.
    case damaged
    /// The file cannot be read now, or exceeds the maximum size.
    case unreadable
}

/// A record without its payload.
struct DiskRecordHead: Equatable, Sendable {
    static let magic = Array("SDTR".utf8)

    var key: [UInt8]
    var info: [UInt8]
    var payloadBytes: Int
    var payloadChecksum: UInt64

    var headBytes: Int { DiskRecord.fixedBytes + key.count + info.count }

    /// Decodes a head and verifies its checksum.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of the file, at least up to the end of the info.
    ///   - fileBytes: The size of the whole file.
    init(_ bytes: UnsafeRawBufferPointer, fileBytes: Int) throws(DiskRecordError) {
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

    /// Returns the lengths of key and info from the fixed part, after checking that they and the payload add up to the file's
    /// size.
    static func lengths(_ bytes: UnsafeRawBufferPointer, fileBytes: Int) throws(DiskRecordError) -> (key: Int, info: Int) {
        guard bytes.count >= DiskRecord.fixedBytes, bytes[..<4].elementsEqual(magic) else { throw .damaged }
        guard bytes.number(at: 4) as UInt32 == DiskRecord.version else { throw .otherVersion }
        let (key, info) = (Int(bytes.number(at: 24) as UInt32), Int(bytes.number(at: 28) as UInt32))
        let limit = DiskRecord.maximumHeadPartBytes
        // The limits prevent an overflow of the sum.
        guard key <= limit, info <= limit, let payload = Int(exactly: bytes.number(at: 32) as UInt64),
            payload == fileBytes - DiskRecord.fixedBytes - key - info
        else { throw .damaged }
        return (key, info)
    }

    /// Returns the checksum of a head. The bytes that it does not cover are compared with their expected values instead.
    ///
    /// - Parameter head: All bytes up to the end of the info.
    static func checksum(_ head: UnsafeRawBufferPointer) -> UInt64 {
        XXHash64.hash(UnsafeRawBufferPointer(rebasing: head[16...]))
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the little-endian number at an offset. The buffer must contain all of its bytes.
    func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension [UInt8] {
    /// Appends a number in little-endian byte order.
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
