import Foundation
import Testing
import TransferTestSupport

@testable import NetworkCache

@Suite(.timeLimit(.minutes(10)))
struct DiskRecordTests {
    private let record = DiskRecord(
        key: Array("GET https://a/".utf8), info: [1, 2, 3], payload: Data("a body of some bytes".utf8))

    private var file: Data { Data(record.encodedHead()) + record.payload }

    private func decodingError(_ file: Data) -> DiskRecordError? {
        do throws(DiskRecordError) {
            _ = try DiskRecord.decode(file)
            return nil
        } catch {
            return error
        }
    }

    private func headError(_ file: Data) -> DiskRecordError? {
        do throws(DiskRecordError) {
            _ = try file.withUnsafeBytes { bytes in
                Result { () throws(DiskRecordError) in try DiskRecordHead(bytes, fileBytes: file.count) }
            }.get()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a record is unchanged after it is encoded and decoded`() throws {
        #expect(try DiskRecord.decode(file) == record)
        #expect(file.count == record.byteCount)
        let empty = DiskRecord(key: [], info: [], payload: Data())
        #expect(try DiskRecord.decode(Data(empty.encodedHead())) == empty)
    }

    @Test func `a change of any bit is detected`() {
        for index in file.indices {
            for bit in 0..<8 {
                var changed = file
                changed[index] ^= 1 << bit
                #expect(decodingError(changed) != nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func `a change before the payload is detected without reading the payload`() {
        let head = record.encodedHead().count
        for index in 0..<head {
            var changed = file
            changed[index] ^= 0x10
            #expect(headError(changed) != nil, "byte \(index)")
        }
        #expect(headError(file) == nil)
    }

    @Test func `a truncated file, or one with extra bytes, is damaged`() {
        for count in 0..<file.count { #expect(decodingError(file.prefix(count)) == .damaged, "\(count) bytes") }
        #expect(decodingError(file + [0]) == .damaged)
        #expect(decodingError(file + file) == .damaged)
        #expect(decodingError(Data(count: file.count)) == .damaged)
    }

    @Test(arguments: [0, 2, 77, UInt32.max])
    func `a record of another format version is reported as such, and not as damaged`(version: UInt32) {
        var other = file
        withUnsafeBytes(of: version.littleEndian) { other.replaceSubrange(4..<8, with: $0) }
        #expect(decodingError(other) == .otherVersion)
    }

    @Test(arguments: [.max, .max / 2, 1 << 63, 1 << 32, 1 << 31, 21, 19, 0] as [UInt64])
    func `lengths that do not match the file size are reported as damage`(length: UInt64) {
        for offset in [24, 28, 32] {
            var other = file
            if offset == 32 {
                withUnsafeBytes(of: length.littleEndian) { other.replaceSubrange(32..<40, with: $0) }
            } else {
                let short = UInt32(truncatingIfNeeded: length)
                withUnsafeBytes(of: short.littleEndian) { other.replaceSubrange(offset..<(offset + 4), with: $0) }
            }
            #expect(decodingError(other) == .damaged, "\(length) at \(offset)")
        }
    }

    @Test func `lengths with the right sum that divide the file wrongly are reported as damage`() {
        var other = file
        withUnsafeBytes(of: UInt32(record.key.count + 1).littleEndian) { other.replaceSubrange(24..<28, with: $0) }
        withUnsafeBytes(of: UInt32(record.info.count - 1).littleEndian) { other.replaceSubrange(28..<32, with: $0) }
        #expect(decodingError(other) == .damaged)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a record with random changes is never accepted`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var bytes = Array(file)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(0..<Int.random(in: 0..<min(9, bytes.count), using: &random))
                default: bytes.insert(.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
                }
            }
            if bytes != Array(file) { #expect(decodingError(Data(bytes)) != nil) }
        }
    }
}
