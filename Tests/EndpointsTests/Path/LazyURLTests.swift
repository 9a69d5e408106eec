import Foundation
import TestSupport
import Testing

@testable import Endpoints

/// A request keeps its URL as text, and its parts are those of the base URL with another end. Whatever the base URL, path and query are,
/// both must be what parsing the text would have resulted in.
@Suite struct LazyURLTests {
    private static let pieces = [
        "a", "Z", "/", "//", ".", "..", "-", ":", "@", "=", "&", "+", " ", "%41", "%2F", "%C3%A9", "é", "𝄞", "e\u{301}", "[", "]",
        "|", "\\",
        "\"", "<", "^", "`", "'", ";", ",", "!", "*", "(", "$", "~", "", "?", "?x=1", "#f",
    ]
    private static let bases = [
        "http://a", "https://a.example/", "https://a.example:8443/v1/", "http://a:80", "https://a-b.c:443/x%20y/é?k=v",
        "http://a//",
        "https://a/?", "https://a/b?#c", "https://a/b?q=%41&r=é#c", "HTTP://A/b", "http://u:p@a/b", "http://[::1]:81/x",
        "http://a:0080",
        "https://ä.example/x",
    ]

    private static func parts(_ text: String, _ url: ParsedURL) -> [String] {
        let bytes = Array(text.utf8)
        let ranges = [url.scheme, url.host, url.port, url.path, url.pathAndQuery]
        return [url.origin, "\(url.isPlain)", "\(url.isSecure)"] + ranges.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test func `the text of a request is its URL, and its parts are those of the text`() throws {
        var random = SeededGenerator(seed: 17)
        var lazy = 0
        let rounds = runs(4_000, slow: 20_000)
        for round in 0..<rounds {
            func text(_ count: Int) -> String {
                (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
            }
            let base = try #require(URL(string: Self.bases[round % Self.bases.count]))
            var endpoint = RequestDescription.get(text(Int.random(in: 0...6, using: &random)))
            if Bool.random(using: &random) { endpoint.queryParameters = [text(2): text(2), "n": round] }
            if round % 7 == 0 { endpoint.baseURL = URL(string: "https://other.example/o/?p=1") }
            let shared: ParameterList = Bool.random(using: &random) ? [text(1): text(2)] : [:]
            guard let request = try? endpoint.networkRequest(with: APIConfiguration(baseURL: base, queryParameters: shared))
            else { continue }
            let composed = request.urlText
            if case .text = request.lazyURL { lazy += 1 }
            #expect(URL(string: composed)?.absoluteString == composed)
            #expect(request.url.absoluteString == composed)
            #expect(Self.parts(composed, request.parsedURL) == Self.parts(composed, ParsedURL(composed)), "\(composed)")
            var copy = request
            copy.url = request.url
            #expect(copy == request && copy.hashValue == request.hashValue && copy.origin == request.origin)
        }
        #expect(lazy > rounds / 5)
    }
}
