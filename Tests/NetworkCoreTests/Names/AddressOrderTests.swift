import NetworkTransport
import Testing

@testable import NetworkEngine

/// The order in which addresses are tried.
struct AddressOrderTests {
    private func sorted(_ pairs: [(String, String?)]) -> [String] {
        AddressOrder.sorted(
            pairs.compactMap { text, source in IPAddress(text).map { ($0, source.flatMap { IPAddress($0) }) } }
        ).map(\.text)
    }

    private func interleaved(_ texts: [String]) -> [String] {
        AddressOrder.interleaved(texts.compactMap { IPAddress($0) }).map(\.text)
    }

    /// Two addresses with their sources, the first of which is preferred.
    struct Example: CustomStringConvertible {
        let rule: String
        let first: (String, String?)
        let second: (String, String?)

        init(_ rule: String, _ first: (String, String?), _ second: (String, String?)) {
            (self.rule, self.first, self.second) = (rule, first, second)
        }

        var description: String { rule }
    }

    @Test(arguments: [
        // RFC 6724 §10.2, without the examples of rules 3, 4 and 9.
        Example("matching scope", ("2001:db8:1::1", "2001:db8:1::2"), ("198.51.100.121", "169.254.13.78")),
        Example("matching scope, IPv4", ("198.51.100.121", "198.51.100.117"), ("2001:db8:1::1", "fe80::1")),
        Example("higher precedence", ("2001:db8:1::1", "2001:db8:1::2"), ("10.1.2.3", "10.1.2.4")),
        Example("smaller scope", ("fe80::1", "fe80::2"), ("2001:db8:1::1", "2001:db8:1::2")),
        Example("matching label", ("2002:c633:6401::1", "2002:c633:6401::2"), ("2001:db8:1::1", "2002:c633:6401::2")),
        Example("higher precedence than 6to4", ("2001:db8:1::1", "2001:db8:1::2"), ("2002:c633:6401::1", "2002:c633:6401::2")),
        // §6, rule 1, and the other entries of the policy table (§2.1).
        Example("a route", ("192.0.2.1", "192.0.2.2"), ("2001:db8::1", nil)),
        Example("a route, whatever the scopes", ("192.0.2.1", "169.254.0.1"), ("fe80::1", nil)),
        Example("loopback", ("::1", "::1"), ("127.0.0.1", "127.0.0.1")),
        Example("IPv4 before unique local addresses", ("192.0.2.1", "192.0.2.2"), ("fd00::1", "fd00::2")),
        Example("IPv4 before Teredo", ("192.0.2.1", "192.0.2.2"), ("2001::1", "2001::2")),
        Example("Teredo before unique local addresses", ("2001::1", "2001::2"), ("fd00::1", "fd00::2")),
        Example("unique local before site-local addresses", ("fd00::1", "fd00::2"), ("fec0::1", "fec0::2")),
        Example("6to4 before unique local addresses", ("2002:102:304::1", "2002:102:304::2"), ("fd00::1", "fd00::2")),
        Example("unique local before 6bone addresses", ("fd00::1", "fd00::2"), ("3ffe::1", "3ffe::2")),
        Example("unique local before compatible addresses", ("fd00::1", "fd00::2"), ("::102:304", "::102:305")),
        Example("the label of IPv4, if mapped", ("::ffff:192.0.2.1", "192.0.2.2"), ("2001:db8::1", "fd00::1")),
        Example("private addresses of IPv4 are global", ("10.0.0.1", "192.0.2.2"), ("2001:db8::1", "fd00::1")),
        Example("multicast of the link", ("ff02::1", "fe80::1"), ("2001:db8::1", "2001:db8::2")),
    ])
    func `one address is preferred, in both orders`(_ example: Example) throws {
        let texts = try [example.first.0, example.second.0].map { try #require(IPAddress($0)).text }
        #expect(sorted([example.first, example.second]) == texts)
        #expect(sorted([example.second, example.first]) == texts)
    }

    @Test func `addresses without a preference keep their order`() {
        #expect(
            sorted([
                ("2001:db8:3ffe::1", "2001:db8:3f44::2"), ("192.0.2.9", "10.0.0.1"), ("2001:db8:1::1", "2001:db8:1::2"),
                ("192.0.2.1", "10.0.0.1"), ("2001:db8::9", nil), ("2001:db8::8", nil),
            ]) == ["2001:db8:3ffe::1", "2001:db8:1::1", "192.0.2.9", "192.0.2.1", "2001:db8::9", "2001:db8::8"])
        #expect(sorted([]) == [])
    }

    /// RFC 8305 §4.
    @Test func `families alternate, beginning with that of the first address`() {
        #expect(interleaved(["::1", "::2", "::3", "1.0.0.1", "1.0.0.2"]) == ["::1", "1.0.0.1", "::2", "1.0.0.2", "::3"])
        #expect(interleaved(["1.0.0.1", "::1", "::2", "::3"]) == ["1.0.0.1", "::1", "::2", "::3"])
        #expect(interleaved(["1.0.0.1", "1.0.0.2"]) == ["1.0.0.1", "1.0.0.2"])
        #expect(interleaved([]) == [])
    }

    @Test(arguments: ["0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1", "2001:db8::1:0:0:1", "::ffff:192.0.2.1"])
    func `an address made of bytes has its canonical text`(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(IPAddress(bytes: address.bytes) == address)
        #expect(address.text == text)
        #expect(IPAddress(bytes: address.bytes + [0]) == nil && IPAddress(bytes: []) == nil)
    }

    #if os(Linux)
        @Test func `the system says from which address packets are sent`() throws {
            let loopback = try #require(IPAddress("127.0.0.1"))
            #expect(AddressOrder.source(for: loopback) == loopback)
            // Class E (RFC 1112 §4) is not routed, and a link-local address needs a zone.
            let unusable = try ["fe80::1", "255.255.255.255"].map { try #require(IPAddress($0)) }
            #expect(unusable.map { AddressOrder.source(for: $0) } == [nil, nil])
            #expect(AddressOrder.sorted(unusable + [loopback]) == [loopback] + unusable)
            let many = [IPAddress](repeating: unusable[0], count: AddressOrder.maximumRoutes)
            #expect(AddressOrder.sorted(many + [loopback]).count == many.count + 1)
        }
    #endif
}
