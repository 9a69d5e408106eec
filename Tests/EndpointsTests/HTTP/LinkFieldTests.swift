import Endpoints
import Testing
import TestSupport

/// The `Link` field (RFC 8288 §3 and appendix B).
struct LinkFieldTests {
    @Test(
        arguments: [
            (#"<https://a.test/2>; rel="next""#, "https://a.test/2"), (#"</2>;rel=next"#, "/2"),
            (#"<1>; rel="prev", <3>; rel="next", <9>; rel="last""#, "3"), (#"<3>; rel="nofollow next""#, "3"),
            (#"<3>; rel="NEXT""#, "3"), (#"<3>; title="a, <b>; rel=\"x\""; rel="next""#, "3"),
            (#"<3>; anchor="x" ; rel = "next""#, "3"), (#"<3>; rel="prev"; rel="next""#, nil), (#"<3>; flag; rel="next""#, "3"),
            (#", ,<3>; rel="next","#, "3"), (#"<a,b;c>; rel="next""#, "a,b;c"), ("<>; rel=next", ""),
            (#"<https://a.test/?q=1&r=2>; rel="next""#, "https://a.test/?q=1&r=2"),
            ("", nil), ("3; rel=next", nil), ("<3; rel=next", nil), (#"<3>; rel="next"#, nil), ("<3> rel=next", nil),
            ("<3>", nil),
            ("<3>; rel", nil), (#"<3>; rel="""#, nil),
        ] as [(String, String?)])
    func `the target of a link relation is found`(text: String, target: String?) {
        #expect(LinkField(["Link": text]).target(of: "next") == target)
    }

    @Test func `several Link lines form one list`() {
        let headers: HeaderFields = ["Link": "<1>; rel=first", "link": "<2>; rel=next"]
        #expect(LinkField(headers).links.map(\.target) == ["1", "2"])
        #expect(LinkField([:]).links.isEmpty)
    }

    @Test func `parsing random fields does not trap, and a field that is too long is ignored`() {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array("<>;,=\" \\relnxt\t")
        for _ in 0..<2000 {
            let text = String((0..<Int(random.next() % 60)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
            _ = LinkField(["Link": text]).target(of: "next")
        }
        let long = String(repeating: "<", count: LinkField.maximumBytes + 1)
        #expect(LinkField(["Link": long]).links.isEmpty)
    }
}
