#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// A row with the cookies that responses set, and the cookies that later requests send.
    struct CookieStory: Behaviour {
        var name: String
        var source: String
        /// The URLs that set cookies, in their order, each with the values of its `Set-Cookie` fields.
        var sets: [(url: String, fields: [String])]
        /// The URLs that are requested afterwards, each with the expected `Cookie` field; empty if no field is sent.
        var sends: [(url: String, field: String)]

        static func row(
            _ name: String, _ source: String, _ fields: [String], from url: String = "http://www.host.test/",
            then: [String] = [], sends: [(url: String, field: String)]
        ) -> CookieStory {
            let later = then.isEmpty ? [] : [(url, then)]
            return CookieStory(name: name, source: source, sets: [(url, fields)] + later, sends: sends)
        }
    }

    /// Cookies on the wire (RFC 6265). One server is the proxy for all hosts.
    @Suite(.timeLimit(.minutes(10)))
    struct CookieBehaviourTests {
        @Test(arguments: pairs + domains + paths + times)
        func `cookies are stored and sent as in other HTTP clients`(row: CookieStory) async throws {
            let fields = Watched<[String]>([])
            let server = try RawServer.responding { _, _ in
                let lines = fields.withLock { $0 }.map { "Set-Cookie: \($0)\r\n" }.joined()
                return WireRuleTests.ok("x", lines)
            }
            let session = server.session { $0.cookies = .separate }
            for (url, values) in row.sets {
                fields.withLock { $0 = values }
                _ = try await session.response(for: NetworkRequest(url: try #require(URL(string: url))))
            }
            fields.withLock { $0 = [] }
            for (url, field) in row.sends {
                _ = try await session.response(for: NetworkRequest(url: try #require(URL(string: url))))
                let sent = try #require(server.arrivals.last?.request)
                #expect(sent["cookie"] ?? "" == field, "\(url)")
                #expect(sent.fields.count { $0.name == "cookie" } == (field.isEmpty ? 0 : 1), "\(url)")
            }
        }

        private static let root = "http://www.host.test/"

        private static let pairs: [CookieStory] = [
            .row(
                "a cookie is sent back to its host", "Go jar, plain host cookie", ["A=a"],
                sends: [
                    (root, "A=a"), (root + "some/path", "A=a"), ("http://www.other.test/", ""), ("http://sub.www.host.test/", ""),
                    ("http://host.test/", ""),
                ]),
            .row(
                "spaces around name and value are not part of them", "OkHttp trimLeadingAndTrailingWhitespaceFromValue",
                [
                    " a \t= \tb ; Path=/"
                ], sends: [(root, "a=b")]),
            .row("an equals sign inside a value is part of it", "curl test31", ["a=b=c=="], sends: [(root, "a=b=c==")]),
            .row("a value may be empty", "OkHttp emptyValue", ["a="], sends: [(root, "a=")]),
            .row(
                "a later cookie replaces an earlier one", "curl test7", ["a=1", "b=2", "a=3"], sends: [(root, "a=3; b=2")]),
            .row(
                "a cookie of more than 4096 bytes is refused", "curl test1151",
                ["a=" + String(repeating: "x", count: 4096), "b=2"], sends: [(root, "b=2")]),
        ]

        private static let domains: [CookieStory] = [
            .row(
                "a Domain covers its subdomains", "Go jar, domain cookie #1", ["a=1; Domain=host.test"],
                sends: [
                    (root, "a=1"), ("http://host.test/", "a=1"), ("http://x.y.host.test/", "a=1"), ("http://other.test/", ""),
                    ("http://test/", ""), ("http://xhost.test/", ""),
                ]),
            .row(
                "a Domain of another host is refused", "Go jar, InvalidDomain #1",
                [
                    "a=1; Domain=.yo.www.host.test", "b=2; Domain=.www.test", "c=3; Domain=.www.host.test.net",
                    "d=4; Domain=ost.test",
                    "e=5; Domain=other.test",
                ], sends: [(root, "")]),
            .row(
                "a Domain that is not a name is refused", "Go jar, InvalidDomain #1",
                [
                    "a=1; Domain=/", "b=2; Domain=http://www.host.test", "c=3; Domain=..www.host.test",
                    "d=4; Domain=.www.host.test?x",
                    "e=5; Domain=.www.host.test:80", "f=6; Domain=.www.host.test/x", "g=7; Domain=.www.host.test#x",
                ], sends: [(root, "")]),
            .row(
                "a Domain of one label is refused", "Go jar, TestNonDottedAndTLD #4", ["a=1; Domain=test", "b=2; Domain=.test"],
                sends: [(root, "")]),
            .row(
                "a host name of one label has a separate cookie scope", "curl test331", ["a=1", "b=2; Domain=moo"],
                from: "http://moo/",
                sends: [("http://moo/", "a=1; b=2"), ("http://x.moo/", "")]),
            .row(
                "an IPv6 address has a separate cookie scope", "OkHttp domainMatchesIpv6Address", ["a=1"],
                from: "http://[::1]:8080/",
                sends: [("http://[::1]/", "a=1"), ("http://[0:0::1]/", "a=1"), ("http://[::2]/", "")]),
            .row(
                "ports share their cookies", "Go jar, Port is ignored #2", ["a=1"], from: "http://www.host.test:8080/",
                sends: [(root, "a=1"), ("http://www.host.test:1234/", "a=1")]),
            .row(
                "a cookie of a host and one of its domain are two cookies", "Go jar, Refill #1",
                ["A=1", "A=3; Domain=.host.test"],
                sends: [(root, "A=1; A=3"), ("http://host.test/", "A=3")]),
            .row("a cookie with Secure is refused without TLS", "curl test1561", ["a=1; Secure", "b=2"], sends: [(root, "b=2")]),
            .row(
                "cookies named __Secure- and __Host- are refused without TLS", "draft-ietf-httpbis-rfc6265bis §4.1.3",
                ["__Secure-a=1", "__Host-b=2; Path=/", "__host-c=3", "d=4"], sends: [(root, "d=4")]),
        ]

        private static let paths: [CookieStory] = [
            .row(
                "a Path covers the paths below it", "Go jar, explicit path", ["a=1; Path=/some/path"],
                sends: [
                    (root, ""), (root + "some", ""), (root + "some/", ""), (root + "some/path", "a=1"), (root + "some/paths", ""),
                    (root + "some/path/x/", "a=1"),
                ]),
            .row(
                "without a Path, the folder of the URL applies", "Go jar, implicit path #2", ["a=1"],
                from: root + "some/path/index.html",
                sends: [(root + "some/path", "a=1"), (root + "some/path/x", "a=1"), (root + "some/", "")]),
            .row(
                "a Path without a leading slash is ignored", "OkHttp defaultPathIsUsedIfPathDoesntHaveLeadingSlash",
                ["a=1; Path=x/y", "b=2; Path=", "c=3; Path=\"/x\""], from: root + "dir/file",
                sends: [(root + "dir/", "a=1; b=2; c=3"), (root, "")]),
            .row(
                "the cookie with the longer Path is sent first", "Go jar, sorted by path length",
                ["A=a; Path=/foo/bar", "B=b; Path=/foo/bar/baz/qux", "C=c; Path=/foo/bar/baz", "D=d; Path=/foo"],
                sends: [(root + "foo/bar/baz/qux", "B=b; C=c; A=a; D=d"), (root + "foo/bar", "A=a; D=d")]),
        ]

        private static let past = "Expires=Tue, 06 Nov 2001 08:49:37 GMT"

        private static let times: [CookieStory] = [
            .row(
                "a Max-Age of zero removes a cookie", "curl test329", ["a=1", "b=2"], then: ["a=x; Max-Age=0"],
                sends: [(root, "b=2")]),
            .row(
                "an Expires in the past removes a cookie", "curl test1415", ["a=1"], then: ["a=1; \(past)"], sends: [(root, "")]),
            .row(
                "Max-Age takes precedence over Expires", "OkHttp maxAgeTakesPrecedenceOverExpires",
                ["a=1; Max-Age=100; \(past)", "b=2; \(past); Max-Age=100"], sends: [(root, "a=1; b=2")]),
            .row(
                "old date formats are accepted", "OkHttp awkwardDates",
                [
                    "a=1; Expires=Tuesday, 06-Nov-01 08:49:37 GMT", "b=2; Expires=Tue Nov  6 08:49:37 2001",
                    "c=3; Expires=Fri, 01-Jan-2100 00:00:00 GMT", "d=4; Expires=1 Jan 99 0:0:0",
                ], sends: [(root, "c=3")]),
        ]
    }
#endif
