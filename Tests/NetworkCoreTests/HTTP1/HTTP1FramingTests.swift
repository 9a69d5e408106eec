import Testing

@testable import NetworkEngine
@testable import NetworkTransport

/// Where a body ends, and whether the connection can be reused (RFC 9112 §6.3, §9.3).
struct HTTP1FramingTests {
    private func outcome(_ head: String, _ rest: String = "", isHead: Bool = false, expectsUpgrade: Bool = false) -> HTTP1Outcome
    {
        HTTP1Exchange(
            head.split(separator: "|").map { $0 + "\r\n" }.joined() + "\r\n" + rest, isHead: isHead,
            expectsUpgrade: expectsUpgrade
        )
        .outcome().0
    }

    @Test(
        arguments: [
            // (head, following bytes, expected body, whether the connection can be reused)
            ("HTTP/1.1 200 OK|Content-Length: 3", "abcd", "abc", true),
            ("HTTP/1.1 200 OK|Content-Length: 0", "abcd", "", true),
            ("HTTP/1.1 200 OK|content-LENGTH: 003 ", "abcd", "abc", true),
            ("HTTP/1.1 200 OK|Content-Length: 3, 3 ,3", "abcd", "abc", true),
            ("HTTP/1.1 200 OK|Content-Length: 3|X: y|Content-Length: 3", "abcd", "abc", true),
            ("HTTP/1.1 200 OK", "abcd", "abcd", false),
            ("HTTP/1.1 200 OK|Connection: keep-alive", "abcd", "abcd", false),
            // §6.3, point 1.
            ("HTTP/1.1 204 None", "abcd", "", true),
            ("HTTP/1.1 304 Not Modified|Content-Length: 3", "abcd", "", true),
            ("HTTP/1.1 304 Not Modified|Transfer-Encoding: chunked", "abcd", "", true),
            // A 204 has no length (RFC 9110 §8.6). A server that sends one may also send the body.
            ("HTTP/1.1 204 None|Content-Length: 0", "", "", true),
            ("HTTP/1.1 204 None|Content-Length: 3", "abc", "", false),
            ("HTTP/1.1 204 None|Transfer-Encoding: chunked", "abc", "", false),
            // A 205 has no special framing.
            ("HTTP/1.1 205 Reset|Content-Length: 3", "abcd", "abc", true),
            // §9.3.
            ("HTTP/1.1 200 OK|Connection: close|Content-Length: 3", "abc", "abc", false),
            ("HTTP/1.1 200 OK|Connection: x, Close|Content-Length: 3", "abc", "abc", false),
            ("HTTP/1.1 200 OK|Connection: keep-alive|connection: close|Content-Length: 3", "abc", "abc", false),
            ("HTTP/1.1 200 OK|Connection: closed, xclose|Content-Length: 3", "abc", "abc", true),
            ("HTTP/1.1 200 OK|Connection: x,| close|Content-Length: 3", "abc", "abc", false),
            ("HTTP/1.0 200 OK|Content-Length: 3", "abc", "abc", false),
            ("HTTP/1.0 200 OK|Connection: Keep-Alive|Content-Length: 3", "abc", "abc", true),
            ("HTTP/1.0 200 OK|Connection: keep-alive, close|Content-Length: 3", "abc", "abc", false),
            ("HTTP/1.0 200 OK|Connection: keep-alive", "abc", "abc", false),
            // §6.3, point 3, and §6.1: chunked overrides a length, and the connection is closed after the message.
            ("HTTP/1.1 200 OK|Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n", "abc", true),
            ("HTTP/1.1 200 OK|TRANSFER-encoding:Chunked", "3\r\nabc\r\n0\r\n\r\n", "abc", true),
            ("HTTP/1.1 200 OK|Transfer-Encoding: , chunked,", "3\r\nabc\r\n0\r\n\r\n", "abc", true),
            ("HTTP/1.1 200 OK|Transfer-Encoding: chunked|Content-Length: 1", "3\r\nabc\r\n0\r\n\r\n", "abc", false),
            ("HTTP/1.1 200 OK|Content-Length: 1|Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n", "abc", false),
            ("HTTP/1.0 200 OK|Connection: keep-alive|Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n", "abc", false),
            // `identity` means that there is no coding (RFC 2616 §4.4).
            ("HTTP/1.1 200 OK|Transfer-Encoding: identity", "abcd", "abcd", false),
            ("HTTP/1.1 200 OK|Transfer-Encoding: identity|Content-Length: 3", "abcd", "abc", false),
        ] as [(String, String, String, Bool)])
    func `the end of a body is determined as in RFC 9112 §6.3`(head: String, rest: String, body: String, keepsConnection: Bool) {
        let outcome = outcome(head, rest)
        #expect(outcome.body == Array(body.utf8) && outcome.failure == nil && outcome.keepsConnection == keepsConnection)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK|Content-Length: 3", "HTTP/1.1 200 OK|Transfer-Encoding: chunked", "HTTP/1.1 200 OK",
        "HTTP/1.1 404 x|Content-Length: 3",
    ])
    func `a response to HEAD has no body, even if its head announces one`(head: String) {
        let outcome = outcome(head, "abc", isHead: true)
        #expect(outcome.body.isEmpty && outcome.leftover == 3 && outcome.failure == nil && outcome.keepsConnection)
        #expect(outcome.contentLength == (head.contains("Content-Length") ? 3 : nil))
    }

    @Test(arguments: [
        "Content-Length: 5|Content-Length: 6", "Content-Length: 5, 6", "Content-Length:", "Content-Length: ,",
        "Content-Length: 5,",
        "Content-Length: +5", "Content-Length: -5", "Content-Length: 5 5", "Content-Length: 0x5", "Content-Length: 5.0",
        "Content-Length: 9223372036854775808", "Content-Length: 99999999999999999999999", "Content-Length: banana",
        "Content-Length: \"5\"", "Content-Length:| 5", "Content-Length: 5|\t5", "Content-Length: 5| ", "Content-Length: 5;",
        "Content-Length: ５",
        // §6.1: unrequested codings, and chunked that is not the last coding.
        "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding:",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked|Transfer-Encoding: chunked", "Transfer-Encoding: x",
        "Transfer-Encoding: chunked, identity", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: chunked x",
        "Transfer-Encoding: \"chunked\"", "Transfer-Encoding:| chunked", "Transfer-Encoding: chunked| ", "Transfer-Encoding: ,",
        "Transfer-Encoding: chunke\u{212A}d", "Transfer-Encoding: chun\u{212A}ed",
    ])
    func `ambiguous or invalid framing is malformed (RFC 9112 §6.3)`(fields: String) {
        for status in ["200", "204", "304", "103"] {
            #expect(outcome("HTTP/1.1 \(status) x|\(fields)").failure == .malformedResponse, "status \(status)")
        }
        #expect(outcome("HTTP/1.1 200 OK|\(fields)", isHead: true).failure == .malformedResponse)
    }

    @Test func `the largest possible length is accepted`() {
        let outcome = outcome("HTTP/1.1 200 OK|Content-Length: 9223372036854775807", "abc")
        #expect(outcome.contentLength == .max && outcome.body == Array("abc".utf8) && outcome.failure == .incompleteBody)
    }

    @Test(arguments: [
        ("", HTTP1Error.Kind.connectionLost, "without a response"),
        ("HTTP/1.1 200 OK", .connectionLost, "inside the response's head"),
        ("HTTP/1.1 200 OK\r\n", .connectionLost, "inside the response's head"),
        ("HTTP/1.1 200 OK\r\n\r", .connectionLost, "inside the response's head"),
        ("HTTP/1.1 100 x\r\n\r\n", .connectionLost, "after an interim response"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .incompleteBody, "after 0 of the 5 bytes"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcd", .incompleteBody, "after 4 of the 5 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .incompleteBody, "after 0 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", .incompleteBody, "after 3 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0", .incompleteBody, "after 0 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", .incompleteBody, "after 0 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\n", .incompleteBody, "after 0 bytes"),
    ])
    func `a connection that closes before the end of the response is an error (RFC 9112 §8)`(
        text: String, kind: HTTP1Error.Kind, words: String
    ) {
        let (outcome, failure) = HTTP1Exchange(text).outcome()
        #expect(failure?.kind == kind && failure?.message.contains(words) == true && !outcome.keepsConnection)
    }

    @Test func `interim responses are skipped (RFC 9110 §15.2)`() {
        let interim = "HTTP/1.1 103 x\r\nLink: a\r\nConnection: close\r\nContent-Length: 7\r\nContent-Encoding: gzip\r\n\r\n"
        let outcome = HTTP1Exchange(interim + "HTTP/1.0 100 Continue\r\n\r\n" + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
            .outcome().0
        #expect(outcome.interim == [103, 100] && outcome.headers.map(\.name) == ["Content-Length"] && outcome.body == [0x61])
        #expect(outcome.keepsConnection && outcome.failure == nil)
    }

    @Test func `the number of interim responses is limited`() {
        func failure(_ count: Int) -> HTTP1Error? {
            HTTP1Exchange(String(repeating: "HTTP/1.1 100 x\r\n\r\n", count: count) + "HTTP/1.1 200 OK\r\n\r\n").outcome().1
        }
        #expect(
            failure(64) == nil && failure(65)?.kind == .headersTooLarge && failure(65)?.message.contains("64 interim") == true)
    }

    @Test func `a 101 is accepted only if the request has an Upgrade field (RFC 9110 §7.8)`() {
        let text = "HTTP/1.1 101 Switching Protocols|Upgrade: x|Connection: upgrade|Content-Length: 1"
        #expect(outcome(text, "raw\r\n").failure == .malformedResponse)
        let upgraded = outcome(text, "raw\r\n", expectsUpgrade: true)
        #expect(upgraded.status == 101 && upgraded.body == Array("raw\r\n".utf8) && upgraded.contentLength == nil)
        #expect(upgraded.isDelimitedByClose && !upgraded.keepsConnection && upgraded.failure == nil)
        // A server may refuse the upgrade, and may send an interim response before it switches.
        let refused = outcome("HTTP/1.1 200 OK|Content-Length: 1", "a", expectsUpgrade: true)
        #expect(refused.body == [0x61] && refused.keepsConnection)
        #expect(outcome("HTTP/1.1 100 x", "HTTP/1.1 101 x\r\n\r\nraw", expectsUpgrade: true).body == Array("raw".utf8))
    }

    @Test(
        arguments: [
            ("timeout=5, max=100", 5, 100), ("timeout=5", 5, nil), ("max=0", nil, 0), ("TIMEOUT = 5 ,x=1", 5, nil),
            ("5", nil, nil),
            ("timeout=5, timeout=3", 3, nil), ("timeout=-1, max=", nil, nil), ("timeout=\"5\"", nil, nil), ("", nil, nil),
            ("timeout=99999999999999999999", 1_000_000_000, nil), ("timeout=5.5; max=3", nil, nil),
        ] as [(String, Int?, Int?)])
    func `timeout and max are read from the Keep-Alive field`(value: String, timeout: Int?, maximum: Int?) {
        let outcome = outcome("HTTP/1.1 200 OK|Keep-Alive: \(value)|Content-Length: 0")
        #expect(outcome.keepAliveTimeout == timeout && outcome.keepAliveMaximum == maximum && outcome.failure == nil)
    }

    @Test func `bytes after the response are left to the caller`() {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n".utf8)
        var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 1024)
        var offset = 0
        let steps = bytes.withUnsafeBytes { input in (0..<4).map { _ in try? parser.next(input, at: &offset) } }
        let start = bytes.count - 20
        #expect(steps == [.head, .body(start..<start + 1), .end, .end] && offset == start + 1)
        #expect((try? parser.receiveEnd()) != nil && parser.isComplete)
    }

    @Test func `the end of a response with an empty body is reported without more input`() {
        for text in ["HTTP/1.1 204 x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"] {
            var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 1024)
            var offset = 0
            let bytes = Array(text.utf8)
            let steps = bytes.withUnsafeBytes { input in
                [try? parser.next(input, at: &offset), offset == input.count ? try? parser.next(input, at: &offset) : nil]
            }
            #expect(steps == [.head, .end])
        }
    }
}
