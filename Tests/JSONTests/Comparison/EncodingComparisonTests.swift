import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// Encoding, compared with Foundation byte by byte.
@Suite struct `Encoding as with Foundation` {
    static let formats: [JSONEncoder.OutputFormatting] = [
        [], .prettyPrinted, .withoutEscapingSlashes, [.prettyPrinted, .withoutEscapingSlashes],
    ]

    /// A value whose `encode(to:)` is a closure.
    struct By: Encodable {
        var body: @Sendable (any Encoder) throws -> Void

        init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private func expectSameInEveryFormat<T: Encodable>(_ value: T, sourceLocation: SourceLocation = #_sourceLocation) {
        for format in Self.formats {
            expectSameText(value, format, sourceLocation: sourceLocation)
            expectSameText([value], format, sourceLocation: sourceLocation)
            expectSameText(["key": [value]], format, sourceLocation: sourceLocation)
        }
    }

    @Test func `numbers`() {
        expectSameInEveryFormat([
            1.0, -0.0, 0, 0.1, 1e15, 1e16, 1.5e16, 9_007_199_254_740_992, 1e-4, 1e-5, .leastNonzeroMagnitude, 1e300, -2.5,
        ])
        expectSameInEveryFormat([1, -0.0, 0.1, 1e10, 16_777_216, .leastNonzeroMagnitude, .greatestFiniteMagnitude] as [Float])
        expectSameInEveryFormat([Int.min, .max, 0, -1])
        expectSameInEveryFormat([UInt64.max, 0])
        expectSameInEveryFormat(Int8.min)
        expectSameInEveryFormat(
            ["0", "-0.5", "1e30", "1e-30", "123456789012345678901234567890.5", "1.50"].compactMap { Decimal(string: $0) })
    }

    @Test func `infinity and NaN`() {
        for value in [Double.infinity, -.infinity, .nan] {
            expectSameInEveryFormat(value)
            expectSameText([value, 1]) {
                $0.nonConformingFloatEncodingStrategy = .convertToString(
                    positiveInfinity: "+\"", negativeInfinity: "-/", nan: "é")
            }
        }
    }

    @Test func `strings, and types of Foundation`() {
        expectSameInEveryFormat("a/b\"\\\n\t\u{8}\u{C}\r\u{0}\u{1F}\u{7F}é😀\u{2028} and more than fifteen bytes / of text")
        expectSameInEveryFormat(["", "/", "\"", "fifteen bytes//", "sixteen bytes ok"])
        expectSameInEveryFormat(URL(string: "https://example.com/a?b=c"))
        expectSameInEveryFormat(UUID())
        expectSameInEveryFormat(Data([1, 2, 255]))
        for date in [0, 0.5, -1e9, 1e9, 253_402_300_800, 1e12].map({ Date(timeIntervalSince1970: $0) }) {
            expectSameText([date])
            expectSameText([date]) { $0.dateEncodingStrategy = .iso8601 }
            expectSameText([date]) { $0.dateEncodingStrategy = .secondsSince1970 }
            expectSameText([date]) { $0.dateEncodingStrategy = .millisecondsSince1970 }
            expectSameText(["d": date]) {
                $0.dateEncodingStrategy = .custom { date, encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode("\(encoder.codingPath.map(\.stringValue)) \(date.timeIntervalSince1970)")
                }
            }
            expectSameText([date]) { $0.dateEncodingStrategy = .custom { _, _ in } }
        }
    }

    @Test func `empty and nested containers`() {
        expectSameInEveryFormat([Int]())
        expectSameInEveryFormat([String: Int]())
        expectSameInEveryFormat(["b": [1, 2], "a": [], "c/": [3]])
        expectSameInEveryFormat([[], [[]], [[], []]] as [[[Int]]])
        expectSameInEveryFormat([1: "a", 22: "b", -3: "c"])
        expectSameInEveryFormat(["x": Int?.none, "y": 1])
        expectSameInEveryFormat([Int?.none, 1])
        expectSameInEveryFormat(["é": 1, "e\u{301}x": 2, "a": 3, "A": 4, "": 5, "😀": 6, "\u{FFFD}": 7])
    }

    @Test func `nothing at the top level`() {
        expectSameInEveryFormat(Int?.none)
        expectSameInEveryFormat(By { _ in })
        expectSameInEveryFormat(By { _ = $0.singleValueContainer() })
        expectSameInEveryFormat(By { _ = $0.unkeyedContainer() })
        expectSameInEveryFormat(By { _ = $0.container(keyedBy: AnyCodingKey.self) })
    }

    @Test func `a key that is written twice`() {
        expectSameInEveryFormat(
            By {
                var container = $0.container(keyedBy: AnyCodingKey.self)
                try container.encode(1, forKey: "a")
                try container.encode([2], forKey: "b")
                try container.encode("x", forKey: "a")
            })
        expectSameInEveryFormat(
            By {
                var container = $0.container(keyedBy: AnyCodingKey.self)
                try container.encode(1, forKey: "é")
                try container.encode(2, forKey: "e\u{301}")
            })
    }

    @Test func `a second container of the same value`() {
        expectSameInEveryFormat(
            By {
                var a = $0.container(keyedBy: AnyCodingKey.self)
                try a.encode(1, forKey: "a")
                var b = $0.container(keyedBy: AnyCodingKey.self)
                try b.encode([2], forKey: "b")
                try a.encode(3, forKey: "c")
            })
        expectSameInEveryFormat(
            By {
                var a = $0.unkeyedContainer()
                try a.encode(1)
                var b = $0.unkeyedContainer()
                try b.encode("x")
                try a.encode([Int]())
            })
    }

    @Test func `nested containers that are written alternately`() {
        expectSameInEveryFormat(
            By {
                var outer = $0.container(keyedBy: AnyCodingKey.self)
                var a = outer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: "a")
                var b = outer.nestedUnkeyedContainer(forKey: "b")
                try a.encode(1, forKey: "x")
                try b.encode(2)
                try a.encode(3, forKey: "y")
                try outer.encode(4, forKey: "c")
            })
    }

    @Test func `super encoders write until they are released`() {
        expectSameInEveryFormat(
            By {
                var container = $0.container(keyedBy: AnyCodingKey.self)
                try container.encode(1, forKey: "a")
                let parent = container.superEncoder()
                let other = container.superEncoder(forKey: "t")
                _ = container.superEncoder(forKey: "unused")
                try container.encode(2, forKey: "b")
                try "late".encode(to: other)
                var list = parent.unkeyedContainer()
                try list.encode(3)
            })
        expectSameInEveryFormat(
            By {
                var list = $0.unkeyedContainer()
                try list.encode(1)
                let parent = list.superEncoder()
                _ = list.superEncoder()
                try list.encode(list.count)
                try ["k": 2].encode(to: parent)
            })
    }

    @Test func `paths`() {
        let path = By {
            var list = $0.unkeyedContainer()
            for key in $0.codingPath { try list.encode("\(key.stringValue) \(key.intValue ?? -1)") }
        }
        expectSameText(["a": [path], "b": [path, path]])
        expectSameText([1: path])
        expectSameText(
            By {
                var c = $0.singleValueContainer(); try c.encode([path])
            })
    }

    @Test func `models`() throws {
        expectSameInEveryFormat(APIDocument.make())
        expectSameText(RichItem.list(3), .prettyPrinted) { $0.dateEncodingStrategy = .iso8601 }
        expectSameInEveryFormat(try JSONDecoder().decode(Exotic.self, from: Data(Exotic.sample.utf8)))
        expectSameInEveryFormat(try JSONDecoder().decode(Dog.self, from: Data(Dog.sample.utf8)))
    }
}
