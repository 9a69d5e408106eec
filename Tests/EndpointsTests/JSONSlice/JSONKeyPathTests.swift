import Endpoints
import Testing

@Suite struct JSONKeyPathTests {
    @Test(
        arguments: [
            ("", []),
            ("data", [.key("data")]),
            ("data.items[0].name", [.key("data"), .key("items"), .index(0), .key("name")]),
            ("[0][12]", [.index(0), .index(12)]),
            ("[0].a", [.index(0), .key("a")]),
            ("a[\"x.y\"][0]", [.key("a"), .key("x.y"), .index(0)]),
            ("[\"\"]", [.key("")]),
            ("[\"/v1\"]", [.key("/v1")]),
            ("[\"a\\\"b\\\\c]\"].d", [.key("a\"b\\c]"), .key("d")]),
            ("codes.404", [.key("codes"), .key("404")]),
            ("a b.c-d.e/f.g\\h.~0", [.key("a b"), .key("c-d"), .key("e/f"), .key("g\\h"), .key("~0")]),
            ("größe.名前.👩‍👩‍👧", [.key("größe"), .key("名前"), .key("👩‍👩‍👧")]),
        ] as [(String, [JSONKeyPath.Component])]
    )
    func `dots separate names, and brackets contain indexes or quoted names`(
        text: String, components: [JSONKeyPath.Component]
    ) throws {
        let path = try JSONKeyPath(text).validated()
        #expect(path.components == components)
        #expect(path.description == text)
        #expect(path == JSONKeyPath(components: components))
        #expect(JSONKeyPath(JSONKeyPath(components: components).description) == path)
    }

    @Test(
        arguments: [
            // RFC 6901 §5
            ("/foo", [.key("foo")]),
            ("/foo/0", [.key("foo"), .token("0")]),
            ("/", [.key("")]),
            ("/a~1b", [.key("a/b")]),
            ("/c%d", [.key("c%d")]),
            ("/e^f", [.key("e^f")]),
            ("/g|h", [.key("g|h")]),
            ("/i\\j", [.key("i\\j")]),
            ("/k\"l", [.key("k\"l")]),
            ("/ ", [.key(" ")]),
            ("/m~0n", [.key("m~n")]),
            // §4: `~01` is decoded as `~1`, not as a slash.
            ("/~01", [.key("~1")]),
            ("/a//b/", [.key("a"), .key(""), .key("b"), .key("")]),
            ("/data.items[0]", [.key("data.items[0]")]),
            ("/-/01/1x", [.token("-"), .token("01"), .key("1x")]),
        ] as [(String, [JSONKeyPath.Component])]
    )
    func `a text that starts with a slash is an RFC 6901 pointer`(
        text: String, components: [JSONKeyPath.Component]
    ) throws {
        #expect(try JSONKeyPath(text).validated().components == components)
        #expect(JSONKeyPath(pointer: text) == JSONKeyPath(components: components))
    }

    @Test(
        arguments: [
            (".", 0), (".a", 0), ("a.", 2), ("a..b", 2), ("a.[0]", 2), ("a[", 2), ("a[]", 2), ("a[0", 3), ("a[0]b", 4),
            ("a[-1]", 2), ("a[+1]", 2), ("a[01]", 2), ("a[1 ]", 3), ("a[b]", 2), ("a]", 1), ("]", 0), ("a\"b", 1), ("\"a\"", 0),
            ("a[\"b", 4), ("a[\"b\"", 5), ("a[\"b\"c]", 5), ("a[\"\\n\"]", 3), ("a[\"\\", 3), ("é[", 3),
            ("/~", 1), ("/a~2", 2), ("/a/~x", 3),
        ]
    )
    func `a malformed path keeps its text and is reported with the offset of the invalid byte`(text: String, offset: Int) {
        let path = JSONKeyPath(text)
        #expect(path.description == text)
        #expect(path.components.isEmpty)
        let error = #expect(throws: JSONSliceError.self) { try path.validated() }
        guard case .malformedPath(offset, _) = error?.kind else {
            Issue.record("\(text): \(String(describing: error))")
            return
        }
        #expect(path != JSONKeyPath(""))
        #expect(path == JSONKeyPath(text))
    }

    @Test func `a pointer that does not start with a slash is malformed`() {
        #expect(throws: JSONSliceError.self) { try JSONKeyPath(pointer: "a/b").validated() }
        #expect(throws: Never.self) { try JSONKeyPath(pointer: "").validated() }
    }

    @Test func `a negative index is malformed`() {
        let path = JSONKeyPath(components: [.key("a"), .index(-1)])
        #expect(path.description == "a[-1]")
        #expect(throws: JSONSliceError.self) { try path.validated() }
    }

    @Test func `an index that exceeds Int is parsed as the maximum Int`() throws {
        #expect(try JSONKeyPath("[99999999999999999999]").validated().components == [.index(.max)])
    }

    @Test func `paths with equal components are equal`() {
        let literal: JSONKeyPath = "a.b"
        #expect(literal == "[\"a\"][\"b\"]")
        #expect(literal == "/a/b")
        #expect(Set([literal, "/a/b", "[\"a\"].b"]).count == 1)
        #expect(literal != "a.c")
    }

    @Test func `components that only a pointer can express are written as a pointer`() {
        #expect(JSONKeyPath(components: [.key("a/b~"), .token("0"), .index(1)]).description == "/a~1b~0/0/1")
    }
}
