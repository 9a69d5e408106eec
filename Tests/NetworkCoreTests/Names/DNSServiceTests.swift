import Testing

@testable import NetworkEngine

/// What a name server says of HTTP/3, in HTTPS records (RFC 9460).
struct DNSServiceTests {
    /// The data of an HTTPS record.
    private struct Data {
        var priority: UInt16 = 1
        var target = ""
        var parameters: [(key: UInt16, value: [UInt8])] = []

        static func offer(_ names: [String], priority: UInt16 = 1, target: String = "", port: UInt16? = nil) -> Data {
            let value = names.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            let ports: [(key: UInt16, value: [UInt8])] = port.map { [(3, [UInt8($0 >> 8), UInt8($0 & 0xFF)])] } ?? []
            return Data(priority: priority, target: target, parameters: [(1, value)] + ports)
        }

        func write(to writer: inout DNSWriter, isCompressed: Bool = false) {
            writer.append(priority)
            if target.isEmpty { writer.append(raw: [0]) } else { writer.append(target, isCompressed: isCompressed) }
            for (key, value) in parameters {
                writer.append(key)
                writer.append(UInt16(value.count))
                writer.append(raw: value)
            }
        }
    }

    private func offer(_ records: [Data], port: Int = 443, ttl: UInt32 = 60) throws -> AlternativeServiceField? {
        let name = try #require(DNSMessage.serviceName(host: "api.test", port: port))
        var writer = DNSWriter(name, 65, counts: (UInt16(records.count), 0, 0))
        for record in records { writer.record(name, 65, ttl: ttl) { record.write(to: &$0) } }
        return try DNSMessage.offer(ofHTTP3In: writer.bytes, to: name, host: "api.test", port: port)
    }

    @Test func `the name of the records contains any other port than 443`() {
        #expect(DNSMessage.serviceName(host: "api.test", port: 443) == "api.test")
        #expect(DNSMessage.serviceName(host: "api.test", port: 8443) == "_8443._https.api.test")
        for host in ["127.0.0.1", "[::1]", "::1"] { #expect(DNSMessage.serviceName(host: host, port: 443) == nil) }
    }

    @Test func `the record with the lowest priority that offers HTTP 3 at the host counts`() throws {
        #expect(try offer([.offer(["h2", "h3"])]) == .port(443, lifetime: 60))
        #expect(try offer([.offer(["h3"], port: 8443)], ttl: 5) == .port(8443, lifetime: 5))
        #expect(try offer([.offer(["h3"], target: "API.test")], port: 8443) == .port(8443, lifetime: 60))
        #expect(
            try offer([.offer(["h3"], priority: 3, port: 3), .offer(["h3"], priority: 2, port: 2)]) == .port(2, lifetime: 60))
        #expect(try offer([.offer(["h2"], priority: 1), .offer(["h3"], priority: 2, port: 2)]) == .port(2, lifetime: 60))
        for other in [
            Data.offer(["h2"]), .offer(["h3-29"]), .offer(["h3"], target: "other.test"), .offer(["h3"], priority: 0),
            .offer(["h3"], port: 0), Data(),
        ] {
            #expect(try offer([other]) == nil)
        }
        #expect(try offer([]) == nil)
        // At another port, a record without a target is about a name that no request has.
        #expect(try offer([.offer(["h3"])], port: 8443) == nil)
    }

    @Test func `parameters that must be understood, and are not, exclude a record`() throws {
        var data = Data.offer(["h3"])
        data.parameters = [(0, [0, 1, 0, 3])] + data.parameters + [(3, [1, 0]), (7, [1, 2, 3])]
        #expect(try offer([data]) == .port(256, lifetime: 60))
        data.parameters[0].value = [0, 1, 0, 7]
        #expect(try offer([data]) == nil)
    }

    @Test func `aliases are followed within the response`() throws {
        var writer = DNSWriter("api.test", 65, counts: (2, 0, 0))
        writer.record("api.test", 5, ttl: 7) { $0.append("cdn.test") }
        writer.record("cdn.test", 65) { Data.offer(["h3"], target: "api.test").write(to: &$0) }
        let found = try DNSMessage.offer(ofHTTP3In: writer.bytes, to: "api.test", host: "api.test", port: 443)
        #expect(found == .port(443, lifetime: 7))
    }

    /// The vectors of RFC 9460, Appendix D.2 and D.3, for records at `example.com`.
    @Test(arguments: [
        ("0000 03666f6f 07657861 6d706c65 03636f6d 00", true), ("0001 00", true),
        ("0010 03666f6f 07657861 6d706c65 03636f6d 00 0003 0002 0035", true),
        ("0001 03666f6f 07657861 6d706c65 03636f6d 00 029b 0005 68656c6c 6f", true),
        (
            "0010 03666f6f 07657861 6d706c65 036f7267 00 0000 0004 0001 0004 0001 0009 02683205 68332d3139 0004 0004 c0000201",
            true
        ),
        ("0001", false), ("0001 0003", false), ("0001 c00c", false), ("0001 00 0003 0003 003500", false),
        ("0001 00 0003 0002 0035 0003 0002 0035", false), ("0001 00 0003 0002 0035 0001 0003 026832", false),
        ("0001 00 0001 0003 036832", false), ("0001 00 0001 0000", false), ("0001 00 0000 0001 00", false),
        ("0001 00 0003 0002", false), ("0001 00 0003", false),
    ])
    func `records are well formed or refused`(hex: String, isValid: Bool) throws {
        let digits = Array(hex.filter { $0 != " " })
        let data = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        var writer = DNSWriter("example.com", 65, counts: (1, 0, 0))
        writer.record("example.com", 65) { $0.append(raw: data) }
        func read() throws(DNSError) -> AlternativeServiceField? {
            try DNSMessage.offer(ofHTTP3In: writer.bytes, to: "example.com", host: "example.com", port: 443)
        }
        if isValid { #expect(try read() == nil) } else { #expect(throws: DNSError.self) { try read() } }
    }
}
