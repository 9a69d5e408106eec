import Endpoints
import Foundation
import Testing
import TestSupport

/// The `Link` field (RFC 8288 §3 and appendix B).
struct LinkFieldTests {
    private static let page = URL(string: "https://a.test/list?q=1")!

    private static func target(of relation: String = "next", in text: String) -> String? {
        LinkField(["Link": text]).target(of: relation, for: page)
    }

    @Test(
        arguments: [
            (#"<https://a.test/2>; rel="next""#, "https://a.test/2"), (#"</2>;rel=next"#, "/2"),
            (#"<1>; rel="prev", <3>; rel="next", <9>; rel="last""#, "3"), (#"<3>; rel="nofollow next""#, "3"),
            (#"<3>; rel="NEXT""#, "3"), (#"<3>; title="a, <b>; rel=\"x\""; rel="next""#, "3"),
            (#"<3>; rel="prev"; rel="next""#, nil), (#"<3>; flag; rel="next""#, "3"), (#", ,<3>; rel="next","#, "3"),
            (#"<a,b;c>; rel="next""#, "a,b;c"), ("<>; rel=next", ""),
            (#"<https://a.test/?q=1&r=2>; rel="next""#, "https://a.test/?q=1&r=2"),
            ("", nil), ("3; rel=next", nil), ("<3; rel=next", nil), ("<3> rel=next", nil), ("<3>", nil), ("<3>; rel", nil),
            (#"<3>; rel="""#, nil), (#"<3>; rel="next\u{301}""#, nil), ("<3>; rel=\"next \u{301}\"", "3"),
            ("<3>\u{301}; rel=next", nil),
        ] as [(String, String?)])
    func `the target of a link relation is found`(text: String, target: String?) {
        #expect(Self.target(in: text) == target)
    }

    /// RFC 8288 appendix B.2 to B.4.
    @Test(
        arguments: [
            (#"<3>; rel="next"#, "3"), (#"<3>; rel="next\"#, "3"), ("<3>; =x; ; rel=next", "3"), ("<3>; rel= next ;", "3"),
            ("<3>; rel=prev next", "3"), (#"<3>; a"b=c; rel=next"#, "3"), ("<3>; <a>; rel=next", "3"),
            (#"<3>; t=x"y,z; rel=next"#, nil),
            (#"<3>; rel=next junk, <4>; rel=prev"#, "3"), (#"<3>; rel="next" junk, <4>; rel=prev"#, "3"),
            ("<3>; rel=next, 4", "3"),
            ("<3>; rel=next, <4", "3"), ("<1>; rel=prev junk, <3>; rel=next", "3"),
            (#"<1>; rel="prev" junk, <3>; rel=next"#, nil),
            ("<3>; rel = \"next\"\u{301}", "3"), ("<1>; title, <3>; rel=next", "3"),
        ] as [(String, String?)])
    func `what is malformed loses as little as the standard says`(text: String, target: String?) {
        #expect(Self.target(in: text) == target)
    }

    /// RFC 8288 §3.2.
    @Test(
        arguments: [
            ("", true), ("https://a.test/list?q=1", true), ("HTTPS://A.test:443/list?q=1", true), ("/list?q=1", true),
            ("?q=1", true),
            ("x", false), ("https://b.test/list?q=1", false), ("/list", false), ("#part", false), ("#", false), ("?q=2", false),
            ("http://a.test/list?q=1", false), ("urn:a", false), ("\u{301}", false),
        ])
    func `a link with the anchor of another resource is not a link of the response`(anchor: String, isOwn: Bool) {
        for field in ["<3>; rel=next; anchor=\"\(anchor)\"", "<3>; anchor=\"\(anchor)\"; rel=next; anchor=\"/else\""] {
            #expect(Self.target(in: field) == (isOwn ? "3" : nil), "\(field)")
            #expect(Self.target(in: field + ", <4>; rel=next") == (isOwn ? "3" : "4"), "\(field)")
        }
    }

    @Test func `several Link lines form one list`() {
        let headers: HeaderFields = ["Link": "<1>; rel=first", "link": "<2>; rel=next"]
        #expect(LinkField(headers).links.map(\.target) == ["1", "2"])
        #expect(LinkField([:]).links.isEmpty)
    }

    @Test(arguments: 7...10 as ClosedRange<UInt64>)
    func `random fields are parsed as by the algorithm of appendix B`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = ["<3>", "<4>; ", "; rel=", "rel", "next", "\"prev", "anchor", "; anchor=", "x", "<", ">", "; "]
        for _ in 0..<3000 {
            let text = random.hostileText(of: words)
            let links = LinkField(["Link": text]).links.map { ReferenceLink($0.target, $0.relations, $0.anchor) }
            #expect(links == ReferenceLink.links(in: Array(text.utf8)), "\(text.debugDescription)")
            _ = Self.target(in: text)
        }
    }

    @Test func `a field that is too long is ignored`() {
        let long = String(repeating: "<", count: LinkField.maximumBytes + 1)
        #expect(LinkField(["Link": long]).links.isEmpty)
    }
}

/// The algorithm of RFC 8288 appendix B.2 to B.4, step by step and on bytes. Like every list, it may have empty elements (RFC 9110 §5.6.1.2).
private struct ReferenceLink: Equatable {
    var target: [UInt8]
    var relations: [[UInt8]] = []
    var anchor: [UInt8]?

    init(_ target: String, _ relations: [String], _ anchor: String?) {
        self.target = Array(target.utf8)
        self.relations = relations.map { Array($0.utf8) }
        self.anchor = anchor.map { Array($0.utf8) }
    }

    static func links(in field: [UInt8]) -> [ReferenceLink] {
        var links: [ReferenceLink] = []
        var at = 0
        let space = Array(" \t".utf8)
        func byte(_ index: Int) -> Character? { index < field.count ? Character(Unicode.Scalar(field[index])) : nil }
        func skip(_ bytes: [UInt8]) { while at < field.count, bytes.contains(field[at]) { at += 1 } }
        func take(until bytes: String) -> [UInt8] {
            let start = at
            while at < field.count, !bytes.utf8.contains(field[at]) { at += 1 }
            return Array(field[start..<at])
        }
        while true {
            skip(space + [0x2C])
            guard byte(at) == "<" else { return links }
            at += 1
            let target = take(until: ">")
            guard byte(at) == ">" else { return links }
            at += 1
            var parameters: [(name: [UInt8], value: [UInt8])] = []
            while at < field.count {
                skip(space)
                guard byte(at) == ";" else { break }
                at += 1
                skip(space)
                let name = take(until: " \t=;,").map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
                skip(space)
                var value: [UInt8] = []
                if byte(at) == "=" {
                    at += 1
                    skip(space)
                    if byte(at) == "\"" {
                        at += 1
                        while at < field.count, byte(at) != "\"" {
                            if byte(at) == "\\" { at += 1 }
                            if at < field.count { value.append(field[at]) }
                            at += 1
                        }
                        at += 1
                    } else {
                        value = take(until: ";,")
                        while let last = value.last, space.contains(last) { value.removeLast() }
                    }
                }
                parameters.append((name, value))
                skip(space)
                if at >= field.count || byte(at) == "," { break }
            }
            var link = ReferenceLink("", [], nil)
            link.target = target
            let relations = parameters.first { $0.name == Array("rel".utf8) }?.value ?? []
            link.relations = relations.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }.split(whereSeparator: space.contains)
                .map(Array.init)
            link.anchor = parameters.first { $0.name == Array("anchor".utf8) }?.value
            links.append(link)
        }
    }
}
