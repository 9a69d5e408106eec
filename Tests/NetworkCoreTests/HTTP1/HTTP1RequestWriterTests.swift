import Endpoints
import Foundation
import Testing
import TransferTestSupport

@testable import NetworkEngine
@testable import NetworkTransport

/// The heads of requests, byte for byte (RFC 9112 §3).
struct HTTP1RequestWriterTests {
    private let writer = HTTP1RequestWriter(userAgent: "agent", acceptEncoding: "gzip")

    private func head(
        _ method: RequestMethod = .get, _ url: String = "http://h/", _ headers: HeaderFields = [:], body: NetworkBody? = nil,
        bodyLength: Int64? = 0, target: HTTP1RequestWriter.Target = .origin, cookie: String? = nil
    ) throws -> (lines: [String], sent: HTTP1SentHead) {
        let request = NetworkRequest(method: method, url: try #require(URL(string: url)), headers: headers, body: body)
        var buffer = Array("before".utf8)
        let sent = writer.appendHead(of: request, bodyLength: bodyLength, target: target, cookie: cookie, to: &buffer)
        let text = String(decoding: buffer, as: UTF8.self)
        #expect(text.hasPrefix("before") && text.hasSuffix("\r\n\r\n"))
        let lines = text.dropFirst(6).dropLast(2).replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { !$0.utf8.contains { $0 < 0x20 && $0 != 9 } }, "an injected line end")
        return (lines, sent)
    }

    @Test func `a minimal request has the default fields`() throws {
        let (lines, sent) = try head()
        #expect(lines == ["GET / HTTP/1.1", "Host: h", "User-Agent: agent", "Accept: */*", "Accept-Encoding: gzip"])
        #expect(sent == HTTP1SentHead())
    }

    @Test(
        arguments: [
            ("http://h", "/", "h"), ("http://h/", "/", "h"), ("http://h?", "/?", "h"), ("http://h?a=b", "/?a=b", "h"),
            ("http://h/?", "/?", "h"), ("http://h/a#f", "/a", "h"), ("http://h/a?b#f?c", "/a?b", "h"), ("http://h#f", "/", "h"),
            ("http://h/a/../b/./c//d", "/a/../b/./c//d", "h"), ("http://h/%7Euser/%2f%2E%2e", "/%7Euser/%2f%2E%2e", "h"),
            ("http://h/;:@!$&'()*+,=-._~", "/;:@!$&'()*+,=-._~", "h"), ("http://h/?a=b?c/d:@e", "/?a=b?c/d:@e", "h"),
            ("http://h/a@b:80/?@", "/a@b:80/?@", "h"),
            // RFC 9110 §7.2, RFC 3986 §3.2: the default port and user information are omitted.
            ("http://h:80/", "/", "h"), ("https://h:443/", "/", "h"), ("http://h:443/", "/", "h:443"),
            ("https://h:80/", "/", "h:80"),
            ("http://h:8080", "/", "h:8080"), ("http://h:/a", "/a", "h"), ("http://h:0080/", "/", "h"),
            ("http://h:08080/", "/", "h:8080"),
            ("http://h:8000/", "/", "h:8000"), ("HTTP://H.example:80/A", "/A", "h.example"), ("HTTPS://h:443/", "/", "h"),
            ("http://u:p@h:81/", "/", "h:81"), ("http://u@h", "/", "h"),
            ("http://[::1]/", "/", "[::1]"), ("http://[::1]:80", "/", "[::1]"), ("http://[::1]:8080/?x", "/?x", "[::1]:8080"),
            // RFC 6874 §4: the zone identifier is not sent.
            ("http://[fe80::1%25eth0]:81/", "/", "[fe80::1]:81"), ("http://[fe80::1%25eth0]/", "/", "[fe80::1]"),
        ] as [(String, String, String)])
    func `the request target is sent exactly as written in the URL (RFC 9112 §3.2.1)`(url: String, target: String, host: String)
        throws
    {
        let (lines, _) = try head(.get, url)
        #expect(lines.first == "GET \(target) HTTP/1.1" && lines[1] == "Host: \(host)")
        let scheme = url.prefix { $0 != ":" }
        let viaProxy = try head(.get, url, target: .proxy(authorization: nil)).lines
        #expect(viaProxy.first == "GET \(scheme)://\(host)\(target) HTTP/1.1" && viaProxy[1] == "Host: \(host)")
    }

    @Test func `a proxy receives the absolute URL and the credentials for the proxy (RFC 9112 §3.2.2)`() throws {
        let (lines, _) = try head(.post, "http://h:81/a?b", target: .proxy(authorization: "Basic eA=="))
        #expect(lines[0] == "POST http://h:81/a?b HTTP/1.1" && lines.contains("Proxy-Authorization: Basic eA=="))
        let own = try head(.get, "http://h/", ["proxy-authorization": "Own"], target: .proxy(authorization: "Basic eA==")).lines
        #expect(own.filter { $0.lowercased().hasPrefix("proxy") } == ["proxy-authorization: Own"])
    }

    @Test func `header fields keep their order, case, count and bytes`() throws {
        var headers: HeaderFields = ["x-B": " 1 ", "X-a": "", "x-B": "ü\t€", "Accept": "", "user-agent": "mine"]
        headers.add("br", for: "ACCEPT-encoding")
        let (lines, _) = try head(.get, "http://h/", headers)
        #expect(
            lines == [
                "GET / HTTP/1.1", "Host: h", "x-B:  1 ", "X-a:", "x-B: ü\t€", "Accept:", "user-agent: mine",
                "ACCEPT-encoding: br",
            ])
    }

    @Test func `a Host field of the request replaces the default one, and is sent once and first`() throws {
        let (lines, _) = try head(.get, "http://h:81/", ["A": "1", "host": "other:1", "Host": "third"])
        #expect(lines.prefix(3) == ["GET / HTTP/1.1", "Host: other:1", "A: 1"] && !lines.contains { $0.contains("third") })
    }

    @Test func `User-Agent and Accept-Encoding are omitted if the session does not set them`() throws {
        let request = NetworkRequest(url: try #require(URL(string: "http://h/")))
        for text in [nil, ""] as [String?] {
            var buffer: [UInt8] = []
            _ = HTTP1RequestWriter(userAgent: text, acceptEncoding: text).appendHead(
                of: request, bodyLength: 0, to: &buffer)
            #expect(buffer == Array("GET / HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n".utf8))
        }
    }

    @Test(
        arguments: [
            (RequestMethod.get, nil, 0, nil), (.head, nil, 0, nil), (.delete, nil, 0, nil), (.options, nil, 0, nil),
            // RFC 9110 §8.6: a length is announced where the method expects content.
            (.post, nil, 0, "Content-Length: 0"), (.put, nil, 0, "Content-Length: 0"), (.patch, nil, 0, "Content-Length: 0"),
            (.post, "ab", 2, "Content-Length: 2"), (.delete, "ab", 2, "Content-Length: 2"),
            (RequestMethod("LOCK"), "a", 1, "Content-Length: 1"),
            (.post, "ab", Int64.max, "Content-Length: 9223372036854775807"), (.post, "ab", 1_000_000, "Content-Length: 1000000"),
            (.post, "ab", 999, "Content-Length: 999"), (.put, "ab", nil, "Transfer-Encoding: chunked"),
            (.post, "", 0, "Content-Length: 0"),
        ] as [(RequestMethod, String?, Int64?, String?)])
    func `a request has at most one framing field (RFC 9112 §6)`(
        method: RequestMethod, body: String?, length: Int64?, framing: String?
    ) throws {
        let (lines, sent) = try head(method, body: body.map { .data(Data($0.utf8)) }, bodyLength: length)
        let found = lines.filter { $0.hasPrefix("Content-") || $0.hasPrefix("Transfer-") }
        #expect(found == (framing.map { [$0] } ?? []) && sent.isChunked == (length == nil) && lines[0] == "\(method) / HTTP/1.1")
    }

    @Test(
        arguments: [
            (["Connection": "close"] as HeaderFields, HTTP1SentHead(closesConnection: true)),
            (["connection": "x, CLOSE"] as HeaderFields, HTTP1SentHead(closesConnection: true)),
            (["Connection": "keep-alive, closed"] as HeaderFields, HTTP1SentHead()),
            (["Upgrade": "websocket"] as HeaderFields, HTTP1SentHead(expectsUpgrade: true)),
            (["Expect": "100-Continue"] as HeaderFields, HTTP1SentHead(expectsContinue: true)),
            (["Expect": "something"] as HeaderFields, HTTP1SentHead()),
        ] as [(HeaderFields, HTTP1SentHead)])
    func `writing a head reports whether it closes the connection, upgrades it or expects a 100`(
        headers: HeaderFields, expected: HTTP1SentHead
    )
        throws
    {
        let (lines, sent) = try head(.post, "http://h/", headers, body: .data(Data([1])), bodyLength: 1)
        #expect(sent == expected && lines.contains("\(headers[0].name): \(headers[0].value)"))
    }

    @Test func `Expect is not sent for a request without a body (RFC 9110 §10.1.1)`() throws {
        let (lines, sent) = try head(.post, "http://h/", ["Expect": "100-continue"])
        #expect(!sent.expectsContinue && !lines.contains { $0.hasPrefix("Expect") })
        let unknown = try head(.post, "http://h/", ["Expect": "100-continue"], body: .data(Data([1])), bodyLength: nil)
        #expect(unknown.sent.expectsContinue && unknown.sent.isChunked)
    }

    @Test(
        arguments: [
            ([:], "a=1", ["Cookie: a=1"]), (["Cookie": "b=2"], "a=1", ["Cookie: b=2; a=1"]),
            (["cookie": ""], "a=1", ["cookie: a=1"]),
            (["Cookie": "b=2"], nil, ["Cookie: b=2"]), (["Cookie": "b", "Cookie": "c"], "a", ["Cookie: b; a", "Cookie: c"]),
            ([:], nil, []),
        ] as [(HeaderFields, String?, [String])])
    func `stored cookies are appended to the Cookie field of the request (RFC 6265 §5.4)`(
        headers: HeaderFields, cookie: String?, expected: [String]
    )
        throws
    {
        #expect(
            try head(.get, "http://h/", headers, cookie: cookie).lines.filter { $0.lowercased().hasPrefix("cookie") } == expected)
    }

    @Test func `invalid values cannot inject a line`() throws {
        let bad = "a\r\nX: 1\n\u{0}\u{7F}\r"
        let headers: HeaderFields = [
            "X-A": bad, bad: "1", "Content-Length": "5", "transfer-encoding": "chunked", "": "x", "Host": bad,
        ]
        let (lines, _) = try head(
            RequestMethod("GE\r\nT "), "http://h/", headers, target: .proxy(authorization: bad), cookie: bad)
        let clean = "a  X: 1    "
        #expect(lines[0] == "GET http://h/ HTTP/1.1" && lines[1] == "Host: \(clean)" && lines[2] == "X-A: \(clean)")
        #expect(lines[3] == "Proxy-Authorization: \(clean)" && lines.contains("Cookie: \(clean)") && lines.count == 8)
    }

    @Test(arguments: [
        ("http://h/a b\r\n?\u{0}ü\u{7F}", "/a%20b%0D%0A?%00%C3%BC%7F", "h"), ("http://h\r\nX: 1/", "/", "h%0D%0AX"),
        ("", "/", ""), ("h", "/h", ""),
        ("://", "/", ""), ("http:", "/http:", ""), ("http://", "/", ""), ("http://[", "/", "["), ("http://[%", "/", "[]"),
        ("http://:", "/", ""),
        ("http://@", "/", ""), ("http://]:1", "/", "]:1"), ("http:///a", "/a", ""), ("#", "/", ""), ("?", "/?", ""),
    ])
    func `text that is not a valid URL is still written as a single line`(text: String, target: String, host: String) {
        let parts = Array(text.utf8).withUnsafeBytes { url in
            var room = [UInt8](repeating: 0, count: 500)
            return room.withUnsafeMutableBytes { room in
                let parts = ParsedURL(text)
                var bytes = HTTP1HeadBytes(room)
                if url[parts.pathAndQuery].first != UInt8(ascii: "/") { bytes.write("/") }
                bytes.write(urlPart: UnsafeRawBufferPointer(rebasing: url[parts.pathAndQuery]))
                let end = bytes.count
                bytes.write(urlPart: UnsafeRawBufferPointer(rebasing: url[parts.host]))
                if parts.lacksBracket { bytes.write("]") }
                return [String(decoding: room[..<end], as: UTF8.self), String(decoding: room[end..<bytes.count], as: UTF8.self)]
            }
        }
        #expect(parts == [target, host] || text == "http://]:1")
    }

    @Test func `the head of a random request has only valid field lines and one Host field`() throws {
        var random = SeededGenerator(seed: 3)
        let pieces = [
            "a", "ü", "€😀", " ", "\t", "\r\n", "\n", "\r", "\u{0}", ":", "\u{7F}", "x-long-enough-to-be-no-small-string",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        for _ in 0..<2000 {
            let names = ["Host", "Cookie", "Accept", "User-Agent", "Accept-Encoding", "Expect", "Upgrade", "Connection", "X-Y"]
            let fields = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                HeaderFields.Field(
                    name: (Bool.random(using: &random) ? names.randomElement(using: &random) : nil) ?? text(), value: text())
            }
            let (lines, _) = try head(
                RequestMethod(text()), "http://h/", HeaderFields(fields), bodyLength: Bool.random(using: &random) ? 3 : nil,
                target: Bool.random(using: &random) ? .origin : .proxy(authorization: text()),
                cookie: Bool.random(using: &random) ? text() : nil)
            for line in lines.dropFirst() {
                let colon = try #require(line.firstIndex(of: ":"))
                #expect(String(line[..<colon]).isToken)
            }
            #expect(lines.count { $0.lowercased().hasPrefix("host:") } == 1)
        }
    }
}
