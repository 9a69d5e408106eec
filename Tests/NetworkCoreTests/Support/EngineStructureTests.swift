import Endpoints
import Testing

@testable import NetworkCore

struct EngineStructureTests {
    private final class Member: DeadlineMember {
        var deadline: UInt64
        var heapIndex = -1
        init(_ deadline: UInt64) { self.deadline = deadline }
    }

    @Test func `a deadline heap returns the earliest deadline after any insertions and removals`() {
        var random = SeededGenerator(seed: 7)
        var heap = DeadlineHeap<Member>()
        var list: [Member] = []
        for _ in 0..<5000 {
            if list.isEmpty || Int.random(in: 0..<3, using: &random) > 0 {
                let member = Member(UInt64.random(in: 0..<1000, using: &random))
                heap.insert(member)
                list.append(member)
            } else {
                let member = list.remove(at: Int.random(in: 0..<list.count, using: &random))
                heap.remove(member)
                heap.remove(member)
                #expect(member.heapIndex == -1)
            }
            #expect(heap.first?.deadline == list.map(\.deadline).min())
        }
    }

    private func head(_ lines: [String]) -> ResponseHead {
        var head = ResponseHead()
        for line in lines { Array(line.utf8).withUnsafeBytes { head.receive($0) } }
        return head
    }

    @Test func `header fields are those of the final response head`() {
        let head = head(["HTTP/1.1 103 Early\r\n", "Link: a\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n", "T: 2\r\n"])
        #expect(head.headers == ["A": "1"] && head.trailers == ["T": "2"] && head.isComplete)
    }

    @Test func `interim response heads are discarded, but their size counts`() {
        let lines = ["HTTP/1.1 103 Early\r\n", "Link: a\r\n", "\r\n"]
        var head = head(Array(repeating: lines, count: 100).flatMap(\.self) + ["HTTP/1.1 200 OK\r\n", "A: 1\r\n"])
        #expect(head.count == 100 * lines.joined().utf8.count + 23 && head.lines.count == 23)
        head.reset()
        #expect(head.count == 0)
    }

    @Test(arguments: [
        ("A: 1\r\n", "1"), ("A:1\r\n", "1"), ("A:  \t1 \t\r\n", "1"), ("A: 1\n", "1"), ("A:\r\n", ""), ("A: b: c\r\n", "b: c"),
        ("A: 1\r\n 2\r\n", "1 2"), ("A:\r\n\t2\r\n", "2"),
    ])
    func `field lines are parsed as RFC 9112 §5 specifies`(lines: String, value: String) {
        let split = lines.replacing("\r\n", with: "\n").split(separator: "\n").map { "\($0)\r\n" }
        #expect(head(["HTTP/1.1 200 OK\r\n"] + split + ["\r\n"]).headers.values(for: "a") == [value])
    }

    @Test func `header values that are not valid UTF-8 are decoded as ISO-8859-1`() {
        var head = ResponseHead()
        head.receiveLine("HTTP/1.1 200 OK\r\n".utf8)
        head.receiveLine([0x41, 0x3A, 0xE9, 0x0D, 0x0A])
        #expect(head.headers["A"] == "é")
    }

    @Test func `the head parser accepts any bytes without trapping`() {
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
