import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct JSONElementParserTests {
    private func elements(_ document: String, _ path: JSONKeyPath, limit: Int = 1 << 20) -> StreamOutcome<Data> {
        let whole = StreamOutcome(JSONElementParser(at: path, maximumElementBytes: limit), Array(document.utf8))
        let single = StreamOutcome(JSONElementParser(at: path, maximumElementBytes: limit), document.utf8.map { Data([$0]) })
        #expect(whole == single, "\(document) is split")
        return whole
    }

    @Test(arguments: [
        ("[]", "", []), (" [ ] ", "", []),
        (
            "[1, -2.5e3 ,true,null , \"a,]\" ,{\"a\":[1]},[[]] ]", "",
            ["1", "-2.5e3", "true", "null", "\"a,]\"", "{\"a\":[1]}", "[[]]"]
        ),
        ("{\"a\":{\"b\":[1,2]},\"c\":[3]}", "a.b", ["1", "2"]), ("{\"a\":{\"b\":[1,2]},\"c\":[3]}", "c", ["3"]),
        ("{\"x\":[{\"a\":[9]}],\"a\":[1]}", "a", ["1"]), ("[[1],[2,3]]", "[1]", ["2", "3"]), ("[[1],[2,3]]", "/1", ["2", "3"]),
        ("{\"1\":[4]}", "/1", ["4"]), ("{\"a\":[1],\"a\":[2]}", "a", ["1"]), ("{\"\\u0061\":[1]}", "a", ["1"]),
        ("{\"é\":[1]}", "e\u{301}", ["1"]),
        ("{\"items\":[0],\"\":[1]}", "[\"\"]", ["1"]), ("\u{FEFF}[1]", "", ["1"]), ("[[[]],[[5]]]", "[1][0]", ["5"]),
        ("[{\"a\":1},{\"a\":[\"x\"]}]", "[1].a", ["\"x\""]), ("{\"a~b/c\":[1]}", "/a~0b~1c", ["1"]),
    ])
    func `the elements of the array at the path are returned as bytes`(document: String, path: String, expected: [String]) {
        let outcome = elements(document, JSONKeyPath(path))
        #expect(outcome.elements.map { String(decoding: $0, as: UTF8.self) } == expected)
        #expect(outcome.error == nil)
    }

    @Test(arguments: [
        ("{\"a\":1}", "b", JSONSliceError.Kind.pathNotFound(missing: "b", parent: "", availableKeys: ["a"])),
        ("{\"a\":{}}", "a.b", .pathNotFound(missing: "b", parent: "a", availableKeys: [])),
        ("{\"a\":[[1],[2]]}", "a[2]", .indexOutOfRange(index: 2, count: 2, parent: "a")),
        ("[]", "[0]", .indexOutOfRange(index: 0, count: 0, parent: "")),
        ("[1,2]", "/-", .indexOutOfRange(index: 2, count: 2, parent: "")),
        ("[[1]]", "/00", .malformedPath(offset: 1, reason: "an array index has no leading zeros")),
        ("{\"a\":{}}", "a", .typeMismatch(expected: .array, found: .object, at: "a")),
        ("\"x\"", "", .typeMismatch(expected: .array, found: .string, at: "")),
        ("null", "", .typeMismatch(expected: .array, found: .null, at: "")),
        ("-1", "", .typeMismatch(expected: .array, found: .number, at: "")),
        ("{\"a\":true}", "a.b", .typeMismatch(expected: .object, found: .bool, at: "a")),
        ("{\"a\":[1]}", "a.b", .typeMismatch(expected: .object, found: .array, at: "a")),
        ("{\"a\":{}}", "a[0]", .typeMismatch(expected: .array, found: .object, at: "a")), ("", "", .emptyDocument),
        (" \n", "a", .emptyDocument),
        ("[1]", "a..b", .malformedPath(offset: 2, reason: "a name is empty or has to be quoted in brackets")),
    ])
    func `the error for a path without an array states the cause`(document: String, path: String, kind: JSONSliceError.Kind)
        throws
    {
        for chunks in [[Data(document.utf8)], document.utf8.map { Data([$0]) }] {
            let failure = StreamSplits.failure(of: JSONElementParser(at: JSONKeyPath(path)), in: chunks)
            let error = try #require(failure)
            guard case .document(let cause) = error.kind else { throw error }
            #expect(cause.kind == kind && cause.path == JSONKeyPath(path))
            #expect(error.endsStream)
        }
    }

    @Test func `a path that does not lead to an array is reported immediately`() throws {
        var parser = JSONElementParser(at: "a")
        parser.receive(Data(#"{"a": 1, "rest": ["#.utf8))
        #expect(throws: StreamParsingError.self) { try parser.next() }
    }

    @Test(arguments: MalformedJSONTests.values.map(\.bytes) + MalformedJSONTests.notUTF8.map { [0x22] + $0 + [0x22] })
    func `a malformed document is refused after its complete elements`(value: [UInt8]) throws {
        let places: [(before: String, after: String, elements: Int)] = [
            (#"{"x":"#, #","a":[1,2]}"#, 0), (#"{"a":[1,2],"x":"#, "}", 2), (#"{"a":[1,"#, ",2]}", 1),
            (#"{"a":[1,{"b":["#, "]}]}", 1),
            (#"{"a":[{"b":2},[3,"#, "]]}", 1), (#"{"a":[1,2]}"#, " ", 2),
        ]
        for (before, after, count) in places where !(before.hasSuffix("}") && value.first == 0x20) {
            let document = Array(before.utf8) + value + Array(after.utf8)
            let whole = StreamOutcome(JSONElementParser(at: "a"), document)
            #expect(whole == StreamOutcome(JSONElementParser(at: "a"), document.map { Data([$0]) }))
            let text = String(decoding: document, as: UTF8.self)
            #expect(whole.error?.contains("the document is malformed") == true, "\(text): \(String(describing: whole.error))")
            // Some malformed values begin with a well-formed value, which is returned first.
            #expect(whole.elements.count == count || whole.elements.count == count + 1, "\(text)")
        }
    }

    @Test func `all truncated documents are refused after their complete elements`() {
        let text = #"{"é\u00e9😀":[-0.5e+10,"a\ud83d\ude00\n","日本語",true],"a":[{"b":[1,2]},-0.5e+10,"\ud83d\ude00é",false,null]} "#
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count - 1 {
            let outcome = StreamOutcome(JSONElementParser(at: "a"), bytes.prefix(count))
            #expect(outcome.error != nil)
            #expect(outcome == StreamOutcome(JSONElementParser(at: "a"), bytes.prefix(count).map { Data([$0]) }))
        }
        #expect(StreamOutcome(JSONElementParser(at: "a"), bytes).elements.count == 5)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `nesting is limited to 512 levels`(open: String, close: String) {
        func document(_ depth: Int) -> String {
            "[" + String(repeating: open, count: depth - 1) + "1" + String(repeating: close, count: depth - 1) + "]"
        }
        #expect(elements(document(512), "").error == nil)
        #expect(elements(document(513), "").error?.contains("nested deeper than 512") == true)
    }

    @Test(
        arguments: [
            [0xFE, 0xFF, 0x00, 0x5B], [0xFF, 0xFE, 0x5B, 0x00], [0x00, 0x5B, 0x00, 0x5D], [0x5B, 0x00, 0x5D, 0x00],
            [0, 0, 0, 0x5B],
            [0x5B, 0, 0, 0], [0, 0, 0xFE, 0xFF],
        ] as [[UInt8]])
    func `UTF-16 and UTF-32 are refused with an error that requires UTF-8`(start: [UInt8]) {
        let outcome = StreamOutcome(JSONElementParser(), start + [0, 0, 0, 0])
        #expect(outcome.error?.contains("has to be UTF-8") == true)
    }

    @Test func `an element or a compared name that is longer than the limit ends the stream`() {
        #expect(elements("[1234,\"56\"]", "", limit: 4).error == nil)
        #expect(elements("[1234,\"567\",1]", "", limit: 4).elements.count == 1)
        #expect(elements("[1234,\"567\",1]", "", limit: 4).error?.contains("longer than 4 bytes (maximumElementBytes)") == true)
        #expect(elements("{\"a\":[1], \"12345678\":[1234567]}", "a", limit: 4).error == nil)
        #expect(elements("{\"12345\":0,\"a\":[1]}", "a", limit: 4).error?.contains("longer than 4 bytes") == true)
        #expect(elements("{\"1234\":[1,2,3,4,5],\"a\":[1]}", "a", limit: 4).error == nil)
    }

    @Test func `values outside the array are not stored`() throws {
        var parser = JSONElementParser(at: "a", maximumElementBytes: 100)
        parser.receive(Data("{\"x\":\"".utf8))
        for _ in 0..<1000 {
            parser.receive(Data(repeating: 0x61, count: 4096))
            #expect(try parser.next() == nil)
        }
        parser.receive(Data("\",\"a\":[1".utf8))
        #expect(try parser.next() == nil)
        parser.receive(Data(",".utf8))
        #expect(try parser.next() == Data("1".utf8))
    }

    @Test func `an element is returned when it is complete`() throws {
        var parser = JSONElementParser()
        parser.receive(Data("[{\"a\":1}".utf8))
        #expect(try parser.next() == Data("{\"a\":1}".utf8))
        parser.receive(Data(",12".utf8))
        #expect(try parser.next() == nil)
        parser.receive(Data("3]".utf8))
        #expect(try parser.next() == Data("123".utf8))
        #expect(try parser.next() == nil)
    }

    @Test func `a long number or key that arrives in pieces is complete, or malformed, with its last byte`() throws {
        let (digits, letters) = (String(repeating: "7", count: 500), String(repeating: "k", count: 500))
        let space = String(repeating: " ", count: 500)
        let elements = [
            digits, "-1.\(digits)e+\(digits)", "{\"\(letters)\":1}", "{\"\(letters)\"\(space):\(digits)}",
            "{\"a\":1,\(space)\"\(letters)\":1}",
            "{\"\(letters)\\\"\(letters)\\\\\":1}", "[\(digits),{\"é\(letters)\\n\":[]}]",
        ]
        for size in [1, 3, 70] {
            for element in elements {
                var parser = JSONElementParser()
                let last = element.last?.isNumber == true ? "," : ""
                let bytes = Array("[\(element)\(last)".utf8)
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let end = min(start + size, bytes.count)
                    parser.receive(Data(bytes[start..<end]))
                    #expect(try parser.next().map { [UInt8]($0) } == (end == bytes.count ? Array(element.utf8) : nil), "\(size)")
                }
            }
            for element in ["\(digits)x", "{\"\(letters)\n", "{\"\(letters)\"\(space)1"] {
                var parser = JSONElementParser()
                // What follows an invalid byte shows that it is not a value that was cut.
                let bytes = Array("[\(element)\(space)".utf8)
                var count = 0
                #expect(throws: StreamParsingError.self) {
                    while count < bytes.count {
                        parser.receive(Data(bytes[count..<min(count + size, bytes.count)]))
                        count += size
                        _ = try parser.next()
                    }
                }
                #expect(count < element.utf8.count + 12 + 2 * size, "\(element.last!) \(size)")
            }
        }
    }
}
