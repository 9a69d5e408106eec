import Endpoints
import Foundation
import Testing
import TransferTestSupport

@testable import NetworkCache

/// Entity tags (RFC 9110 §8.8.3), and the stored responses that a 304 response names (RFC 9111 §4.3.4).
struct EntityTagTests {
    @Test(arguments: [
        (#""1""#, #""1""#, true, true), (#"W/"1""#, #""1""#, false, true), (#""1""#, #"W/"1""#, false, true),
        (#"W/"1""#, #"W/"1""#, false, true), (#"W/"1""#, #"W/"2""#, false, false), (#""1""#, #""2""#, false, false),
        (#"w/"1""#, #"W/"1""#, false, false), ("\"\u{E9}\"", "\"e\u{301}\"", false, false),
    ])
    func `tags are compared strongly and weakly (RFC 9110 §8.8.3.2)`(left: String, right: String, isStrong: Bool, isWeak: Bool)
        throws
    {
        let (left, right) = (try #require(EntityTag(["ETag": left])), try #require(EntityTag(["ETag": right])))
        #expect(left.matchesStrongly(right) == isStrong && right.matchesStrongly(left) == isStrong)
        #expect(left.matchesWeakly(right) == isWeak && right.matchesWeakly(left) == isWeak)
    }

    @Test(arguments: [
        "", "\"a\u{0}\"", "\"a\tb\"", "\"\u{7F}\"", "*", #""1", "2""#, "1, 2",
        "\"\(String(repeating: "a", count: EntityTag.maximumBytes))\"",
    ])
    func `a tag that cannot be sent in a request is ignored`(tag: String) {
        #expect(EntityTag(["ETag": tag]) == nil)
        #expect(!ResponseTerms(.make(["ETag": tag])).hasValidator)
    }

    @Test
    func `several tags in one response are ignored`() {
        #expect(EntityTag(HeaderFields(lines: #"ETag: "1""#, #"ETag: "2""#)) == nil)
        #expect(EntityTag(["etag": "1"])?.condition.value == "1")
    }

    @Test(arguments: [
        (#""a", W/"b""#, [#""a""#, #"W/"b""#]), (#""a,b",,"c" "#, [#""a,b""#, #""c""#]), ("*", ["*"]), ("a, b", ["a", "b"]),
        (#""a"#, [#""a"#]), (#""a\", "b""#, [#""a\""#, #""b""#]), ("", []), (" , ,", []), ("W/", ["W/"]),
    ])
    func `If-None-Match is a list of tags without escapes (RFC 9110 §13.1.2)`(field: String, tags: [String]) {
        #expect(EntityTag.list(field).map(String.init) == tags)
    }

    /// One row: the validators of the 304 response and of the stored response, and whether the former names the latter.
    struct Row: Sendable, CustomTestStringConvertible {
        var sent: [String]
        var stored: [String]
        var isAbout: Bool?

        init(_ sent: [String], _ stored: [String], _ isAbout: Bool?) {
            (self.sent, self.stored, self.isAbout) = (sent, stored, isAbout)
        }

        var testDescription: String { "\(sent) for \(stored)" }
    }

    private static let (strong, weak) = (#"ETag: "1""#, #"ETag: W/"1""#)
    private static let (old, new) = ("Last-Modified: \(TestTime.text(-900))", "Last-Modified: \(TestTime.text(-90))")

    @Test(arguments: [
        Row([strong], [strong], true), Row([strong], [weak], false), Row([strong], [old], false), Row([strong], [], false),
        Row([strong, old], [old], false), Row([strong, old], [weak, old], false), Row([strong, new], [strong, old], true),
        Row([#"ETag: "2""#], [strong], false), Row([#"ETag: "2""#, old], [strong, old], false),
        Row([weak], [weak], true), Row([weak], [strong], true), Row([#"ETag: W/"2""#], [weak], false), Row([weak], [old], false),
        Row([weak, old], [old], true), Row([weak, new], [weak, old], false), Row([weak, old], [weak], true),
        Row([old], [old], true), Row([new], [old], false), Row([old], [strong], false), Row([old], [strong, old], true),
        Row([new], [strong, old], false), Row([], [strong], nil), Row(["ETag: \"\u{1}\""], [old], nil),
        Row(["Last-Modified: then"], [old], nil),
    ])
    func `a 304 response updates only the response that its validators name (§4.3.4)`(row: Row) {
        let terms = ResponseTerms(.make(HeaderFields(lines: row.stored)))
        #expect(ValidationRules.isAbout(HeaderFields(lines: row.sent), terms) == row.isAbout)
    }
}
