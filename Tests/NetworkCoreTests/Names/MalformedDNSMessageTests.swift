import NetworkTransport
import TestSupport
import Testing

@testable import NetworkEngine

/// Responses that are malformed, hostile, or not for the query.
struct MalformedDNSMessageTests {
    private func error(_ bytes: [UInt8], _ type: DNSMessage.RecordType = .a) -> String? {
        do throws(DNSError) {
            _ = try DNSMessage.response(bytes, to: "a.test", type)
            return nil
        } catch {
            return error.message
        }
    }

    /// A response with an alias and an address.
    private var response: DNSWriter {
        var writer = DNSWriter("a.test")
        writer.setCount(0, 2)
        writer.alias("a.test", "b.test")
        writer.address("b.test", [1, 2, 3, 4])
        return writer
    }

    private func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = response.bytes
        change(&bytes)
        return bytes
    }

    @Test(
        arguments: [
            (0x8181, "the name server reports FORMERR"), (0x8182, "the name server reports SERVFAIL"),
            (0x8184, "the name server reports NOTIMP"), (0x8185, "the name server reports REFUSED"),
            (0x818A, "the name server reports NOTZONE"), (0x818F, "the name server reports response code 15"),
            (0x8380, "the response is truncated (TC)"), (0x0180, "the message is a query, not a response"),
            (0xA180, "the response is to another kind of query (OPCODE 4)"),
        ] as [(UInt16, String)])
    func `the header says that the response is of no use`(_ flags: UInt16, _ message: String) {
        #expect(error(DNSWriter("a.test", flags: flags).bytes) == message)
    }

    @Test func `an error may have no question`() {
        #expect(error([0, 0, 0x81, 0x82] + [UInt8](repeating: 0, count: 8)) == "the name server reports SERVFAIL")
    }

    @Test func `the question must be the one that was asked`() {
        #expect(error(response.bytes) == nil)
        #expect(error(response.bytes, .aaaa) == "the response is to another question")
        #expect(error(DNSWriter("b.test").bytes) == "the response is to another question")
        #expect(error(DNSWriter("a.test.test").bytes) == "the response is to another question")
        #expect(error(changed { $0[5] = 2 }) == "the response repeats 2 questions, not one")
        #expect(error(changed { $0[5] = 0 }) == "the response repeats 0 questions, not one")
        // The class, whose last byte is at 12 + 8 + 3.
        #expect(error(changed { $0[23] = 3 }) == "the response is to another question")
    }

    @Test func `a response that is cut anywhere is malformed, at the section in which it ends`() {
        let bytes = response.bytes
        for count in 0..<bytes.count {
            let section = count < 12 ? "header" : count < 24 ? "question" : "section of records"
            #expect(error(Array(bytes[..<count])) == "the response is malformed in its \(section)", "\(count)")
        }
        var missing = DNSWriter("a.test", flags: 0x8183)
        missing.setCount(1, 1)
        missing.authority("test", ttl: 1, minimum: 1)
        for count in 24..<missing.bytes.count {
            #expect(error(Array(missing.bytes[..<count])) == "the response is malformed in its authority section", "\(count)")
        }
    }

    @Test func `bytes after the message are ignored, up to the size that DNS permits`() {
        let rest = [UInt8](repeating: 7, count: 65_535 - response.bytes.count)
        #expect(error(response.bytes + rest) == nil)
        #expect(error(response.bytes + rest + [0]) == "the response has more than 65535 bytes")
    }

    @Test func `data must have the form of its type`() {
        for count in [0, 3, 5] {
            var writer = DNSWriter("a.test")
            writer.setCount(0, 1)
            writer.record("other.test", 1) { for _ in 0..<count { $0.append(raw: [1]) } }
            #expect(error(writer.bytes) == "the response is malformed in its section of records: an address has \(count) bytes")
        }
        for data in [[], [1], [0, 0], [0xC0], [0xC0, 12, 0], [0x80, 0], [0x40, 0]] as [[UInt8]] {
            var writer = DNSWriter("a.test")
            writer.setCount(0, 1)
            writer.record("a.test", 5) { $0.append(raw: data) }
            #expect(
                error(writer.bytes) == "the response is malformed in its section of records: an alias (CNAME) is not a name",
                "\(data)")
        }
        var writer = DNSWriter("a.test", flags: 0x8183)
        writer.setCount(1, 1)
        writer.record("test", 6) { $0.append(raw: [0, 0] + [UInt8](repeating: 0, count: 19)) }
        #expect(error(writer.bytes) == "the response is malformed in its authority section: its SOA record")
    }

    /// RFC 1035 §4.1.4: a pointer leads to a prior occurrence of a name.
    @Test func `compression pointers lead backwards only`() {
        // The first record begins at 24.
        for target in [0, 11, 24, 25, 26, 60, 0x3FFF] as [UInt16] {
            var writer = DNSWriter("a.test")
            writer.setCount(0, 1)
            writer.append(0xC000 | target)
            for number in [1, 1, 0, 60, 4, 0, 0] as [UInt16] { writer.append(number) }
            #expect(error(writer.bytes) == "the response is malformed in its section of records", "\(target)")
        }
        // A label, and a pointer to it: without the rule, an endless name.
        #expect(error(changed { $0 = Array($0[..<24]) + [1, 97, 0xC0, 24] + [UInt8](repeating: 0, count: 20) }) != nil)
    }

    @Test(arguments: [1, 63, 64, 65, 500]) func `a name has at most 64 compression pointers`(_ count: Int) {
        var writer = DNSWriter("a.test")
        writer.setCount(0, 2)
        // A record whose data is a chain of pointers, the first of which leads to the question.
        writer.record("x.test", 99) { writer in
            for number in 0..<count - 1 { writer.append(0xC000 | UInt16(number == 0 ? 12 : writer.bytes.count - 2)) }
        }
        writer.append(0xC000 | UInt16(count == 1 ? 12 : writer.bytes.count - 2))
        for number in [1, 1, 0, 60, 4, 0, 0] as [UInt16] { writer.append(number) }
        #expect((error(writer.bytes) == nil) == (count <= 64))
    }

    @Test(arguments: [127, 128]) func `a name that is put together has at most 255 bytes`(_ count: Int) {
        var writer = DNSWriter("a.test")
        writer.setCount(0, 2)
        writer.record("x.test", 99) { writer in
            for _ in 0..<count - 64 { writer.append(raw: [1, 98]) }
            writer.append(raw: [0])
        }
        let start = writer.bytes.count - (count - 64) * 2 - 1
        for _ in 0..<64 { writer.append(raw: [1, 98]) }
        writer.append(0xC000 | UInt16(start))
        for number in [99, 1, 0, 60, 0] as [UInt16] { writer.append(number) }
        #expect((error(writer.bytes) == nil) == (count * 2 + 1 <= 255))
    }

    @Test func `a message of the maximum size with the most records is read in a bounded time`() {
        var writer = DNSWriter("a.test")
        writer.record("x.test", 99) { writer in
            for number in 0..<60 { writer.append(0xC000 | UInt16(number == 0 ? 12 : writer.bytes.count - 2)) }
        }
        let pointer = 0xC000 | UInt16(writer.bytes.count - 2)
        var count = 1
        while writer.bytes.count + 14 <= 65_535 {
            writer.append(pointer)
            for number in [5, 1, 0, 60, 2] as [UInt16] { writer.append(number) }
            writer.append(pointer)
            count += 1
        }
        writer.setCount(0, count)
        #expect(error(writer.bytes)?.contains("loop") == true)
    }

    @Test(arguments: 0..<20) func `random bytes and mutations never trap`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var bytes =
                random.chance(10)
                ? (0..<random.below(80)).map { _ in UInt8(random.below(256)) } : RandomDNSResponse(&random).bytes
            for _ in 0..<1 + random.below(6) where !bytes.isEmpty {
                let place = random.below(bytes.count)
                switch random.below(5) {
                case 0: bytes[place] = UInt8(random.below(256))
                case 1: bytes[place] ^= 1 << UInt8(random.below(8))
                case 2: bytes.insert(UInt8(random.below(256)), at: place)
                case 3: bytes.remove(at: place)
                default: bytes[place] = random.pick([0, 0xC0, 0xFF, 12, 63])
                }
            }
            for type in [DNSMessage.RecordType.a, .aaaa] {
                guard let response = try? DNSMessage.response(bytes, to: RandomDNSResponse.asked, type) else { continue }
                #expect(response.isMissing == response.addresses.isEmpty)
                #expect(response.addresses.count <= 16 && response.lifetime <= 86_400)
            }
        }
    }
}
