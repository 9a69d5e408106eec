import Endpoints
import Foundation
import Testing

@testable import NetworkTesting

@Suite struct LoopbackRequestParserTests {
    private static let stream =
        "\r\nPOST /a?x=1 HTTP/1.1\r\nHost: h\r\nX-Multi: 1\r\nx-multi:\t2 \r\nContent-Length: 5\r\n\r\nhello"
        + "PUT /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5;ext=1\r\nhello\r\nA \r\n0123456789\r\n0\r\nX-Sum: ok\r\n\r\n"
        + "GET /c HTTP/1.0\r\n\r\n"

    private static func makeParser(head: Int = 1024, body: Int = 1024) -> LoopbackRequestParser {
        LoopbackRequestParser(maximumHeadBytes: head, maximumBodyBytes: body, connectionID: 7)
    }

    private static func parse(
        _ pieces: [[UInt8]], with parser: LoopbackRequestParser = makeParser()
    ) -> (requests: [LoopbackRequest], failure: LoopbackRequestParser.Failure?) {
        var parser = parser
        var requests: [LoopbackRequest] = []
        for piece in pieces {
            parser.receive(piece)
            reading: while true {
                switch parser.next() {
                case .needsMoreBytes: break reading
                case .expectsContinue: continue
                case .request(let request): requests.append(request)
                case .failure(let failure): return (requests, failure)
                }
            }
        }
        return (requests, nil)
    }

    private static func check(_ requests: [LoopbackRequest], _ comment: Comment) {
        guard requests.count == 3 else {
            Issue.record("\(requests.count) requests: \(comment)")
            return
        }
        #expect(requests[0].method == .post && requests[0].target == "/a?x=1" && requests[0].text == "hello", comment)
        #expect(requests[0].headers.values(for: "X-MULTI") == ["1", "2"], comment)
        #expect(requests[1].method == .put && requests[1].text == "hello0123456789", comment)
        #expect(requests[1].trailers["x-sum"] == "ok" && requests[1].connectionID == 7, comment)
        #expect(requests[2].version == "HTTP/1.0" && requests[2].body.isEmpty, comment)
    }

    @Test func `parsed requests are the same for every position at which the input is split`() {
        let bytes = Array(Self.stream.utf8)
        for border in 0...bytes.count {
            let (requests, failure) = Self.parse([Array(bytes[..<border]), Array(bytes[border...])])
            #expect(failure == nil)
            Self.check(requests, "split at \(border)")
        }
    }

    @Test(arguments: [1, 2, 3, 7]) func `parsed requests are the same for every size of the input chunks`(size: Int) {
        let bytes = Array(Self.stream.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        Self.check(Self.parse(pieces).requests, "pieces of \(size)")
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", 400),
        ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("G(T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET /\u{7f} HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        ("GET / HTPT/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: h\n\n", 400),  // RFC 9112 §2.2
        ("GET / HTTP/1.1\r\n\r\n", 400),  // RFC 9112 §3.2
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),  // RFC 9112 §5.1
        ("GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\n folded\r\n\r\n", 400),  // RFC 9112 §5.2
        ("GET / HTTP/1.1\r\nHost: h\r\nA: 1\u{0}2\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nA: 1\r2\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),  // RFC 9112 §6.3
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +5\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1025\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n401\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\n", 413),
    ])
    func `a malformed or unsupported request fails with the matching status`(input: String, status: Int) {
        let whole = Self.parse([Array(input.utf8)])
        let single = Self.parse(input.utf8.map { [$0] })
        #expect(whole.failure?.status == status && whole.requests.isEmpty)
        #expect(single.failure?.status == status && single.requests.isEmpty)
    }

    @Test func `a head can be as large as its limit, but not larger`() {
        let rest = "GET / HTTP/1.1\r\nHost: h\r\nA: \r\n\r\n".utf8.count
        for (length, fits) in [(1024 - rest, true), (1024 - rest + 1, false)] {
            let head = "GET / HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "a", count: length))\r\n\r\n"
            let result = Self.parse([Array(head.utf8)])
            #expect(result.requests.count == (fits ? 1 : 0))
            #expect(result.failure?.status == (fits ? nil : 431))
        }
    }

    @Test func `an unterminated line fails as soon as it exceeds the limit`() {
        #expect(Self.parse([Array(repeating: 0x61, count: 1024)]).failure == nil)
        #expect(Self.parse([Array(repeating: 0x61, count: 1025)]).failure?.status == 431)
    }

    @Test func `the head limit applies to each request separately`() {
        let request = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        #expect(Self.parse([Array(repeatElement(request, count: 100).joined())]).requests.count == 100)
    }

    @Test func `non-ASCII bytes are preserved`() {
        var input = Array("GET /ü HTTP/1.1\r\nHost: h\r\nA: ".utf8)
        input += [0xe4] + Array("\r\n\r\n".utf8)
        let requests = Self.parse([input]).requests
        #expect(requests.first?.target == "/ü")
        #expect(requests.first?.headers["A"] == "ä")
    }

    @Test func `an expectation of 100-continue is reported once, before the body`() {
        var parser = Self.makeParser()
        parser.receive(Array("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n".utf8))
        guard case .expectsContinue = parser.next(), case .needsMoreBytes = parser.next() else {
            Issue.record("the expectation was not reported exactly once")
            return
        }
        parser.receive([0x61])
        guard case .request(let request) = parser.next() else {
            Issue.record("no request")
            return
        }
        #expect(request.text == "a")
    }

    @Test func `query items and path are parsed from any form of request target`() {
        let request = LoopbackRequest(target: "/a%20b?x=1&y=%26+z&flag&x=")
        #expect(request.path == "/a%20b")
        #expect(request.queryItems.map(\.name) == ["x", "y", "flag", "x"])
        #expect(request.queryItems.map(\.value) == ["1", "&+z", nil, ""])
        let proxied = LoopbackRequest(target: "http://host:1/p?q")
        #expect(proxied.path == "/p" && proxied.query == "q")
        #expect(LoopbackRequest(target: "http://host?q").path == "/")
        #expect(LoopbackRequest(target: "http://host").path == "/")
    }
}
