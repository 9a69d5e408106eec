import NetworkSupport
import Testing
import TestSupport

@testable import Endpoints

/// Fields of a received message that are parsed when they are read: no caller sees a difference from a list of parsed fields.
struct FieldLinesTests {
    private static let names = ["a", "A", "ab", "aB", "x-a", "set-cookie", "Set-Cookie", "content-type", "", "a ", ":"]

    private static func lines(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0..<12, using: &random)).flatMap { _ -> [UInt8] in
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return Array(" folded\r\n".utf8)
            case 1: return Array("no colon\n".utf8)
            case 2: return Array("a: ".utf8) + [0xE9, 0x0D, 0x0A]
            case 3: return Array("\tb: 1 \r\n".utf8)
            default:
                let name = names.randomElement(using: &random) ?? "a"
                return Array(
                    "\(name):\(Int.random(in: 0..<3, using: &random) == 0 ? "" : " v\(Int.random(in: 0..<9, using: &random))")\r\n"
                        .utf8)
            }
        }
    }

    @Test func `a lookup finds in unparsed lines what is in the parsed fields`() {
        var random = SeededGenerator(seed: 40)
        for _ in 0..<3000 {
            let status = Array("HTTP/1.1 200 OK\r\n".utf8)
            let bytes = status + Self.lines(&random)
            let lines = FieldLines(bytes, in: 0..<bytes.count, skippingFirst: true)
            let parsed = HeaderFields(lines.fields)
            for readsAll in [false, true] {
                let lazy = HeaderFields(received: lines)
                if readsAll { #expect(lazy.fields == parsed.fields) }
                for name in Self.names {
                    #expect(lazy[name] == parsed[name])
                    #expect(lazy.values(for: name) == parsed.values(for: name))
                    #expect(lazy.contains(name) == parsed.contains(name))
                }
                #expect(lazy == parsed && lazy.count == parsed.count && Array(lazy) == Array(parsed))
                #expect(lazy.map(\.bytes) == parsed.map(\.bytes), "text in ISO-8859-1")
            }
        }
    }

    @Test func `a change of one copy leaves the others as they were received`() {
        let bytes = Array("A: 1\r\nB: 2\r\n".utf8)
        let received = HeaderFields(received: FieldLines(bytes, in: 0..<bytes.count))
        var changed = received
        changed["a"] = "3"
        changed.add("4", for: "C")
        #expect(received == ["A": "1", "B": "2"] && changed == ["A": "3", "B": "2", "C": "4"])
    }

    @Test func `fields are read by many threads at once`() async {
        let bytes = Array("A: 1\r\nB: 2\r\n".utf8)
        let received = HeaderFields(received: FieldLines(bytes, in: 0..<bytes.count))
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<32 {
                group.addTask { number % 2 == 0 ? received.count == 2 : received["b"] == "2" }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
