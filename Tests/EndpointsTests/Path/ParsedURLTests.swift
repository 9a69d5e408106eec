import Foundation
import TestSupport
import Testing

@testable import Endpoints

@Suite struct ParsedURLTests {
    private static func parts(_ text: String, _ url: ParsedURL) -> [String] {
        let bytes = Array(text.utf8)
        let ranges = [url.scheme, url.host, url.port, url.path, url.pathAndQuery]
        return [url.origin] + ranges.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// RFC 9112 §3.2, and RFC 6874 §4 for the zone of an address.
    @Test(
        arguments: [
            ("https://a.b/c?d#e", ["https://a.b:443", "https", "a.b", "", "/c", "/c?d"], true),
            ("http://a", ["http://a:80", "http", "a", "", "", ""], true),
            ("http://a?b/c?d", ["http://a:80", "http", "a", "", "", "?b/c?d"], true),
            ("http://a:8080/#b?c", ["http://a:8080", "http", "a", "8080", "/", "/"], true),
            ("https://a:443/", ["https://a:443", "https", "a", "", "/", "/"], true),
            ("http://a:443/", ["http://a:443", "http", "a", "443", "/", "/"], true),
            ("http://a:0080/", ["http://a:0080", "http", "a", "", "/", "/"], false),
            ("https://a:/b", ["https://a:443", "https", "a", "", "/b", "/b"], false),
            ("HTTP://A/B", ["http://a:80", "HTTP", "A", "", "/B", "/B"], false),
            ("http://u:p@a/b", ["http://a:80", "http", "a", "", "/b", "/b"], false),
            ("http://a/b@c", ["http://a:80", "http", "a", "", "/b@c", "/b@c"], true),
            ("http://[::1]:81/", ["http://[::1]:81", "http", "[::1]", "81", "/", "/"], false),
            ("http://[fe80::1%25en0]/", ["http://[fe80::1%25en0]:80", "http", "[fe80::1", "", "/", "/"], false),
            ("http://a:99999/", ["http://a:99999", "http", "a", "99999", "/", "/"], false),
        ]
    )
    func `the parts of a URL are found by their delimiters`(text: String, parts: [String], isPlain: Bool) {
        let url = ParsedURL(text)
        #expect(Self.parts(text, url) == parts)
        #expect(url.isPlain == isPlain && url.isSecure == parts[0].hasPrefix("https:"))
        #expect(url.lacksBracket == text.contains("%25en0"))
    }

    @Test func `a plain URL has the parts that the rules for any URL find, and is valid`() {
        let pieces = ["a", "Z", ".", "-", ":", "80", "443", "65536", "0", "@", "/", "?", "#", "[::1]", "%41", "é", ""]
        var random = SeededGenerator(seed: 11)
        var plain = 0
        for _ in 0..<20_000 {
            var text = Bool.random(using: &random) ? "http://" : "https://"
            for _ in 0..<6 { text += pieces.randomElement(using: &random) ?? "" }
            let bytes = Array(text.utf8)
            let (fast, any) = bytes.withUnsafeBufferPointer { bytes in
                (ParsedURL(plain: bytes), ParsedURL(any: bytes, origin: URLText(text).origin))
            }
            guard let fast else { continue }
            plain += 1
            #expect(Self.parts(text, fast) == Self.parts(text, any), "\(text)")
            #expect(!any.lacksBracket && fast.isSecure == any.isSecure, "\(text)")
            #expect(URLText(text).authority == URLText(text).hostAndPort, "\(text)")
            #expect(throws: Never.self, "\(text)") { try URLText(text).requireHTTP(.url) }
        }
        #expect(plain > 1000)
    }
}
