import Endpoints
import Foundation
import Testing

@Suite struct JSONSliceErrorTests {
    static let document =
        #"{"data":{"items":[{"name":"s3cret"},31337],"b":true,"n":null},"long":"s3cret","third":"#
        + #"{"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7}}"#

    @Test(
        arguments: [
            ("data.item", .pathNotFound(missing: "item", parent: "data", availableKeys: ["items", "b", "n"])),
            ("missing", .pathNotFound(missing: "missing", parent: "", availableKeys: ["data", "long", "third"])),
            ("third.k9", .pathNotFound(missing: "k9", parent: "third", availableKeys: ["k1", "k2", "k3", "k4", "k5"])),
            ("data.items[2].name", .indexOutOfRange(index: 2, count: 2, parent: "data.items")),
            ("/data/items/99999999999999999999", .indexOutOfRange(index: .max, count: 2, parent: "data.items")),
            // RFC 6901 §4: the element after the last does not exist.
            ("/data/items/-", .indexOutOfRange(index: 2, count: 2, parent: "data.items")),
            ("/data/items/01", .malformedPath(offset: 12, reason: "an array index has no leading zeros")),
            ("/data/items/00", .malformedPath(offset: 12, reason: "an array index has no leading zeros")),
            ("/data/items/x", .typeMismatch(expected: .object, found: .array, at: "data.items")),
            ("data.items.name", .typeMismatch(expected: .object, found: .array, at: "data.items")),
            ("data[0]", .typeMismatch(expected: .array, found: .object, at: "data")),
            ("data.items[0].name.x", .typeMismatch(expected: .object, found: .string, at: "data.items[0].name")),
            ("data.items[1][0]", .typeMismatch(expected: .array, found: .number, at: "data.items[1]")),
            ("data.b.x", .typeMismatch(expected: .object, found: .bool, at: "data.b")),
            ("data.n.x", .typeMismatch(expected: .object, found: .null, at: "data.n")),
            ("/data/n/0", .typeMismatch(expected: .object, found: .null, at: "data.n")),
        ] as [(JSONKeyPath, JSONSliceError.Kind)]
    )
    func `the error of a path without a value states where the search ended`(path: JSONKeyPath, kind: JSONSliceError.Kind) throws
    {
        let error = try #require(throws: JSONSliceError.self) {
            try JSONSlicer().slice(of: Data(Self.document.utf8), at: path)
        }
        #expect(error.kind == kind)
        #expect(error.path == path)
        #expect(error.byteOffset != nil)
        #expect(error.description.contains(path.description))
        #expect(!error.description.contains("s3cret"))
        #expect(!error.description.contains("31337"))
    }

    @Test(
        arguments: [
            (
                "data.item",
                #"no JSON value at "data.item": "data" has no "item", its first members are "items", "b", "n" at byte 8"#
            ),
            (
                "data.items[7]",
                #"no JSON value at "data.items[7]": index 7 is outside the 2 elements of "data.items" at byte 17"#
            ),
            ("[0]", #"no JSON value at "[0]": expected array but found object in the document at byte 0"#),
            (
                "a..b",
                #"no JSON value at "a..b": the path is malformed at its byte 2, a name is empty or has to be quoted in brackets"#
            ),
        ] as [(JSONKeyPath, String)]
    )
    func `the description of an error names the path, the failed component and the byte offset`(path: JSONKeyPath, text: String) {
        let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(Self.document.utf8), at: path) }
        #expect(error?.description == text)
    }

    @Test func `a malformed document is described without its values`() {
        for count in 1..<Self.document.utf8.count {
            let data = Data(Self.document.utf8.prefix(count))
            let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: data, at: "data.items[0].name") }
            #expect(error?.description.contains("s3cret") == false)
            #expect(error?.description.contains("the document is malformed") == true)
        }
    }

    @Test func `a syntax error after a missing member is reported instead of the missing member`() {
        let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(#"{"a":1}]"#.utf8), at: "b") }
        #expect(error?.kind == .malformedDocument(byteOffset: 7, reason: "there is text after the value"))
    }

    @Test func `a malformed path is reported before the document is read`() {
        let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(), at: "a[") }
        #expect(error?.byteOffset == nil)
    }

    @Test func `names from the document are truncated and escaped in descriptions`() throws {
        let long = String(repeating: "x", count: 1000)
        let data = Data(
            "{\"\(long)\":1,\"a\\nb\\u001b[31m\\u2028\\u202e\":2,\"\(String(repeating: "\u{301}", count: 99))\":3}".utf8)
        let error = try #require(throws: JSONSliceError.self) { try JSONSlicer().slice(of: data, at: "b") }
        #expect(error.description.unicodeScalars.count < 250)
        #expect(error.description.contains(#"a\nb\u{1B}[31m\u{2028}\u{202E}"#))
        guard case .pathNotFound(_, _, let keys) = error.kind else {
            Issue.record("\(error)")
            return
        }
        #expect(keys[0] == String(repeating: "x", count: 40) + "…")
    }
}
