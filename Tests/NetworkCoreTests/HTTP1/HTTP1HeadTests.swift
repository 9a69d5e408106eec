import Endpoints
import Testing

@testable import NetworkEngine
@testable import NetworkTransport

/// Status lines and field lines (RFC 9112 §4, §5).
struct HTTP1HeadTests {
    private func head(_ lines: String) -> (HTTP1Outcome, HTTP1Error?) {
        HTTP1Exchange(lines + "Content-Length: 0\r\n\r\n").outcome()
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", 200, 1), ("HTTP/1.0 404 Not Found\r\n", 404, 0), ("HTTP/1.1 200 \r\n", 200, 1),
        // The reason phrase and the space before it may be missing, as in Go, OkHttp and hyper.
        ("HTTP/1.1 200\r\n", 200, 1), ("HTTP/1.1 200 OK\n", 200, 1), ("HTTP/1.1 200\n", 200, 1),
        // A higher minor version is treated as the highest known one (RFC 9110 §2.5), an unknown status as the first one of its
        // class (§15).
        ("HTTP/1.9 200 OK\r\n", 200, 1), ("HTTP/1.1 999 ?\r\n", 999, 1), ("HTTP/1.1 600\r\n", 600, 1),
        ("HTTP/1.1 200 grün, \tund so\r\n", 200, 1),
    ])
    func `a status line is parsed into a version and a status (RFC 9112 §4)`(line: String, status: Int, minor: Int) {
        let (outcome, failure) = head(line)
        #expect(outcome.status == status && outcome.minorVersion == minor && failure == nil)
    }

    @Test(arguments: [
        "HTTP/2.0 200 OK", "HTTP/2 200", "HTTP/0.9 200 OK", "HTTP/11 200 OK", "http/1.1 200 OK", "Http/1.1 200 OK", "ICY 200 OK",
        "<html>", "", " HTTP/1.1 200 OK", "\u{FEFF}HTTP/1.1 200 OK", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000",
        "HTTP/1.1 200OK", "HTTP/1.1 099 Low", "HTTP/1.1 000", "HTTP/1.1 99 Low", "HTTP/1.1 -20 x", "HTTP/1.1 +20 x",
        "HTTP/1.1 2 0 x", "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1 200\tOK", "HTTP/1.10 200 OK", "HTTP/1. 200 OK",
        "HTTP/1.x 200 OK", "HTTP/1,1 200 OK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 OK\r", "X: 1",
    ])
    func `an invalid status line is malformed`(line: String) {
        #expect(head(line + "\r\n").1?.kind == .malformedResponse)
        #expect(head("HTTP/1.1 103 Early\r\n\r\n" + line + "\r\n").1?.kind == .malformedResponse)
    }

    @Test(arguments: [("SSH-2.0-OpenSSH", 1), ("HTTQ", 4), ("\u{16}\u{3}\u{1}", 1), ("\n", 1), ("HTTP/2", 6)])
    func `bytes that cannot begin a status line are refused immediately, before the line ends`(text: String, count: Int) {
        let bytes = Array(text.utf8)
        var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 1024)
        for index in bytes.indices.prefix(count) {
            let step = bytes[index...index].withUnsafeBytes { input in
                var offset = 0
                return Result { () throws(HTTP1Error) in try parser.next(input, at: &offset) }
            }
            #expect((try? step.get()) == (index == count - 1 ? nil : .needsMore))
        }
    }

    @Test(arguments: [
        ("A: 1\r\n", "1"), ("A:1\r\n", "1"), ("A:  \t1 \t\r\n", "1"), ("A: 1\n", "1"), ("A:\r\n", ""), ("A: b: c\r\n", "b: c"),
        ("A: \t \r\n", ""), ("A: a\tb\r\n", "a\tb"), ("A: ü€\r\n", "ü€"), ("A: a  b\r\n", "a  b"),
        ("A: \"x, y\"\r\n", "\"x, y\""),
        // A folded line is appended to its field after a space (RFC 9112 §5.2).
        ("A: 1\r\n 2\r\n", "1 2"), ("A: 1\r\n\t \t2\r\n", "1 2"), ("A:\r\n\t2\r\n", "2"), ("A: 1\r\n \r\n", "1"),
        ("A: 1\n 2\n\t3\n", "1 2 3"), ("A: 1\r\n : 2\r\n", "1 : 2"), ("A: 1\r\n B: 2\r\n", "1 B: 2"),
    ])
    func `a field line is parsed into a name and a value (RFC 9112 §5)`(lines: String, value: String) {
        let (outcome, failure) = head("HTTP/1.1 200 OK\r\n" + lines)
        #expect(
            outcome.headers.map(\.name) == ["A", "Content-Length"] && outcome.headers.first?.value == value && failure == nil)
    }

    @Test(arguments: [
        // A name is a token, directly followed by the colon (§5.1).
        "A : 1", "A\t: 1", ": 1", "A B: 1", "A", "A=1", "(A): 1", "A/B: 1", "\"A\": 1", "ü: 1", "A\u{0}: 1", "A\r: 1",
        "\u{7F}: 1",
        "HTTP/1.1 200 OK",
        // Control characters (RFC 9110 §5.5) and a bare CR (RFC 9112 §2.2).
        "A: \u{0}", "A: a\u{0}b", "A: a\rb", "A: a\r", "A: \u{1B}[0m", "A: \u{7F}", "A: 12345678\u{1}", "A: 1234567\u{1}9",
        "A: 1\r\n b\u{0}", "A: 1\r\n\r2", "\r",
    ])
    func `an invalid field line is malformed`(line: String) {
        let (_, failure) = head("HTTP/1.1 200 OK\r\nServer: x\r\n\(line)\r\n")
        #expect(failure?.kind == .malformedResponse)
    }

    @Test(arguments: [" A: 1\r\n", "\tX: y\r\n", " \r\n", " A: 1\n"])
    func `the first field line must not be a folded line`(line: String) {
        #expect(head("HTTP/1.1 200 OK\r\n" + line).1?.kind == .malformedResponse)
        #expect(HTTP1Exchange("HTTP/1.1 103 x\r\n\(line)\r\nHTTP/1.1 200 OK\r\n\r\n").outcome().1?.kind == .malformedResponse)
    }

    @Test func `an error names the field, not its value`() {
        #expect(head("HTTP/1.1 200 OK\r\nX-Key: secret\u{0}\r\n").1?.message == "the field \"X-Key\" has a control character")
        #expect(head("HTTP/1.1 200 OK\r\nX Key: secret\r\n").1?.message == "the field name \"X Key\" is not a token")
        #expect(head("HTTP/1.1 200 OK\r\nA: 1\r\nsecret\r\n").1?.message == "field line 2 has no colon")
        #expect(
            head("HTTP/1.1 2x0 \u{1B}\r\n").1?.message
                == "\"HTTP/1.1 2x0 \\u{1B}\" is not a status line of HTTP/1.0 or HTTP/1.1")
        let long = head("HTTP/1.1 200 OK\r\n" + String(repeating: "ü", count: 5000) + ": 1\r\n").1?.message
        #expect((long?.count ?? .max) < 120)
    }

    @Test func `after an error, further calls throw the same error`() throws {
        var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 1024)
        var errors: [HTTP1Error] = []
        for text in ["x", "HTTP/1.1 200 OK\r\n\r\n", ""] {
            do throws(HTTP1Error) {
                var offset = 0
                _ = try Array(text.utf8).withUnsafeBufferPointer { (input) throws(HTTP1Error) in
                    try parser.next(UnsafeRawBufferPointer(input), at: &offset)
                }
            } catch {
                errors.append(error)
            }
        }
        do throws(HTTP1Error) { try parser.receiveEnd() } catch { errors.append(error) }
        #expect(errors.count == 4 && errors.allSatisfy { $0 == errors[0] && $0.code == .malformedResponse })
        #expect(parser.hasReceivedBytes && !parser.isComplete && !parser.keepsConnection)
    }

    @Test(arguments: [false, true])
    func `maximumHeaderBytes also applies to interim responses and trailers`(isSplit: Bool) {
        let interim = "HTTP/1.1 103 Early\r\nLink: a\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let trailers = "X-Sum: 1\r\n\r\n"
        let text = interim + interim + final + "3;ext\r\nabc\r\n0\r\n" + trailers
        let limit = (interim + interim + final + trailers).utf8.count
        for (limit, isWhole) in [(limit, true), (limit - 1, false), (limit - trailers.utf8.count, false), (30, false)] {
            let (_, failure) = HTTP1Exchange(text, maximumHeaderBytes: limit).outcome(isSplit ? .all : .whole)
            #expect(failure?.kind == (isWhole ? nil : .headersTooLarge))
            if let failure { #expect(failure.message.contains("\(limit) bytes (maximumHeaderBytes)")) }
        }
    }

    @Test(arguments: [
        "HTTQ/1.1 200 OK\r\n\r\n", "SSH", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/2\r\n", "HTTP/1.1 103 x\r\n\r\nHTTQ\r\n",
    ])
    func `the reported error does not depend on how a head at the limit is split`(text: String) {
        for limit in 0...40 {
            let exchange = HTTP1Exchange(text, maximumHeaderBytes: limit)
            let (whole, failure) = exchange.outcome()
            let (cut, cutFailure) = exchange.outcome(.all)
            #expect(whole == cut && failure == cutFailure && whole == exchange.expected, "a limit of \(limit)")
        }
    }

    @Test func `an endless line is refused at the limit`() {
        let exchange = HTTP1Exchange("HTTP/1.1 200 " + String(repeating: "x", count: 5000), maximumHeaderBytes: 1024)
        #expect(exchange.outcome().1?.kind == .headersTooLarge && exchange.outcome(.all).1?.kind == .headersTooLarge)
        let field = HTTP1Exchange("HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 5000), maximumHeaderBytes: 1024)
        #expect(field.outcome().1?.kind == .headersTooLarge && field.outcome(.all).1?.kind == .headersTooLarge)
    }

    @Test func `the parser reports whether the head has a Content-Encoding field`() {
        for (fields, isThere) in [
            ("content-encoding:\r\n gzip\r\n", true), ("X-Content-Encoding: x\r\nContent-Encodings: x\r\n", false),
        ] {
            var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 1024)
            var offset = 0
            _ = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8).withUnsafeBytes { try? parser.next($0, at: &offset) }
            #expect(parser.hasContentEncoding == isThere, "\(fields)")
        }
    }
}
