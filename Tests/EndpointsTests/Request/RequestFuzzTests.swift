import Endpoints
import Foundation
import Testing
import TestSupport

/// Random input never traps, and every request that is built matches its input.
@Suite struct RequestFuzzTests {
    private static let pieces = [
        "a", "b1", "%41", "%", "%2", "/", "//", "?", "#", "&", "=", "+", " ", ":", "@", "[", "]", "{", "}", "{id}", ".", "..",
        "\\", ";", ",", "'", "\"", "<", ">", "|", "^", "`", "\r", "\n", "\r\n", "\0", "\t", "\u{7F}", "\u{85}",
        "é", "\u{301}", "日", "👩‍👩‍👧", "\u{200D}", "\u{FEFF}", "\u{2028}",
        "https:", "http://", "https://h.example", "h.example", "[::1]", ":80", ":99999", "me:pw@",
    ]

    private static func text(_ length: Int, _ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...length, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }

    private static func segments(of url: URL) -> Int {
        URLText(url).path.utf8.filter { $0 == UInt8(ascii: "/") }.count
    }

    /// Percent-decodes a query.
    private static func items(of url: URL) -> [[String]] {
        guard let query = URLText(url).query else { return [] }
        return query.split(separator: "&").map { item in
            item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { PercentEncoding.decoded($0) ?? "?" }
        }
    }

    private static func expectValid(_ request: NetworkRequest, _ note: String) {
        let text = request.url.absoluteString
        #expect(text.hasPrefix("https://") || text.hasPrefix("http://"), "\(note)")
        #expect(request.url.host()?.isEmpty == false, "\(note)")
        #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(note)")
        let host = URLText(request.url).hostAndPort
        #expect(host == Substring(host.filter { !"/?#@\\".contains($0) }), "\(note)")
        #expect(throws: Never.self, "\(note)") { try request.validate() }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `every request that is built has a valid http URL`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var built = 0
        let rounds = runs(200, slow: 700)
        for round in 0..<rounds {
            let (path, isFullPath) = (Self.text(6, &random), round % 2 == 0)
            let endpoint = Endpoint.make(
                isFullPath && round % 4 == 0 ? "https://" + path : path, isFullPath: isFullPath,
                method: round % 5 == 0 ? RequestMethod(Self.text(2, &random)) : .post,
                pathParameters: path.contains("{id}") ? ["id": Self.text(3, &random)] : [:],
                headers: round % 7 == 0 ? ["X": Self.text(2, &random), "X" + Self.text(1, &random): "y"] : [:],
                query: ["q": Self.text(3, &random)],
                body: .text(Self.text(3, &random), contentType: round % 9 == 0 ? Self.text(2, &random) : "text/plain"))
            let base = round % 3 == 0 ? "https://" + Self.text(5, &random) : "https://h.example/v1"
            guard let configuration = try? APIConfiguration(base) else { continue }
            guard let request = try? endpoint.networkRequest(with: configuration) else { continue }
            Self.expectValid(request, "seed \(seed), round \(round): \(base.debugDescription) \(path.debugDescription)")
            built += 1
        }
        #expect(built > rounds / 14, "too few requests to prove anything")
    }

    @Test(arguments: 8..<14 as Range<UInt64>)
    func `a path parameter stays one segment, and query values are preserved`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let configuration = try APIConfiguration.make("https://h.example/v1")
        for round in 0..<runs(150, slow: 500) {
            let (one, two) = (Self.text(4, &random), Self.text(4, &random))
            let (name, value, other) = (Self.text(3, &random), Self.text(5, &random), Self.text(5, &random))
            let endpoint = Endpoint.make(
                "a/{one}/b/{two}", pathParameters: ["one": one, "two": two],
                query: [name: value, "list": [other, value], "flag": true])
            guard let request = try? endpoint.networkRequest(with: configuration) else {
                #expect(
                    [one, two].contains { ["", ".", ".."].contains($0) || $0.utf8.contains(0) }, "seed \(seed), round \(round)")
                continue
            }
            Self.expectValid(request, "seed \(seed), round \(round)")
            #expect(Self.segments(of: request.url) == 5)
            let path = URLText(request.url).path.split(separator: "/").map { PercentEncoding.decoded($0) }
            #expect(path == ["v1", "a", one, "b", two])
            #expect(Self.items(of: request.url) == [[name, value], ["list", other], ["list", value], ["flag", "true"]])
        }
    }
}
