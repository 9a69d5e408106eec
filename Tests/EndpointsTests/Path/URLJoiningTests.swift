import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct URLJoiningTests {
    @Test(
        arguments: [
            ("https://h.example", "a/b", "https://h.example/a/b"),
            ("https://h.example", "/a/b", "https://h.example/a/b"),
            ("https://h.example/", "a/b", "https://h.example/a/b"),
            ("https://h.example/", "/a/b", "https://h.example/a/b"),
            ("https://h.example/v1", "a", "https://h.example/v1/a"),
            ("https://h.example/v1/", "a", "https://h.example/v1/a"),
            ("https://h.example/v1", "/a", "https://h.example/v1/a"),
            ("https://h.example/v1/", "/a", "https://h.example/v1/a"),
            ("https://h.example/v1", "a/", "https://h.example/v1/a/"),
            ("https://h.example", "", "https://h.example"),
            ("https://h.example/v1", "", "https://h.example/v1"),
            ("https://h.example/v1/", "", "https://h.example/v1/"),
            ("https://h.example/v1/", "/", "https://h.example/v1/"),
            ("https://h.example/v1", "?q=1", "https://h.example/v1?q=1"),
            ("https://h.example/v1", "a?", "https://h.example/v1/a?"),
        ]
    )
    func `base path and path are joined by exactly one slash`(base: String, path: String, url: String) throws {
        #expect(try Endpoint.make(path).url(.make(base)) == url)
    }

    @Test(
        arguments: [
            // RFC 3986 §3.2.2: IPv4, IPv6, registered names; §3.2.3: port; §3.2.1: user information
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/a"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1/a"),
            ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/a"),
            ("HTTPS://h.example/v1", "https://h.example/v1/a"),
            ("https://user:pa%40ss@h.example/v1", "https://user:pa%40ss@h.example/v1/a"),
            ("https://h.example:/v1", "https://h.example:/v1/a"),
            ("https://h.example/v1?key=1", "https://h.example/v1/a?key=1"),
            ("https://h.example/v1#part", "https://h.example/v1/a"),
            ("https://h.example/a%2Fb/c%20d", "https://h.example/a%2Fb/c%20d/a"),
        ]
    )
    func `the parts of a base URL except the fragment are kept`(base: String, url: String) throws {
        #expect(try Endpoint.make("a").url(.make(base)) == url)
    }

    @Test(
        arguments: [
            // RFC 3986 §2.1: existing percent-encoding is kept; §2.2-2.3: characters that need no encoding are not encoded.
            ("a%20b%2fc", "/a%20b%2fc"),
            ("a b", "/a%20b"),
            ("größe/日本", "/gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC"),
            ("a\u{301}/\u{301}b", "/a%CC%81/%CC%81b"),
            ("-._~!$&'()*+,;=:@", "/-._~!$&'()*+,;=:@"),
            ("a[0]|\\^\"<>`", "/a%5B0%5D%7C%5C%5E%22%3C%3E%60"),
            // §3.3: empty segments, colons and dot segments are part of a path
            ("a//b", "/a//b"),
            ("//evil.example/x", "//evil.example/x"),
            ("time:12/x", "/time:12/x"),
            ("@evil.example", "/@evil.example"),
            ("a/../b/./c", "/a/../b/./c"),
            // §3.4: a query in the path is kept; §3.5: a fragment is never sent
            ("a?x=1&y=a b", "/a?x=1&y=a%20b"),
            ("a?x=[1]+2%2B", "/a?x=%5B1%5D+2%2B"),
            ("a?", "/a?"),
            ("a?x=/?:@", "/a?x=/?:@"),
            ("a#part", "/a"),
            ("a?x=1#part?y=2", "/a?x=1"),
        ]
    )
    func `valid characters of a path are kept, and others are encoded`(path: String, rest: String) throws {
        #expect(try Endpoint.make(path).url() == "https://api.example.com" + rest)
    }

    @Test func `query items are written in the order base URL, configuration, path, endpoint`() throws {
        let configuration = try APIConfiguration.make("https://h.example?a=1", query: ["b": 2])
        #expect(
            try Endpoint.make("x?c=3", query: ["d": 4]).url(configuration) == "https://h.example/x?a=1&b=2&c=3&d=4")
    }

    @Test(
        arguments: [
            "https://other.example/a%20b?x=1 2#f", "http://[::1]:1/p", "https://user:pw@other.example", "HTTP://Other.example/",
        ]
    )
    func `a full path replaces the base URL`(path: String) throws {
        let expected = [
            "https://other.example/a%20b?x=1 2#f": "https://other.example/a%20b?x=1%202",
            "HTTP://Other.example/": "http://other.example/",
        ]
        #expect(try Endpoint.make(path, isFullPath: true).url() == expected[path] ?? path)
    }
}
