import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// Containers that are used by hand, compared with Foundation.
@Suite struct `Containers as with Foundation` {
    /// Decodes what a closure reads, as a text.
    struct Reading: Decodable, Equatable {
        var text: String

        init(from decoder: any Decoder) throws {
            let reader = try #require(decoder.userInfo[Self.key] as? Reader)
            text = try reader.read(decoder)
        }

        static let key = CodingUserInfoKey(rawValue: "read")!
    }

    struct Reader: Sendable {
        var read: @Sendable (any Decoder) throws -> String
    }

    private func expectSameReading(
        _ document: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ read: @escaping @Sendable (any Decoder) throws -> String
    ) {
        expectSame([Reading].self, "[\(document)]", sourceLocation: sourceLocation) {
            $0.userInfo[Reading.key] = Reader(read: read)
        }
    }

    @Test func `the end of an array`() {
        for document in ["[]", "[1]", "[null]"] {
            expectSameReading(document) { decoder in
                var list = try decoder.unkeyedContainer()
                if !list.isAtEnd { _ = try list.decodeNil() ? 0 : list.decode(Int.self) }
                return "\(try list.decodeNil()) \(list.currentIndex)"
            }
            expectSameReading(document) { decoder in
                var list = try decoder.unkeyedContainer()
                let values = [
                    try list.decodeIfPresent(Int.self), try list.decodeIfPresent(Int.self), try list.decodeIfPresent(Int.self),
                ]
                return "\(values) \(list.currentIndex) \(list.isAtEnd) \(String(describing: list.count))"
            }
            expectSameReading(document) { decoder in
                var list = try decoder.unkeyedContainer()
                let values = [try list.decodeIfPresent([Int].self), try list.decodeIfPresent([Int].self)]
                return "\(values) \(list.currentIndex)"
            }
            expectSameReading(document) { decoder in
                var list = try decoder.unkeyedContainer()
                _ = try list.decode(Int.self)
                return "\(try list.decode(String.self))"
            }
            expectSameReading(document) { decoder in
                var list = try decoder.unkeyedContainer()
                _ = try list.superDecoder()
                _ = try list.superDecoder()
                return ""
            }
            expectSameReading(document) { decoder in
                var list = try decoder.unkeyedContainer()
                _ = try list.decode(Int?.self)
                return "\(try list.nestedUnkeyedContainer().isAtEnd)"
            }
            expectSameReading(document) { decoder in
                var list = try decoder.unkeyedContainer()
                _ = try list.decode(Int?.self)
                return "\(try list.nestedContainer(keyedBy: AnyCodingKey.self).allKeys)"
            }
        }
    }

    @Test func `an element that fails is not passed`() {
        expectSameReading("[\"a\",2,null]") { decoder in
            var list = try decoder.unkeyedContainer()
            var log: [String] = []
            while !list.isAtEnd {
                if let value = try? list.decode(Int.self) {
                    log.append("\(value)")
                } else if let value = try? list.decode(String?.self) {
                    log.append("\(value) at \(list.currentIndex)")
                } else {
                    log.append("null at \(list.currentIndex)")
                    _ = try list.decodeNil()
                }
            }
            return log.joined(separator: ",")
        }
    }

    @Test(arguments: [#"{"a":1}"#, #"{"a":1,"super":{"b":2}}"#, #"{"a":1,"super":null,"x":[1]}"#])
    func `a super decoder without a value`(document: String) {
        expectSameReading(document) { decoder in
            let container = try decoder.container(keyedBy: AnyCodingKey.self)
            let parent = try container.superDecoder()
            let other = try container.superDecoder(forKey: "x")
            let isNull = try other.singleValueContainer().decodeNil()
            return "\(parent.codingPath.map(\.stringValue)) \(other.codingPath.map(\.stringValue)) \(isNull)"
        }
        expectSameReading(document) { decoder in
            let parent = try decoder.container(keyedBy: AnyCodingKey.self).superDecoder()
            return "\(try parent.container(keyedBy: AnyCodingKey.self).decode(Int.self, forKey: "b"))"
        }
        expectSameReading(document) { decoder in
            let other = try decoder.container(keyedBy: AnyCodingKey.self).superDecoder(forKey: "x")
            return "\(try [Int](from: other))"
        }
    }

    @Test func `nested containers are read alternately`() {
        expectSameReading(#"{"a":{"x":1,"y":"2"},"b":[1,[2,3],{"z":4}]}"#) { decoder in
            let outer = try decoder.container(keyedBy: AnyCodingKey.self)
            let a = try outer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: "a")
            var b = try outer.nestedUnkeyedContainer(forKey: "b")
            var log = ["\(try b.decode(Int.self))", "\(try a.decode(Int.self, forKey: "x"))"]
            var list = try b.nestedUnkeyedContainer()
            log.append("\(try list.decode(Int.self)) \(try a.decode(String.self, forKey: "y")) \(try list.decode(Int.self))")
            let last = try b.nestedContainer(keyedBy: AnyCodingKey.self)
            log.append("\(try last.decode(Int.self, forKey: "z")) \(b.isAtEnd) \(outer.contains("b"))")
            return log.joined(separator: ",")
        }
    }

    @Test func `containers of the wrong kind`() {
        for document in ["1", "null", "[]", "{}", "\"a\""] {
            expectSameReading(document) { "\(try $0.container(keyedBy: AnyCodingKey.self).allKeys.count)" }
            expectSameReading(document) { "\(try $0.unkeyedContainer().count ?? -1)" }
            expectSameReading("{\"k\":\(document)}") {
                let container = try $0.container(keyedBy: AnyCodingKey.self)
                return "\(try container.nestedUnkeyedContainer(forKey: "k").count ?? -1)"
            }
            expectSameReading("{\"k\":\(document)}") {
                let container = try $0.container(keyedBy: AnyCodingKey.self)
                return "\(try container.nestedContainer(keyedBy: AnyCodingKey.self, forKey: "missing").allKeys.count)"
            }
        }
    }

    @Test(arguments: ["null", "1", "\"a\"", "{}", "[null]"])
    func `optionals of optionals`(text: String) {
        struct Twice: Decodable, Equatable { var value: Int?? }
        expectSame(Twice.self, "{\"value\":\(text)}")
        expectSame(Twice.self, "{}")
        expectSame([Int??].self, "[\(text)]")
        expectSame([String: Int???].self, "{\"a\":\(text)}")
        expectSame(Int??.self, text)
    }

    @Test func `inheritance`() {
        expectSame(Dog.self, Dog.sample)
        expectSame(Dog.self, #"{"tricks":[],"super":{"name":1},"owner":{"name":"Ada"}}"#)
        expectSame(Dog.self, #"{"tricks":[],"owner":{"name":"Ada"}}"#)
        expectSame(Nested.self, Nested.sample)
        expectSame(Exotic.self, Exotic.sample)
        expectSame(Numbers.self, Numbers.sample)
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    struct Prefixed: DecodableWithConfiguration, Equatable {
        var text: String

        init(from decoder: any Decoder, configuration: String) throws {
            text = configuration + (try decoder.container(keyedBy: AnyCodingKey.self).decode(String.self, forKey: "a"))
        }
    }

    @Test(arguments: [#"{"a":"b"}"#, #"{"a":1}"#, "{}", "[]"])
    func `a configuration is passed to the value`(text: String) {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
        let data = Data(text.utf8)
        let expected = Result { try JSONDecoder().decode(Prefixed.self, from: data, configuration: "x") }.mapError(
            DescribedError.init)
        let found = Result { try TransferJSONDecoder().decode(Prefixed.self, from: data, configuration: "x") }.mapError(
            DescribedError.init)
        #expect(found == expected)
    }
}
