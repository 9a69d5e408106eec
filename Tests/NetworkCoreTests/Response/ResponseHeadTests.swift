import Endpoints
import Testing
import TransferTestSupport

@testable import NetworkTransport

/// The storage for heads of both protocols, filled with single lines as libcurl passes those of HTTP/2. HTTP/1 is covered by the
/// tests of its parser.
struct ResponseHeadTests {
    private func head(_ lines: [String]) -> ResponseHead {
        var head = ResponseHead()
        for line in lines { Array(line.utf8).withUnsafeBytes { head.receive($0) } }
        return head
    }

    @Test func `only the fields of the final head are returned, not those of interim heads`() {
        let head = head(["HTTP/1.1 103 Early\r\n", "Link: a\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n", "T: 2\r\n"])
        #expect(head.headers == ["A": "1"] && head.trailers == ["T": "2"] && head.isComplete)
    }

    @Test func `interim heads are not stored, but their bytes are counted`() {
        let lines = ["HTTP/1.1 103 Early\r\n", "Link: a\r\n", "\r\n"]
        let head = head(Array(repeating: lines, count: 100).flatMap(\.self) + ["HTTP/1.1 200 OK\r\n", "A: 1\r\n"])
        #expect(head.count == 100 * lines.joined().utf8.count + 23 && head.lines.count == 23)
        #expect(head.fieldLines == 1, "lines are counted for each head, and for the trailers")
        #expect(self.head(["HTTP/2 200\r\n", "A: 1\r\n", "\r\n", "T: 2\r\n", "T: 3\r\n", "\r\n"]).fieldLines == 2)
    }

    @Test(arguments: [
        ("A: 1\r\n", "1"), ("A:1\r\n", "1"), ("A:  \t1 \t\r\n", "1"), ("A: 1\n", "1"), ("A:\r\n", ""), ("A: b: c\r\n", "b: c"),
        ("A: 1\r\n 2\r\n", "1 2"), ("A:\r\n\t2\r\n", "2"),
    ])
    func `a field line is parsed as in RFC 9112 §5`(lines: String, value: String) {
        let split = lines.replacing("\r\n", with: "\n").split(separator: "\n").map { "\($0)\r\n" }
        #expect(head(["HTTP/1.1 200 OK\r\n"] + split + ["\r\n"]).headers.values(for: "a") == [value])
    }

    @Test func `bytes that are not UTF-8 are read as ISO-8859-1`() {
        var head = ResponseHead()
        head.receiveLine("HTTP/1.1 200 OK\r\n".utf8)
        head.receiveLine([0x41, 0x3A, 0xE9, 0x0D, 0x0A])
        #expect(head.headers["A"] == "é")
    }

    @Test(
        arguments: [
            ("a: 1\r\n", "1"), ("A: 1\r\nB: 2\r\na:3\r\n", "1, 3"), ("A:\r\n", ""), ("A: 1\r\n 2\r\nB: 3\r\n 4\r\n", "1 2"),
            ("B: a: 1\r\n a: 2\r\n", nil), ("AB: 1\r\nX-A: 2\r\nA\r\n", nil), ("B: 1\r\n\tA: 1\r\nA: 2\r\n", "2"), ("", nil),
        ] as [(String, String?)])
    func `a single field is found without parsing the others`(lines: String, value: String?) {
        let split = lines.split(separator: "\r\n").map { "\($0)\r\n" }
        let head = head(["HTTP/2 200\r\n"] + split + ["\r\n", "a: trailer\r\n"])
        #expect(head.value(for: "a") == value && head.headers["a"] == value)
    }

    @Test func `the content length is that of the final head`() {
        let head = head(["HTTP/2 103\r\n", "content-length: x\r\n", "\r\n", "HTTP/2 200\r\n", "content-length: 5\r\n", "\r\n"])
        #expect(head.length.value == 5 && !head.length.isContradictory)
    }

    @Test func `random bytes do not trap the head parser`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<3000 {
            var head = ResponseHead()
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                let line = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                    [0x0A, 0x0D, 0x20, 0x09, 0x3A, 0x41, 0xFF, 0xC3, 0x00].randomElement(using: &random) ?? 0
                }
                head.receiveLine(line.map { UInt8($0) })
            }
            for field in head.headers { #expect(!field.value.utf8.contains(0x0A)) }
            _ = head.trailers
        }
    }
}

extension ResponseHead {
    fileprivate mutating func receiveLine(_ bytes: some Sequence<UInt8>) {
        Array(bytes).withUnsafeBytes { receive($0) }
    }
}
