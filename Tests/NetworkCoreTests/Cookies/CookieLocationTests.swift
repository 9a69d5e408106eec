import Foundation
import Testing

@testable import NetworkTransport

struct CookieLocationTests {
    @Test(
        arguments: [
            ("https://Example.COM./a/b?c#d", "example.com", true, "/a/b"),
            ("http://a_b.1.example:8080", "a_b.1.example", false, "/"),
            ("http://user:p@a.example/x", "a.example", false, "/x"), ("http://ex%61mple.com/%61", "example.com", false, "/%61"),
            ("http://[0:0::1]:80/", "::1", true, "/"), ("https://[2001:DB8::1]/", "2001:db8::1", true, "/"),
            ("http://localhost/", "localhost", true, "/"), ("http://127.0.0.1:1/", "127.0.0.1", true, "/"),
            ("http://127.0.0.2/", "127.0.0.2", false, "/"), ("http://a.localhost/", "a.localhost", false, "/"),
        ])
    func `the location of a URL has its canonical host, its path, and whether it is secure`(
        text: String, host: String, isSecure: Bool, path: String
    ) throws {
        let location = try #require(URL(string: text).flatMap { CookieLocation($0) })
        #expect(location.host == host && location.isSecure == isSecure && location.path == Array(path.utf8))
        #expect(location.isAddress == (host.contains(":") || host.hasPrefix("127")))
    }

    @Test(arguments: [
        "", ".", "a..b", ".a", "127.1", "0x7f.0.0.1", "1.2.3.4.5", "256.0.0.1", "a b", "a\u{0}b", "ä.example", "[::1",
    ])
    func `a host without a canonical form has no location`(host: String) {
        #expect(CookieLocation(scheme: "https", host: host[...], path: "/") == nil)
        #expect(CookieLocation(scheme: "https", host: String(repeating: "a.", count: 200)[...], path: "/") == nil)
    }

    /// RFC 6265 §5.1.4.
    @Test(
        arguments: [
            ("", "/"), ("/", "/"), ("a", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("//", "/"),
            ("//a", "/"),
            ("/a//b", "/a/"),
        ])
    func `the default path is the directory of the URL's path`(path: String, expected: String) throws {
        let location = try #require(CookieLocation(scheme: "http", host: "a.example", path: path[...]))
        #expect(location.defaultPath == Array(expected.utf8))
    }

    /// RFC 6265 §5.1.4.
    @Test(
        arguments: [
            ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
            ("/a/b", "/a/", true),
            ("/ab", "/a", false), ("/a", "/a/", false), ("/", "/a", false), ("/A", "/a", false), ("/%61", "/a", false),
            ("", "/", true),
            ("/a?/", "/a", false),
        ])
    func `the path of a cookie matches itself and the paths below it`(path: String, cookiePath: String, isCovered: Bool) throws {
        let location = try #require(CookieLocation(scheme: "http", host: "a.example", path: path[...]))
        #expect(location.isInside(Array(cookiePath.utf8)) == isCovered)
    }

    /// RFC 6265 §5.1.3.
    @Test(
        arguments: [
            ("a.example", "a.example", true), ("b.a.example", "a.example", true), ("ba.example", "a.example", false),
            ("example", "a.example", false), ("a.example", "b.example", false),
        ])
    func `a domain matches itself and its subdomains`(name: String, domain: String, isCovered: Bool) {
        #expect(CookieLocation.name(name, isInside: domain) == isCovered)
    }

    @Test func `cookies are looked up for the host and for its parent domains that contain a dot`() throws {
        func domains(_ host: String) throws -> [String] {
            try #require(CookieLocation(scheme: "http", host: host[...], path: "/")).domains
        }
        #expect(try domains("a.b.c.example") == ["a.b.c.example", "b.c.example", "c.example"])
        #expect(try domains("example") == ["example"])
        #expect(try domains("10.0.0.1") == ["10.0.0.1"])
        #expect(try domains("[::1.2.3.4]") == ["::1.2.3.4"])
    }
}
