import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import Testing

@testable import NetworkCache

struct StoredResponseTests {
    static let sample = StoredResponse.make(
        HeaderFields(lines: "Cache-Control: max-age=60", "ETag: \"ä\"", "X-Empty:", "X-Twice: 1", "X-Twice: 2"), status: 404,
        body: "body\0\r\n", varying: [.init(name: "accept", value: "a/b"), .init(name: "range", value: nil)],
        partition: CachePartition(named: "someone"), age: 0.123)

    @Test
    func `a stored response is unchanged after it is encoded and decoded`() throws {
        #expect(try StoredResponse(encoded: Self.sample.encoded()) == Self.sample)
        let plain = StoredResponse.make([:], body: "")
        #expect(try StoredResponse(encoded: plain.encoded()) == plain)
    }

    @Test
    func `an encoding without a checksum can be decoded only without comparing one`() throws {
        let bytes = Self.sample.encoded(hasChecksum: false)
        #expect(try StoredResponse(encoded: bytes, maximumBytes: .max, comparesChecksum: false) == Self.sample)
        #expect(throws: StoredResponseError.self) { try StoredResponse(encoded: bytes) }
    }

    @Test
    func `a slice of a larger buffer can be decoded`() throws {
        let bytes = Data([1, 2, 3]) + Self.sample.encoded()
        #expect(try StoredResponse(encoded: bytes.dropFirst(3)) == Self.sample)
    }

    @Test
    func `an entry is unchanged after it is encoded and decoded, and damaged bytes are an error`() throws {
        let entry = CacheEntry(Self.sample)
        let decoded = try CacheEntry(encoded: entry.encoded())
        #expect(decoded.response == Self.sample)
        #expect(decoded.isSameVariant(as: entry))
        #expect(decoded.key == Self.sample.key && decoded.storedAt == Self.sample.responseTime)
        let error = #expect(throws: CacheStoreError.self) { try CacheEntry(encoded: entry.encoded().dropLast()) }
        #expect(error?.code == .encoding)
    }

    @Test
    func `any changed, missing or additional byte is an error`() {
        let bytes = Self.sample.encoded()
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1 << UInt8(index % 8)
            #expect(throws: StoredResponseError.self) { try StoredResponse(encoded: damaged) }
            #expect(throws: StoredResponseError.self) { try StoredResponse(encoded: bytes.prefix(index)) }
        }
        #expect(throws: StoredResponseError.self) { try StoredResponse(encoded: bytes + [0]) }
    }

    @Test
    func `malicious bytes with a valid checksum do not trap, and decode only to valid responses`() {
        let bytes = Self.sample.encoded()
        var read = 0
        for index in 16..<bytes.count {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var hostile = bytes
                hostile[index] = value
                guard let stored = try? StoredResponse(encoded: hostile.rechecked()) else { continue }
                read += 1
                // A response that was accepted is unchanged after it is encoded and decoded.
                #expect((try? StoredResponse(encoded: stored.encoded())) == stored)
            }
        }
        #expect(read > 0)
    }

    @Test(arguments: [
        (4, 2, "otherVersion"), (0, 0, "malformed"), (8, 0, "damaged"),
    ])
    func `a decoding error states the kind of damage`(offset: Int, value: UInt8, code: String) throws {
        var bytes = Self.sample.encoded()
        bytes[offset] = value
        let error = #expect(throws: StoredResponseError.self) { try StoredResponse(encoded: bytes) }
        #expect(error?.code.rawValue == code)
    }

    @Test
    func `data larger than the limit is not decoded`() {
        let bytes = Self.sample.encoded()
        let error = #expect(throws: StoredResponseError.self) {
            try StoredResponse(encoded: bytes, maximumBytes: bytes.count - 1)
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("\(bytes.count - 1)") == true)
        #expect(throws: Never.self) { try StoredResponse(encoded: bytes, maximumBytes: bytes.count) }
    }

    @Test(arguments: ["X-A\r\nX-B: 1", "X A", ""])
    func `an encoded response with an invalid field name is rejected`(name: String) {
        let stored = StoredResponse.make([name: "1"])
        #expect(throws: StoredResponseError.self) { try StoredResponse(encoded: stored.encoded()) }
    }

    @Test
    func `an encoded field value with a line break is rejected`() {
        #expect(throws: StoredResponseError.self) {
            try StoredResponse(encoded: StoredResponse.make(["X-A": "1\r\nX-B: 2"]).encoded())
        }
    }

    @Test
    func `an invalid date is rejected`() {
        for seconds in [Double.nan, .infinity, 1e300] {
            var stored = Self.sample
            stored.responseTime = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(throws: StoredResponseError.self) { try StoredResponse(encoded: stored.encoded()) }
        }
    }

    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func `the checksum is XXH64`(text: String, expected: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) } == expected)
    }

    @Test
    func `descriptions contain no body, query or secret`() throws {
        var stored = StoredResponse.make(["Set-Cookie": "canary", "X-Token": "canary"], path: "a?key=canary", body: "canary")
        stored.varying = [.init(name: "cookie", value: "canary")]
        var dumped = ""
        dump(stored, to: &dumped)
        dump(stored.varying, to: &dumped)
        #expect(!(dumped + "\(stored)" + String(reflecting: stored)).contains("canary"))
    }
}

extension Data {
    /// Replaces the checksum with one that matches the data.
    func rechecked() -> Data {
        var data = self
        let sum = ByteWriter.checksum(of: data, from: 16)
        for index in 0..<8 { data[data.startIndex + 8 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(index))) }
        return data
    }
}
