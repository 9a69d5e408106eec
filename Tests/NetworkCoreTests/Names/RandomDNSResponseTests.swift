import NetworkTransport
import TestSupport
import Testing

@testable import NetworkEngine

/// A random response to the query for ``asked``, with what it says.
struct RandomDNSResponse {
    static let asked = "start.zone.test"

    let bytes: [UInt8]
    let type: DNSMessage.RecordType
    let expected: DNSMessage.Response

    /// Decides first what the response says, and writes it with records that have no effect, in a random order.
    init(_ random: inout SeededGenerator) {
        let type: DNSMessage.RecordType = random.chance(50) ? .a : .aaaa
        let chain =
            [Self.asked]
            + (0..<random.pick([0, 0, 1, 2, 16])).map { "alias\($0).\(random.pick(["zone.test", "test", "example"]))" }
        let owner = chain[chain.count - 1]
        let isUnknown = random.chance(15)
        let count = isUnknown ? 0 : random.pick([0, 1, 2, 5, 20])
        var expected = DNSMessage.Response(addresses: [], lifetime: 86_400, isMissing: count == 0)
        // Each record is written by a closure, so that the order is chosen afterwards.
        var aliases: [(inout DNSWriter, Bool) -> Void] = []
        var addresses: [(inout DNSWriter, Bool) -> Void] = []

        func lifetime() -> UInt32 {
            let ttl = random.pick([0, 1, 60, 3600, 86_400, 100_000, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
            expected.lifetime = min(expected.lifetime, ttl > 0x7FFF_FFFF ? 0 : min(ttl, 86_400))
            return ttl
        }
        for (name, target) in zip(chain, chain.dropFirst()) {
            let (name, target, ttl) = (Self.recased(name, &random), Self.recased(target, &random), lifetime())
            aliases.append { $0.alias(name, target, ttl: ttl, isCompressed: $1) }
        }
        for _ in 0..<count {
            let data = (0..<(type == .a ? 4 : 16)).map { _ in UInt8(random.pick([0, 1, 255])) }
            let (name, ttl) = (Self.recased(owner, &random), lifetime())
            addresses.append { $0.address(name, data, ttl: ttl, isCompressed: $1) }
            if let address = IPAddress(bytes: data), !expected.addresses.contains(address), expected.addresses.count < 16 {
                expected.addresses.append(address)
            }
        }
        let (ttl, minimum, hasAuthority) = (UInt32(random.below(200)), UInt32(random.below(200)), random.chance(70))
        if count == 0 { expected.lifetime = hasAuthority ? min(expected.lifetime, ttl, minimum) : 0 }

        var writer = DNSWriter(Self.recased(Self.asked, &random), type.rawValue, flags: isUnknown ? 0x8183 : 0x8180)
        var records = 0
        while !aliases.isEmpty || !addresses.isEmpty || random.chance(20) {
            records += 1
            let isCompressed = random.chance(70)
            if random.chance(25) {
                Self.writeOther(to: &writer, type, owner, &random)
            } else if !addresses.isEmpty, aliases.isEmpty || random.chance(50) {
                // Addresses keep their order.
                addresses.removeFirst()(&writer, isCompressed)
            } else if !aliases.isEmpty {
                aliases.remove(at: random.below(aliases.count))(&writer, isCompressed)
            } else {
                records -= 1
            }
        }
        writer.setCount(0, records)
        if hasAuthority {
            writer.setCount(1, 2)
            writer.authority("elsewhere.test", ttl: 0, minimum: 0)
            let labels = owner.split(separator: ".")
            writer.authority(labels.suffix(1 + random.below(labels.count)).joined(separator: "."), ttl: ttl, minimum: minimum)
        }
        (bytes, self.type, self.expected) = (writer.bytes, type, expected)
    }

    /// Writes a record that has no effect.
    private static func writeOther(
        to writer: inout DNSWriter, _ type: DNSMessage.RecordType, _ owner: String, _ random: inout SeededGenerator
    ) {
        switch random.below(5) {
        case 0: writer.address("x" + owner, [UInt8](repeating: 9, count: type == .a ? 4 : 16), ttl: 0)
        case 1: writer.address(owner, [UInt8](repeating: 9, count: type == .a ? 16 : 4), ttl: 0)
        case 2: writer.alias("other.test", asked, ttl: 0)
        case 3: writer.record(owner, type.rawValue, class: 3, ttl: 0) { $0.append(UInt16(9)) }
        default: writer.record(owner, 46, ttl: 0) { $0.append(UInt16(9)) }
        }
    }

    private static func recased(_ name: String, _ random: inout SeededGenerator) -> String {
        guard random.chance(30) else { return name }
        return String(name.map { random.chance(50) ? Character($0.uppercased()) : $0 })
    }
}

/// Random responses, and what they say.
struct RandomDNSResponseTests {
    @Test(arguments: 0..<20) func `a random response says what was written`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let response = RandomDNSResponse(&random)
            let read = try DNSMessage.response(response.bytes, to: RandomDNSResponse.asked, response.type)
            #expect(read == response.expected, "\(response.bytes)")
            let other: DNSMessage.RecordType = response.type == .a ? .aaaa : .a
            #expect(throws: DNSError("the response is to another question")) {
                try DNSMessage.response(response.bytes, to: RandomDNSResponse.asked, other)
            }
        }
    }
}
