import Foundation
import JSONDocuments
import NetworkJSON
import Testing

@Suite struct `Encoding` {
    private func text<T: Encodable>(_ value: T, _ format: JSONEncoder.OutputFormatting = []) throws -> String {
        let encoder = TransferJSONEncoder()
        encoder.outputFormatting = format
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The body of an `encode(to:)`.
    struct By: Encodable {
        var body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    @Test func `numbers are written as Foundation writes them`() throws {
        #expect(
            try text([1.0, -0.0, 1e16, 0.1, 1e-5, .leastNonzeroMagnitude, 123.25, 9007199254740992])
                == "[1,-0,1e+16,0.1,1e-05,5e-324,123.25,9007199254740992]")
        #expect(try text([Int64.min, .max, 0]) == "[-9223372036854775808,9223372036854775807,0]")
        #expect(try text(UInt64.max) == "18446744073709551615")
        #expect(try text(Float(0.1)) == "0.1")
        #expect(
            try text([Decimal(string: "123.4500")!, Decimal(string: "-0.001")!, Decimal(string: "1e30")!])
                == "[123.45,-0.001,1000000000000000000000000000000]")
    }

    @Test func `strings are escaped as Foundation escapes them`() throws {
        #expect(try text("a/b\"\\\n\t\u{8}\u{C}\r\u{0}\u{1F}\u{7F}é😀") == #""a\/b\"\\\n\t\b\f\r\u0000\u001f"# + "\u{7F}é😀\"")
        #expect(try text("a/b", .withoutEscapingSlashes) == "\"a/b\"")
        for length in 0..<40 {
            let string = String(repeating: "x", count: length) + "\"" + String(repeating: "é", count: length % 5)
            #expect(try JSONDecoder().decode(String.self, from: Data(try text(string).utf8)) == string)
        }
    }

    @Test func `pretty and sorted forms are Foundation's`() throws {
        let value = ["b": [1, 2], "a": [], "c/": [3]]
        let encoder = JSONEncoder()
        for format: JSONEncoder.OutputFormatting in [[.sortedKeys], [.prettyPrinted, .sortedKeys]] {
            encoder.outputFormatting = format
            #expect(try text(value, format) == String(decoding: try encoder.encode(value), as: UTF8.self))
            #expect(
                try text([[String: [Int]]()], format) == String(decoding: try encoder.encode([[String: [Int]]()]), as: UTF8.self))
        }
    }

    @Test func `a key that is written twice has its last value`() throws {
        let value = By {
            var container = $0.container(keyedBy: AnyCodingKey.self)
            try container.encode(1, forKey: "a")
            try container.encode(2, forKey: "a")
        }
        #expect(try text([value]) == "[{\"a\":2}]")
    }

    @Test func `containers may be written to in turns`() throws {
        let value = By {
            var outer = $0.container(keyedBy: AnyCodingKey.self)
            var a = outer.nestedUnkeyedContainer(forKey: "a")
            var b = outer.nestedUnkeyedContainer(forKey: "b")
            try a.encode(1)
            try b.encode(2)
            try a.encode(3)
        }
        #expect(try text(value, .sortedKeys) == "{\"a\":[1,3],\"b\":[2]}")
    }

    @Test func `a value that encodes nothing is an empty object`() throws {
        #expect(try text([By { _ in }]) == "[{}]")
        #expect(throws: EncodingError.self) { try self.text(By { _ in }) }
    }

    @Test func `a failure that is caught leaves nothing behind`() throws {
        let value = By {
            var container = $0.container(keyedBy: AnyCodingKey.self)
            try container.encode(1, forKey: "a")
            try? container.encode(["x": [1, Double.nan]], forKey: "b")
            try container.encode(2, forKey: "b")
        }
        #expect(try text(value) == "{\"a\":1,\"b\":2}")
    }

    @Test func `an error names the path`() {
        do {
            _ = try text(["a": [["b": Double.nan]]])
            Issue.record("No error.")
        } catch EncodingError.invalidValue(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["a", "Index 0", "b"])
        } catch { Issue.record(error) }
    }

    @Test func `an encoder may outlive the call`() throws {
        final class Keeper: Encodable {
            nonisolated(unsafe) static var container: KeyedEncodingContainer<AnyCodingKey>?
            nonisolated(unsafe) static var encoder: (any Encoder)?
            func encode(to encoder: any Encoder) throws {
                Keeper.encoder = encoder
                Keeper.container = encoder.container(keyedBy: AnyCodingKey.self)
                try Keeper.container!.encode(1, forKey: "a")
            }
        }
        for _ in 0..<10 {
            #expect(try text(Keeper()) == "{\"a\":1}")
            try Keeper.container!.encode(2, forKey: "b")
            _ = Keeper.encoder!.unkeyedContainer()
            #expect(try text([1, 2]) == "[1,2]")
        }
    }

    @Test func `inheritance with a super encoder is kept`() throws {
        let dog = try JSONDecoder().decode(Dog.self, from: Data(Dog.sample.utf8))
        #expect(
            try TransferJSONDecoder(JSONDecoder()).decode(Dog.self, from: TransferJSONEncoder(JSONEncoder()).encode(dog)) == dog)
    }
}

@Suite struct `An encoder that is kept` {
    final class Keeper: Encodable {
        nonisolated(unsafe) static var encoders: [any Encoder] = []
        func encode(to encoder: any Encoder) throws {
            Self.encoders.append(encoder)
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    struct Parent: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            for name in ["a long key that is on the heap, number 1", "b"] {
                try container.encode(["k": [Keeper()]], forKey: AnyCodingKey(stringValue: name + "!"))
                for kept in Keeper.encoders { _ = kept.codingPath.map(\.stringValue) }
            }
            try container.encode(["k": Keeper()], forKey: "c")
            for kept in Keeper.encoders { _ = kept.codingPath.map(\.stringValue) }
        }
    }

    @Test func `does not read keys that are gone`() throws {
        Keeper.encoders = []
        let text = String(decoding: try TransferJSONEncoder().encode([Parent(), Parent()]), as: UTF8.self)
        #expect(
            text.hasPrefix("[{\"a long key that is on the heap, number 1!\":{\"k\":[1]},\"b!\":{\"k\":[1]},\"c\":{\"k\":1}},"))
        for kept in Keeper.encoders { #expect(kept.codingPath.isEmpty) }
        Keeper.encoders = []
    }
}
