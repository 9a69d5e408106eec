// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// Any JSON value, found by trying one type after the other.
public indirect enum AnyValue: Codable, Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([AnyValue])
    case object([String: AnyValue])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([AnyValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: AnyValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// Every kind of number.
public struct Numbers: Codable, Equatable, Sendable {
    public var a: Int8
    public var b: Int16?
    public var c: Int32
    public var d: Int64?
    public var e: UInt8
    public var f: UInt16?
    public var g: UInt32
    public var h: UInt64?
    public var i: Int
    public var j: UInt?
    public var k: Float
    public var l: Double?
    public var m: Decimal?
    public var n: Bool?
    public var o: [Float]?
    public var p: [Int8?]
    public var q: [Decimal]?

    public static let sample =
        #"{"a":-12,"b":300,"c":70000,"d":-9007199254740993,"e":255,"f":65535,"g":4294967295,"h":18446744073709551615,"i":1.0,"j":1e2,"k":0.1,"l":1e-7,"m":123.4500,"n":true,"o":[1,2.5,3e10,16777217],"p":[1,null,-128],"q":[1,2.50,1e10,0.001]}"#
}

/// Containers within containers, made by hand.
public struct Nested: Codable, Equatable, Sendable {
    public var name: String
    public var values: [Int]
    public var pairs: [String]
    public var rest: Int?

    enum Keys: String, CodingKey { case outer, list }
    enum Inner: String, CodingKey { case name, values, rest }

    public init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: Keys.self)
        let inner = try outer.nestedContainer(keyedBy: Inner.self, forKey: .outer)
        var list = try outer.nestedUnkeyedContainer(forKey: .list)
        name = try inner.decode(String.self, forKey: .name)
        var numbers = try inner.nestedUnkeyedContainer(forKey: .values)
        values = []
        while !numbers.isAtEnd {
            if try numbers.decodeNil() { continue }
            values.append(try numbers.decode(Int.self))
        }
        pairs = []
        while !list.isAtEnd {
            var pair = try list.nestedUnkeyedContainer()
            pairs.append(try pair.decode(String.self))
            if let second = try pair.decodeIfPresent(String.self) { pairs.append(second) }
            _ = try pair.decodeIfPresent(Int.self)
        }
        rest = try inner.contains(.rest) && !inner.decodeNil(forKey: .rest) ? inner.decode(Int.self, forKey: .rest) : nil
    }

    public func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Keys.self)
        var inner = outer.nestedContainer(keyedBy: Inner.self, forKey: .outer)
        try inner.encode(name, forKey: .name)
        var numbers = inner.nestedUnkeyedContainer(forKey: .values)
        for value in values { try numbers.encode(value) }
        try inner.encodeIfPresent(rest, forKey: .rest)
        var list = outer.nestedUnkeyedContainer(forKey: .list)
        for pair in pairs {
            var one = list.nestedUnkeyedContainer()
            try one.encode(pair)
        }
    }

    public static let sample = #"{"outer":{"name":"n","values":[1,null,2],"rest":5},"list":[["a","b"],["c"],["d",null,3]]}"#
}

/// Inheritance, with a super decoder under another key, and with the same container.
public class Animal: Codable {
    public var name: String
    public var legs: Int?

    enum CodingKeys: String, CodingKey { case name, legs }

    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        legs = try container.decodeIfPresent(Int.self, forKey: .legs)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(legs, forKey: .legs)
    }
}

public final class Dog: Animal, Equatable {
    public var tricks: [String]
    public var owner: Owner

    public struct Owner: Codable, Equatable, Sendable {
        public var name: String
        public var since: Date?
    }

    enum DogKeys: String, CodingKey { case tricks, owner, name }

    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DogKeys.self)
        tricks = try container.decode([String].self, forKey: .tricks)
        let parent = try container.superDecoder()
        owner = try container.decode(Owner.self, forKey: .owner)
        try super.init(from: parent)
    }

    public override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DogKeys.self)
        try container.encode(tricks, forKey: .tricks)
        try super.encode(to: container.superEncoder())
        try container.encode(owner, forKey: .owner)
    }

    public static func == (a: Dog, b: Dog) -> Bool {
        a.name == b.name && a.legs == b.legs && a.tricks == b.tricks && a.owner == b.owner
    }

    public static let sample = #"{"tricks":["sit","roll"],"super":{"name":"Rex","legs":4},"owner":{"name":"Ada","since":12.5}}"#
}

/// Keys that are not ASCII, long, or equal only canonically; enums with values; dictionaries with other keys.
public struct Exotic: Codable, Equatable, Sendable {
    public var é: Int
    public var `日本語のキー`: String?
    public var aKeyThatIsLongerThanFifteenBytes: Bool
    public var K: Int?
    public var choice: Choice
    public var numbered: [Int: String]
    public var deep: [String: [String: [Int?]]]
    public var twice: Int??
    public var data: Data?
    public var id: UUID?
    public var link: URL?

    public enum Choice: Codable, Equatable, Sendable {
        case one(Int)
        case two(name: String, other: Bool)
        case none
    }

    public static let sample =
        "{\"é\":1,\"日本語のキー\":\"値\\n\\u00e9\\ud83d\\ude00\",\"aKeyThatIsLongerThanFifteenBytes\":false,\"K\":3,\"choice\":{\"two\":{\"name\":\"x\",\"other\":true}},\"numbered\":{\"1\":\"a\",\"22\":\"b\"},\"deep\":{\"x\":{\"y\":[1,null]},\"z\":{}},\"twice\":null,\"data\":\"aGVsbG8=\",\"id\":\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\",\"link\":\"https://example.com/a?b=c\"}"
}

/// Names as a snake-case strategy makes them.
public struct Snakes: Codable, Equatable, Sendable {
    public var firstName: String
    public var _private: Int?
    public var trailing_: Int?
    public var urlOfThing: String?
    public var someDictionary: [String: Int]
    public var nestedThing: Thing

    public struct Thing: Codable, Equatable, Sendable {
        public var innerValue: Double
        public var someDates: [Date]
    }

    public static let sample =
        #"{"first_name":"a","_private":1,"trailing_":2,"url_of_thing":"u","some_dictionary":{"not_converted":1,"b_c":2},"nested_thing":{"inner_value":1.5,"some_dates":[1,2.5]}}"#
}
