import Testing

@testable import NetworkTransport

struct ProxyExclusionsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let host: String
        let list: String
        let isCovered: Bool
        var testDescription: String { "\(host) in \"\(list)\"" }

        init(_ host: String, _ list: String, _ isCovered: Bool) {
            (self.host, self.list, self.isCovered) = (host, list, isCovered)
        }
    }

    /// The cases of curl's table (tests/unit/unit1614.c of 8.14.1), except its first row, which is in the table below.
    private static let curlTable = [
        Row("www.example.com", "localhost,.example.com,.example.de", true),
        Row("www.example.com.", "localhost,.example.com,.example.de", true),
        Row("example.com", "localhost,.example.com,.example.de", true),
        Row("example.com.", "localhost,.example.com,.example.de", true),
        Row("www.example.com", "localhost,.example.com.,.example.de", true),
        Row("www.example.com", "localhost,www.example.com.,.example.de", true),
        Row("example.com", "localhost,example.com,.example.de", true),
        Row("example.com.", "localhost,example.com,.example.de", true),
        Row("nexample.com", "localhost,example.com,.example.de", false),
        Row("www.example.com", "localhost,example.com,.example.de", true),
        Row("127.0.0.1", "127.0.0.1,localhost", true), Row("127.0.0.1", "127.0.0.1,localhost,", true),
        Row("127.0.0.1", "127.0.0.1/8,localhost,", true), Row("127.0.0.1", "127.0.0.1/28,localhost,", true),
        Row("127.0.0.1", "127.0.0.1/31,localhost,", true), Row("127.0.0.1", "localhost,127.0.0.1", true),
        Row("127.0.0.1", "localhost," + String(repeating: "127.0.0.1.", count: 13), false),
        Row("localhost", "localhost,127.0.0.1", true), Row("localhost", "127.0.0.1,localhost", true),
        Row("foobar", "barfoo", false), Row("foobar", "foobar", true), Row("192.168.0.1", "foobar", false),
        Row("192.168.0.1", "192.168.0.0/16", true), Row("192.168.0.1", "192.168.0.0/24", true),
        Row("192.168.0.1", "192.168.0.0/32", false), Row("192.168.0.1", "192.168.0.0", false),
        Row("192.168.1.1", "192.168.0.0/24", false), Row("192.168.1.1", "192.168.0.0/33", false),
        Row("192.168.1.1", "foo, bar, 192.168.0.0/24", false), Row("192.168.1.1", "foo, bar, 192.168.0.0/16", true),
        Row("[::1]", "foo, bar, 192.168.0.0/16", false), Row("[::1]", "foo, bar, ::1/64", true),
        Row("[::1]", "::1/64", true), Row("[::1]", "::1/96", true), Row("[::1]", "::1/129", false),
        Row("bar", "foo, bar, ::1/64", true), Row("BAr", "foo, bar, ::1/64", true),
        Row("BAr", "foo,,,,,              bar, ::1/64", true), Row("www.example.com", "foo, .example.com", true),
        Row("www.example.com", "www2.example.com, .example.net", false), Row("example.com", ".example.com, .example.net", true),
        Row("nonexample.com", ".example.com, .example.net", false),
        Row("192.160.0.1", "192.160.0.1/33", false), Row("192.160.0.1", "192.160.0.1/20", true),
        Row("192.160.0.1", "10.0.0.1/8", false), Row("[::1]", "0:0::1/128", true),
        Row("[fe80::ab47:4396:55c9:8474]", "fe80::ab47:4396:55c9:8474/64", true),
    ]

    /// Cases that curl's table does not contain, or for which it expects another result.
    private static let table = [
        // Spaces alone separate entries, as in libcurl up to 8.8; from 8.9.0 on, libcurl stops at such a space.
        Row("www.example.com", "localhost .example.com .example.de", true), Row("b", "a\tb", true),
        // All hosts.
        Row("any.example", "*", true), Row("10.1.2.3", "a, *", true), Row("[::1]", "*", true),
        Row("a.example", "*.example", false),
        // No hosts.
        Row("any.example", "", false), Row("any.example", " , ,", false), Row("any.example", ".", false), Row("a.", "..", false),
        // Names.
        Row("example.com", "COM", true), Row("Example.COM.", "eXample.com", true), Row("example.com", "www.example.com", false),
        Row("ample.com.org", "ample.com", false), Row("my-example.com", "example.com", false),
        Row("ex%61mple.com", "example.com", true), Row("a_b.example", "example", true),
        // Addresses match exactly, in any notation, and never as the end of a name.
        Row("127.0.0.1", "0.0.1", false), Row("127.0.0.1", ".0.0.1", false), Row("10.0.0.1.example", "10.0.0.1", false),
        Row("[0:0:0:0:0:0:0:1]", "::1", true), Row("::1", "[::1]", true), Row("[::1]", "[0::0001]", true),
        Row("[FD00::A]", "fd00::a", true), Row("[fe80::1%25eth0]", "fe80::1", true), Row("[::1]", "::2", false),
        Row("127.0.0.1", "::1", false), Row("[::ffff:10.0.0.1]", "10.0.0.1", false),
        // Networks, bit by bit.
        Row("10.255.0.1", "10.0.0.0/8", true), Row("11.0.0.1", "10.0.0.0/8", false), Row("11.0.0.1", "10.0.0.0/7", true),
        Row("12.0.0.1", "10.0.0.0/7", false), Row("10.0.0.129", "10.0.0.128/25", true), Row("10.0.0.127", "10.0.0.128/25", false),
        Row("203.0.113.7", "0.0.0.0/0", true), Row("[2001:db8::1]", "0.0.0.0/0", false), Row("[2001:db8::1]", "::/0", true),
        Row("[fd12:3456::1]", "fd00::/8", true), Row("[fe00::1]", "fd00::/8", false), Row("[fc12::1]", "fc00::/7", true),
        Row("[fd12::1]", "[fd00::]/8", true), Row("[2001:db8:0:8000::1]", "2001:db8::/49", false),
        Row("10.0.0.1", "10.0.0.0/", false), Row("10.0.0.1", "10.0.0.0/x", false), Row("10.0.0.1", "10.0.0.0/+8", false),
        Row("10.0.0.1", "10.0.0.0/-1", false), Row("10.0.0.1", "10.0.0.0/99999999999999999999", false),
        Row("a.example", "a.example/8", false), Row("10.example", "10.0.0.0/8", false),
        // A port. The requested one is 8080.
        Row("a.example", "a.example:8080", true), Row("b.a.example", ".a.example:8080", true),
        Row("a.example", "a.example:80", false), Row("a.example", "a.example:", false), Row("a.example", "a.example:http", false),
        Row("10.0.0.1", "10.0.0.1:8080", true), Row("10.0.0.1", "10.0.0.1:81", false), Row("[::1]", "[::1]:8080", true),
        Row("[::1]", "[::1]:81", false), Row("[::1]", "::1:8080", false), Row("[::1:8080]", "::1:8080", true),
        Row("a.example", "*:8080", false), Row("a.example", "a.example:99999999999999999999", false),
        Row("a\u{0}.example", "a", false), Row("10.0.0.1\u{0}", "10.0.0.1", false),
    ]

    @Test(arguments: curlTable) func `hosts are excluded as in curl's tests`(row: Row) {
        #expect(ProxyExclusions(list: row.list).contain(host: row.host, port: 80) == row.isCovered)
    }

    @Test(arguments: table) func `an entry excludes names, addresses or networks, and only a single port if it has one`(row: Row)
    {
        #expect(ProxyExclusions(list: row.list).contain(host: row.host, port: 8080) == row.isCovered)
    }

    @Test func `separate entries follow the same rules as a list`() {
        let exclusions = ProxyExclusions(entries: ["a.example", "10.0.0.0/8"])
        #expect(exclusions.contain(host: "b.a.example", port: 80) && exclusions.contain(host: "10.9.9.9", port: 443))
        #expect(!exclusions.contain(host: "c.example", port: 80))
    }
}
