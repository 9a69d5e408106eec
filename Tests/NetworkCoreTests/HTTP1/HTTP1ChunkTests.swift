import Endpoints
import Testing

@testable import NetworkEngine
@testable import NetworkTransport

/// The chunked transfer coding, read and written (RFC 9112 §7.1).
struct HTTP1ChunkTests {
    private func outcome(_ body: String) -> HTTP1Outcome {
        let exchange = HTTP1Exchange("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        #expect(exchange.outcome(.all) == exchange.outcome())
        return exchange.outcome().0
    }

    @Test(arguments: [
        ("3\r\nabc\r\n0\r\n\r\n", "abc"), ("0\r\n\r\n", ""), ("1\r\na\r\n2\r\nbc\r\n00\r\n\r\n", "abc"),
        ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("0000000000000003\r\nabc\r\n0000000000000000\r\n\r\n", "abc"),
        // Extensions are ignored (§7.1.1).
        ("3;a\r\nabc\r\n0;b=c\r\n\r\n", "abc"), ("3;a=\"b;c\\\"\"\r\nabc\r\n0\r\n\r\n", "abc"),
        ("3;\r\nabc\r\n0;;\r\n\r\n", "abc"),
        // White space after the size is accepted, as in Go, OkHttp and hyper.
        ("3 \r\nabc\r\n0\t \r\n\r\n", "abc"), ("3 ;a\r\nabc\r\n0\r\n\r\n", "abc"), ("3; a = b\r\nabc\r\n0\r\n\r\n", "abc"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"), ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"),
    ])
    func `valid chunks are decoded to their content`(body: String, content: String) {
        let outcome = outcome(body + "rest")
        #expect(outcome.body == Array(content.utf8) && outcome.failure == nil && outcome.leftover == 4 && outcome.keepsConnection)
    }

    @Test(arguments: [
        "\r\n", "x\r\n", "-1\r\na\r\n", "+1\r\na\r\n", "0x1\r\na\r\n", " 1\r\na\r\n", "\t1\r\na\r\n", ";\r\n", "\r\n0\r\n\r\n",
        "1 1\r\na\r\n", "1g\r\n", "1,\r\n", "１\r\n",
        // A size is at most `Int64.max` and has at most 16 digits.
        "8000000000000000\r\n", "FFFFFFFFFFFFFFFF\r\n", "10000000000000000\r\n", "00000000000000001\r\na\r\n",
        // Every line ends with CR LF.
        "1\na\r\n0\r\n\r\n", "1;a\na\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n", "1\ra\r\n", "1\r\r\na", "1;a\rb\r\na",
        "1;\u{0}\r\na\r\n",
        "1\r\na\r\n0\n\r\n", "1\r\nab\r\n0\r\n\r\n", "1\r\na0\r\n\r\n", "1\r\na\rb",
        // Trailers are field lines (§7.1.2).
        "0\r\n\n", "0\r\nA: 1\n\r\n", "0\r\nA : 1\r\n\r\n", "0\r\n A: 1\r\n\r\n", "0\r\nA\r\n\r\n", "0\r\n: 1\r\n\r\n",
        "0\r\nA: \u{0}\r\n\r\n",
        "0\r\n\rA: 1\r\n\r\n",
    ])
    func `invalid chunk framing is malformed`(body: String) {
        let failure = outcome(body).failure
        #expect(failure == .malformedResponse)
    }

    @Test func `the largest possible chunk size is accepted`() {
        let outcome = outcome("7FFFFFFFFFFFFFFF\r\nabc")
        #expect(outcome.body == Array("abc".utf8) && outcome.failure == .incompleteBody)
    }

    @Test func `trailers are returned as fields, but do not affect framing or the connection (RFC 9110 §6.5.1)`() {
        let outcome = outcome(
            "1\r\na\r\n0\r\nContent-Length: x\r\nX-Sum: 1\r\n 2\r\nTransfer-Encoding: gzip\r\nConnection: close\r\n\r\n")
        let trailers = outcome.trailers.map { "\($0.name): \($0.value)" }
        #expect(trailers == ["Content-Length: x", "X-Sum: 1 2", "Transfer-Encoding: gzip", "Connection: close"])
        #expect(outcome.keepsConnection && outcome.failure == nil && outcome.headers.map(\.name) == ["Transfer-Encoding"])
    }

    @Test func `the total size of the extensions of all chunks is limited`() {
        let limit = HTTP1ChunkDecoder.maximumExtensionBytes
        // The CR counts towards the limit, the semicolon does not.
        let half = "1;" + String(repeating: "x", count: limit / 2 - 1) + "\r\na\r\n"
        #expect(outcome(half + half + "0\r\n\r\n").failure == nil)
        #expect(outcome(half + half + "0;\r\n\r\n").failure == .malformedResponse)
        #expect(outcome("1" + String(repeating: " ", count: limit) + "\r\na\r\n0\r\n\r\n").failure == nil)
        #expect(outcome("1" + String(repeating: " ", count: limit + 1) + "\r\na\r\n0\r\n\r\n").failure == .malformedResponse)
    }

    @Test(arguments: [1, 9, 10, 15, 16, 255, 256, 4096, 65_535, 65_536, 1 << 32, Int.max, Int.max - 1])
    func `a chunk size is written as hexadecimal digits`(size: Int) {
        let line = withUnsafeTemporaryAllocation(byteCount: HTTP1Chunk.maximumPrefixBytes, alignment: 1) { buffer in
            Array(buffer[..<HTTP1Chunk.writeSize(size, into: buffer)])
        }
        #expect(line == Array((String(size, radix: 16) + "\r\n").utf8))
    }

    @Test func `written chunks can be read back`() {
        var body: [UInt8] = []
        for count in [1, 17, 300] {
            withUnsafeTemporaryAllocation(byteCount: HTTP1Chunk.maximumPrefixBytes, alignment: 1) { buffer in
                body += buffer[..<HTTP1Chunk.writeSize(count, into: buffer)]
            }
            body += [UInt8](repeating: 0x61, count: count) + "\r\n".utf8
        }
        let outcome = outcome(String(decoding: body, as: UTF8.self) + "0\r\n\r\n")
        #expect(outcome.body.count == 318 && outcome.failure == nil && outcome.leftover == 0)
    }
}
