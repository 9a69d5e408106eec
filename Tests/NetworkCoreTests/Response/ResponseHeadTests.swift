import Endpoints
import Testing
import TransferTestSupport

@testable import NetworkTransport

/// The storage for heads of all versions of HTTP. What the parser of HTTP/1 appends is in its tests.
struct ResponseHeadTests {
    private func head(_ lines: some Sequence<UInt8>, trailers: String = "") -> ResponseHead {
        var head = ResponseHead()
        Array(lines).withUnsafeBytes { head.append($0) }
        head.complete(length: AnnouncedLength())
        Array(trailers.utf8).withUnsafeBytes { head.append($0) }
        return head
    }

    private func head(_ lines: String, trailers: String = "") -> ResponseHead {
        head(lines.utf8, trailers: trailers)
    }

    @Test func `interim heads are not stored, but their bytes are counted`() {
        var head = ResponseHead()
        for _ in 0..<100 {
            head = self.head("HTTP/1.1 103 Early\r\nLink: a\r\n\r\n", continuing: head)
            head.dropInterim()
        }
        head = self.head("HTTP/1.1 200 OK\r\nA: 1\r\n\r\n", continuing: head)
        #expect(head.count == 100 * 31 + 25 && head.lines.count == 25 && head.headers == ["A": "1"])
    }

    private func head(_ lines: String, continuing head: ResponseHead) -> ResponseHead {
        var head = head
        Array(lines.utf8).withUnsafeBytes { head.append($0) }
        head.complete(length: AnnouncedLength())
        return head
    }

    @Test func `lines after the head are trailers`() {
        let head = head("HTTP/1.1 200 OK\r\nA: 1\r\n\r\n", trailers: "T: 2\r\n\r\n")
        #expect(head.headers == ["A": "1"] && head.trailers == ["T": "2"] && head.isComplete)
    }

    @Test(arguments: [
        ("A: 1\r\n", "1"), ("A:1\r\n", "1"), ("A:  \t1 \t\r\n", "1"), ("A: 1\n", "1"), ("A:\r\n", ""), ("A: b: c\r\n", "b: c"),
        ("A: 1\r\n 2\r\n", "1 2"), ("A:\r\n\t2\r\n", "2"),
    ])
    func `a field line is parsed as in RFC 9112 §5`(lines: String, value: String) {
        #expect(head("HTTP/1.1 200 OK\r\n\(lines)\r\n").headers.values(for: "a") == [value])
    }

    @Test func `bytes that are not UTF-8 are read as ISO-8859-1`() {
        #expect(head("HTTP/1.1 200 OK\r\n".utf8 + [0x41, 0x3A, 0xE9, 0x0D, 0x0A]).headers["A"] == "é")
    }

    @Test(
        arguments: [
            ("a: 1\r\n", "1"), ("A: 1\r\nB: 2\r\na:3\r\n", "1, 3"), ("A:\r\n", ""), ("A: 1\r\n 2\r\nB: 3\r\n 4\r\n", "1 2"),
            ("B: a: 1\r\n a: 2\r\n", nil), ("AB: 1\r\nX-A: 2\r\nA\r\n", nil), ("B: 1\r\n\tA: 1\r\nA: 2\r\n", "2"), ("", nil),
        ] as [(String, String?)])
    func `a single field is found without parsing the others`(lines: String, value: String?) {
        let head = head("HTTP/2 200\r\n\(lines)\r\n", trailers: "a: trailer\r\n")
        #expect(head.value(for: "a") == value && head.headers["a"] == value)
    }

    @Test func `random bytes do not trap the head parser`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0..<50, using: &random)).map { _ in
                [0x0A, 0x0D, 0x20, 0x09, 0x3A, 0x41, 0xFF, 0xC3, 0x00].randomElement(using: &random) ?? UInt8(0)
            }
            let head = head(bytes, trailers: ":a: b\n c\r\r\n")
            for field in head.headers { #expect(!field.value.utf8.contains(0x0A)) }
            _ = head.trailers
        }
    }
}
