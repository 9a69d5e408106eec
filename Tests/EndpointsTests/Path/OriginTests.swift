import Foundation
import Testing

@testable import Endpoints

struct OriginTests {
    /// RFC 6454 §4: scheme and host in lower case, and the port or the default port.
    @Test(
        arguments: [
            ("https://api.example.com/3/movie", "https://api.example.com:443"), ("http://a", "http://a:80"),
            ("https://a:8443?b", "https://a:8443"), ("https://a:#b", "https://a:443"),
            ("HTTPS://A.Example/", "https://a.example:443"),
            ("https://user:p@a/x", "https://a:443"), ("http://[::1]/", "http://[::1]:80"),
            ("http://[::1]:81/", "http://[::1]:81"),
            ("http://a/b@c:9", "http://a:80"), ("http://a.b?c/d", "http://a.b:80"),
        ]
    )
    func `an origin consists of scheme, host and port`(url: String, origin: String) throws {
        #expect(URLText.origin(of: try #require(URL(string: url))) == origin)
    }

    /// Compares the fast path with the parser, which handles every URL.
    @Test func `the fast path returns the same origin as the parser`() {
        let parts = [
            "http://", "https://", "HTTP://", "a", "Z", ".", "-", ":", "80", "@", "/", "?", "#", "[::1]", "%41", "é", "",
        ]
        var state: UInt64 = 7
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<6 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += parts[Int((state >> 33) % UInt64(parts.count))]
            }
            guard let url = URL(string: text) else { continue }
            #expect(URLText.origin(of: url) == URLText(url).origin, "\(text)")
        }
    }

    @Test func `a request's origin follows its URL`() throws {
        var request = NetworkRequest(url: try #require(URL(string: "https://a/b")))
        #expect(request.origin == "https://a:443")
        request.url = try #require(URL(string: "http://c:8080/d"))
        #expect(request.origin == "http://c:8080")
    }
}
