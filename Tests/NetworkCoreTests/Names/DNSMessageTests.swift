import NetworkTransport
import Testing

@testable import NetworkEngine

/// Queries, and responses that are valid.
struct DNSMessageTests {
    private func bytes(_ hex: String) -> [UInt8] {
        hex.split(whereSeparator: \.isWhitespace).joined().enumerated().reduce(into: [UInt8]()) { bytes, digit in
            let value = UInt8(digit.element.hexDigitValue ?? 0)
            if digit.offset.isMultiple(of: 2) { bytes.append(value << 4) } else { bytes[bytes.count - 1] |= value }
        }
    }

    private func texts(_ response: DNSMessage.Response) -> [String] { response.addresses.map(\.text) }

    // MARK: Queries

    /// The example of RFC 8484 §4.1.1.
    @Test func `a query is that of the RFC`() {
        let query = bytes(
            """
            00 00 01 00 00 01 00 00 00 00 00 00 03 77 77 77 07 65 78 61 6d 70 6c 65 03 63 6f 6d 00 00 01 00 01
            """)
        #expect(DNSMessage.query("www.example.com", .a) == query)
        #expect(DNSMessage.query("WWW.Example.com.", .a) == query)
        #expect(DNSMessage.query("www.example.com", .aaaa) == query.dropLast(3) + [28, 0, 1])
    }

    @Test(arguments: ["", ".", "a..b", ".a", "a..", "é.test", String(repeating: "a", count: 64) + ".test"])
    func `a name without a valid form has no query`(_ name: String) {
        #expect(DNSMessage.query(name, .a) == nil)
        #expect(throws: DNSError.self) { try DNSMessage.response(DNSWriter("v4.test").bytes, to: name, .a) }
    }

    @Test func `a name has at most 253 bytes, without the final dot`() throws {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(longest.utf8.count == 253)
        #expect(try #require(DNSMessage.query(longest, .a)).count == 12 + 255 + 4)
        #expect(DNSMessage.query(longest + ".", .a) != nil)
        #expect(DNSMessage.query(longest + "b", .a) == nil)
        var writer = DNSWriter(longest)
        writer.setCount(0, 1)
        writer.address(longest, [1, 2, 3, 4])
        #expect(texts(try DNSMessage.response(writer.bytes, to: longest, .a)) == ["1.2.3.4"])
    }

    // MARK: Addresses

    /// The example of RFC 8484 §4.2.1, whose query is for `www.example.com` and the type AAAA.
    @Test func `the response of the RFC is read`() throws {
        let response = bytes(
            """
            00 00 81 80 00 01 00 01 00 00 00 00 03 77 77 77 07 65 78 61 6d 70 6c 65 03 63 6f 6d 00 00 1c 00 01
            c0 0c 00 1c 00 01 00 00 0e 7d 00 10 20 01 0d b8 ab cd 00 12 00 01 00 02 00 03 00 04
            """)
        let address = try #require(IPAddress("2001:db8:abcd:12:1:2:3:4"))
        #expect(
            try DNSMessage.response(response, to: "WWW.example.com", .aaaa)
                == DNSMessage.Response(addresses: [address], lifetime: 3709, isMissing: false))
    }

    @Test func `the lifetime is the smallest TTL of the records that are used`() throws {
        var writer = DNSWriter("a.test")
        writer.setCount(0, 6)
        writer.address("b.test", [1, 2, 3, 4], ttl: 1)
        writer.address("c.test", [1, 2, 3, 4], ttl: 50)
        writer.address("C.Test", [1, 2, 3, 5], ttl: 40)
        writer.alias("other.test", "c.test", ttl: 2)
        writer.alias("b1.test", "c.test", ttl: 70)
        writer.alias("A.test", "b1.TEST", ttl: 30)
        let response = try DNSMessage.response(writer.bytes, to: "a.test", .a)
        #expect(texts(response) == ["1.2.3.4", "1.2.3.5"])
        #expect(response.lifetime == 30 && !response.isMissing)
    }

    @Test(
        arguments: [(0, 0), (1, 1), (86_400, 86_400), (86_401, 86_400), (0x7FFF_FFFF, 86_400), (0x8000_0001, 0)]
            as [(UInt32, UInt32)])
    func `a TTL is not negative (RFC 2181 §8), and at most a day`(_ ttl: UInt32, _ lifetime: UInt32) throws {
        var writer = DNSWriter("a.test")
        writer.setCount(0, 1)
        writer.address("a.test", [1, 2, 3, 4], ttl: ttl)
        #expect(try DNSMessage.response(writer.bytes, to: "a.test", .a).lifetime == lifetime)
    }

    @Test func `at most 16 addresses are kept, each once`() throws {
        var writer = DNSWriter("a.test")
        writer.setCount(0, 40)
        for number in 0..<40 { writer.address("a.test", [10, 0, 0, UInt8(number / 2)]) }
        #expect(texts(try DNSMessage.response(writer.bytes, to: "a.test", .a)) == (0..<16).map { "10.0.0.\($0)" })
    }

    @Test func `records of other types and classes are ignored`() throws {
        var writer = DNSWriter("a.test")
        writer.setCount(0, 4)
        writer.address("a.test", [UInt8](repeating: 1, count: 16))
        writer.record("a.test", 1, class: 3) { $0.append(UInt16(7)) }
        writer.record("a.test", 46) { $0.append(UInt16(7)) }
        writer.address("a.test", [1, 2, 3, 4])
        #expect(texts(try DNSMessage.response(writer.bytes, to: "a.test", .a)) == ["1.2.3.4"])
    }

    @Test(arguments: [0, 1, 15, 16, 17, 60])
    func `at most 16 aliases are followed`(_ count: Int) throws {
        var writer = DNSWriter("n0.test")
        writer.setCount(0, count + 1)
        for number in (0..<count).reversed() { writer.alias("n\(number).test", "n\(number + 1).test") }
        writer.address("n\(count).test", [1, 2, 3, 4])
        let response = try? DNSMessage.response(writer.bytes, to: "n0.test", .a)
        #expect(response.map(texts) == (count <= 16 ? ["1.2.3.4"] : nil))
    }

    @Test(arguments: [1, 2, 3]) func `aliases that form a loop are an error`(_ length: Int) {
        var writer = DNSWriter("n0.test")
        writer.setCount(0, length)
        for number in 0..<length { writer.alias("n\(number).test", "n\((number + 1) % length).test") }
        #expect(throws: DNSError("the aliases (CNAME) of the name form a loop or are more than 16")) {
            try DNSMessage.response(writer.bytes, to: "n0.test", .a)
        }
    }

    // MARK: Missing addresses

    @Test(
        arguments: [(300, 60, 60), (60, 300, 60), (0x8000_0000, 9, 0), (100_000, 100_000, 86_400)] as [(UInt32, UInt32, UInt32)])
    func `a negative response lives as long as its SOA record says (RFC 2308 §5)`(
        _ ttl: UInt32, _ minimum: UInt32, _ lifetime: UInt32
    ) throws {
        for (flags, zone) in [(0x8183, "test"), (0x8180, "a.test"), (0x8180, "")] as [(UInt16, String)] {
            var writer = DNSWriter("a.test", flags: flags)
            writer.setCount(1, 1)
            writer.authority(zone, ttl: ttl, minimum: minimum)
            #expect(
                try DNSMessage.response(writer.bytes, to: "a.test", .a)
                    == DNSMessage.Response(addresses: [], lifetime: lifetime, isMissing: true))
        }
    }

    @Test func `a negative response is not kept without an SOA record of the zone`() throws {
        for zone in [nil, "other.test", "b.a.test", "xa.test"] {
            var writer = DNSWriter("a.test", flags: 0x8183)
            if let zone {
                writer.setCount(1, 1)
                writer.authority(zone, ttl: 60, minimum: 60)
            }
            let missing = DNSMessage.Response(addresses: [], lifetime: 0, isMissing: true)
            #expect(try DNSMessage.response(writer.bytes, to: "a.test", .a) == missing, "\(zone ?? "no zone")")
        }
    }

    /// RFC 6604 §3.
    @Test func `with aliases, a negative response is about the last name`() throws {
        for flags in [0x8183, 0x8180] as [UInt16] {
            var writer = DNSWriter("a.test", flags: flags)
            writer.setCount(0, 1)
            writer.setCount(1, 1)
            writer.alias("a.test", "b.example", ttl: 20)
            writer.authority("example", ttl: 60, minimum: 30)
            #expect(
                try DNSMessage.response(writer.bytes, to: "a.test", .a)
                    == DNSMessage.Response(addresses: [], lifetime: 20, isMissing: true))
        }
    }
}
