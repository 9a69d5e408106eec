import Foundation
import JSONDocuments

struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
struct NumbersWithNaN: Encodable {
    var a = 1
    var b: [Float] = [.nan]
    var c = Float.nan
}
struct Deep: Encodable {
    var depth: Int
    init(_ depth: Int) { self.depth = depth }
    func encode(to encoder: any Encoder) throws {
        if depth % 2 == 0 {
            var container = encoder.unkeyedContainer()
            if depth > 1 { try container.encode(Deep(depth - 1)) }
        } else {
            var container = encoder.container(keyedBy: AnyKey.self)
            if depth > 1 { try container.encode(Deep(depth - 1), forKey: AnyKey(stringValue: "a")!) }
        }
    }
}

/// Values whose `encode(to:)` encodes in an unusual order, or fails.
struct OddEncodables: Encodable {
    var name: String
    var body: @Sendable (any Encoder) throws -> Void

    func encode(to encoder: any Encoder) throws { try body(encoder) }

    static func key(_ name: String) -> AnyKey { AnyKey(stringValue: name)! }

    static let all: [OddEncodables] = [
        OddEncodables(name: "twice the same key") {
            var c = $0.container(keyedBy: AnyKey.self)
            try c.encode(1, forKey: key("a"))
            try c.encode(2, forKey: key("b"))
            try c.encode("x", forKey: key("a"))
        },
        OddEncodables(name: "two containers") {
            var a = $0.container(keyedBy: AnyKey.self)
            try a.encode(1, forKey: key("a"))
            var b = $0.container(keyedBy: AnyKey.self)
            try b.encode([2], forKey: key("b"))
            try a.encode(3, forKey: key("c"))
        },
        OddEncodables(name: "two lists") {
            var a = $0.unkeyedContainer()
            try a.encode(1)
            var b = $0.unkeyedContainer()
            try b.encode("x")
            try a.encode([Int]())
        },
        OddEncodables(name: "in turns") {
            var c = $0.container(keyedBy: AnyKey.self)
            var a = c.nestedContainer(keyedBy: AnyKey.self, forKey: key("a"))
            var b = c.nestedUnkeyedContainer(forKey: key("b"))
            try a.encode(1, forKey: key("x"))
            try b.encode(2)
            try a.encode(3, forKey: key("y"))
            try c.encode(4, forKey: key("c"))
        },
        OddEncodables(name: "nested") {
            var c = $0.container(keyedBy: AnyKey.self)
            var a = c.nestedContainer(keyedBy: AnyKey.self, forKey: key("a"))
            try a.encode(1, forKey: key("x"))
            var b = a.nestedUnkeyedContainer(forKey: key("b"))
            try b.encode(2)
            var d = b.nestedContainer(keyedBy: AnyKey.self)
            try d.encode(true, forKey: key("z"))
            _ = b.nestedUnkeyedContainer()
            try c.encode(4, forKey: key("c"))
        },
        OddEncodables(name: "super") {
            var c = $0.container(keyedBy: AnyKey.self)
            try c.encode(1, forKey: key("a"))
            var s = c.superEncoder().container(keyedBy: AnyKey.self)
            try s.encode(2, forKey: key("a"))
            var t = c.superEncoder(forKey: key("t")).singleValueContainer()
            try t.encode("t")
            _ = c.superEncoder(forKey: key("empty"))
        },
        OddEncodables(name: "super list") {
            var c = $0.unkeyedContainer()
            try c.encode(1)
            var s = c.superEncoder().unkeyedContainer()
            try s.encode(2)
            try c.encode(c.count)
        },
        OddEncodables(name: "a failure that is caught") {
            var c = $0.container(keyedBy: AnyKey.self)
            try c.encode(1, forKey: key("a"))
            try? c.encode(["x": Double.nan], forKey: key("b"))
            try? c.encode(Double.nan, forKey: key("c"))
            try c.encode(2, forKey: key("b"))
        },
        OddEncodables(name: "a failure in a list") {
            var c = $0.unkeyedContainer()
            try c.encode(1)
            try? c.encode(["x": [1, Double.nan]])
            try? c.encode(Double.nan)
            try c.encode(c.count)
        },
        OddEncodables(name: "nothing within") {
            var c = $0.container(keyedBy: AnyKey.self)
            try c.encode(Nothing(), forKey: key("a"))
            var l = c.nestedUnkeyedContainer(forKey: key("l"))
            try l.encode(Nothing())
            try l.encode([Nothing()])
            try l.encode(["k": Nothing()])
        },
        OddEncodables(name: "canonically equal keys") {
            var c = $0.container(keyedBy: AnyKey.self)
            try c.encode(1, forKey: key("é"))
            try c.encode(2, forKey: key("e\u{301}"))
            try c.encode(3, forKey: key("K"))
            try c.encode(4, forKey: key("\u{212A}"))
        },
        OddEncodables(name: "many keys") {
            var c = $0.container(keyedBy: AnyKey.self)
            for i in 0..<200 { try c.encode(i, forKey: key("key number \(i) of many")) }
            try c.encode("again", forKey: key("key number 7 of many"))
        },
        OddEncodables(name: "paths") {
            var c = $0.container(keyedBy: AnyKey.self)
            try c.encode([Path()], forKey: key("a"))
            try c.encode(["k": Path()], forKey: key("d"))
            try c.encode(Path(), forKey: key("p"))
        },
        OddEncodables(name: "single value twice removed") {
            var c = $0.singleValueContainer()
            try c.encode(Optional(Optional(["a": Optional(1)])))
        },
        OddEncodables(name: "optional list") {
            var c = $0.container(keyedBy: AnyKey.self)
            try c.encodeIfPresent(Int?.none, forKey: key("a"))
            try c.encode(Int?.none, forKey: key("b"))
            try c.encode([1, nil], forKey: key("c"))
            try c.encodeNil(forKey: key("d"))
        },
    ]
}

struct Path: Encodable {
    func encode(to encoder: any Encoder) throws {
        var c = encoder.unkeyedContainer()
        for key in encoder.codingPath { try c.encode("\(key.stringValue) \(key.intValue ?? -1)") }
    }
}
