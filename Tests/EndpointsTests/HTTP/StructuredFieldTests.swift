import Foundation
import Testing

@testable import Endpoints

/// Dictionaries and lists of structured fields (RFC 9651 §4.2).
struct StructuredFieldTests {
    @Test(
        arguments: [
            ("1", .integer(1)), ("-15", .integer(-15)), ("999999999999999", .integer(999_999_999_999_999)), ("1.5", .other),
            ("9999999999999999", .other), (#""a\"b""#, .string("a\"b")), ("a/b", .token("a/b")), ("*x", .token("*x")),
            (":aGk=:", .bytes(Data("hi".utf8))), ("?1", .other), ("(1 \"2\";q=1)", .other),
        ] as [(String, StructuredField.Value)])
    func `the value of an item is parsed`(text: String, value: StructuredField.Value) {
        #expect(StructuredField.list(text) == [.init(value: value, parameters: [:])])
    }

    @Test func `members have parameters, of which the last one of a name counts`() {
        let members = StructuredField.list("a;q=1;x, \"b\" ; q=2;q=3")
        #expect(members?.map(\.value) == [.token("a"), .string("b")])
        #expect(members?.map(\.parameters) == [["q": .integer(1), "x": .other], ["q": .integer(3)]])
        #expect(StructuredField.dictionary("a=1;q=2, b, a=3")?["a"] == .init(value: .integer(3), parameters: [:]))
        #expect(StructuredField.dictionary("a=1, b;x")?["b"] == .init(value: .other, parameters: ["x": .other]))
        #expect(StructuredField.list(" ") == [])
    }

    @Test(arguments: ["a,", ",", "a b", "a;", "a;Q", "a;q=", "\"a", ":a", "(a", "a;q=(1)", "\u{7F}"])
    func `text that is not a list is refused`(text: String) {
        #expect(StructuredField.list(text) == nil)
    }
}
