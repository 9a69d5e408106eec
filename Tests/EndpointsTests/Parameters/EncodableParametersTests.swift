import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct EncodableParametersTests {
    private struct Filter: Encodable {
        struct Range: Encodable { var from: Date; var to: Int? }
        var name: String?
        var range: Range
        var kinds: [Genre]
        var isOpen = true
    }

    @Test func `the properties of a value become query items in the same order`() throws {
        let filter = Filter(range: .init(from: Date(timeIntervalSince1970: 0)), kinds: [.noir, .sciFi])
        #expect(
            try query(ParameterList(filter)).removingPercentEncoding
                == "range[from]=1970-01-01T00:00:00Z&kinds=noir&kinds=sci fi&isOpen=true")
    }

    private class Animal: Encodable, @unchecked Sendable {  // it has no properties
        enum Keys: String, CodingKey { case name, tags, size }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode("rex", forKey: .name)
            try container.encodeNil(forKey: .size)
            var tags = container.nestedUnkeyedContainer(forKey: .tags)
            try tags.encode("a")
            try tags.encodeNil()
            var inner = tags.nestedContainer(keyedBy: Keys.self)
            try inner.encode(1, forKey: .size)
            var list = tags.nestedUnkeyedContainer()
            try list.encode(true)
        }
    }

    private final class Dog: Animal, @unchecked Sendable {
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try super.encode(to: container.superEncoder())
            try super.encode(to: container.superEncoder(forKey: .tags))
            try container.encode("old", forKey: .name)
            try container.encode("new", forKey: .name)
        }
    }

    @Test func `values in nested containers keep their positions in arrays`() throws {
        #expect(
            try query(ParameterList(Animal()), QueryStyle(arrays: .indexed)).removingPercentEncoding
                == "name=rex&tags[0]=a&tags[2][size]=1&tags[3][0]=true")
    }

    @Test func `super encoders have names, and a later value for a name replaces the earlier one`() throws {
        #expect(
            try query(ParameterList(Dog()), QueryStyle(arrays: .brackets)).removingPercentEncoding
                == ["super", "tags"].map { "\($0)[name]=rex&\($0)[tags][]=a&\($0)[tags][][size]=1&\($0)[tags][][]=true" }
                .joined(separator: "&") + "&name=new")
    }

    private struct Wrapper<Value: Encodable & Sendable>: Encodable {
        var value: Value
        var isDirect = false
        func encode(to encoder: any Encoder) throws {
            if isDirect { return try value.encode(to: encoder) }
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test func `a value in a single-value container is encoded like the value itself`() throws {
        #expect(try query(["a": Wrapper(value: "x"), "b": [Wrapper(value: 1)], "c": Wrapper(value: Int?.none)]) == "a=x&b=1")
        #expect(try query(ParameterList(Wrapper(value: ["k": 1]))) == "k=1")
    }

    @Test func `dictionaries and sets are sorted, even inside other values`() throws {
        let keys = (0..<40).map { String(format: "k%02d", $0) }
        let dictionary = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
        let sorted = keys.map { $0 + "=1" }.joined(separator: "&")
        #expect(try query(ParameterList(dictionary)) == sorted)
        #expect(try query(ParameterList(Wrapper(value: dictionary))) == sorted)
        #expect(try query(ParameterList(Wrapper(value: dictionary, isDirect: true))) == sorted)
        let nested = keys.map { "n.\($0)=1" }.joined(separator: "&")
        #expect(try query(["n": ParameterList(dictionary)], QueryStyle(nested: .dots)) == nested)
        #expect(try query(["s": Set(keys)]) == keys.map { "s=" + $0 }.joined(separator: "&"))
    }

    @Test func `a dictionary with numeric keys is sorted and keeps its pairs together`() throws {
        #expect(try query(["d": [3.5: "a", 1.5: "c", 2.5: "b"]], QueryStyle(arrays: .commaSeparated)) == "d=1.5,c,2.5,b,3.5,a")
        #expect(try query(ParameterList([2: "b", 1: "a"])) == "1=a&2=b")
    }

    @Test func `parameters made from other parameters have the same items`() throws {
        #expect(try query(ParameterList(["b": 1, "a": nil, "c": "x"] as ParameterList)) == "b=1&c=x")
        #expect(ParameterList([:] as ParameterList).isEmpty)
        #expect(!ParameterList(Filter(range: .init(from: .distantPast), kinds: [])).isEmpty)
    }
}
