import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// Keys, key strategies and `allKeys`, compared with Foundation.
@Suite struct `Keys as with Foundation` {
    struct Pair: Decodable, Equatable {
        var a: Int
        var b: Int?
    }

    struct Accented: Decodable, Equatable {
        var é: Int
        var K: Int?
    }

    /// All keys of a container, in any order, and what is found under a few.
    struct Listing: Decodable, Equatable {
        var keys: [String]
        var contains: [Bool]
        var numbers: [Int?]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyCodingKey.self)
            keys = container.allKeys.map(\.stringValue).sorted()
            let wanted: [AnyCodingKey] = ["a", "firstName", "first_name", "_private", "trailing_", "é", ""]
            contains = wanted.map { container.contains($0) }
            numbers = wanted.map { try? container.decodeIfPresent(Int.self, forKey: $0) }
        }
    }

    @Test(arguments: [
        #"{"a":1,"b":2,"a":3}"#, #"{"b":2,"a":1,"b":9,"a":3}"#, #"{"\u0061":1,"a":2}"#, #"{"a":1,"\u0061":2,"b":3}"#,
        #"{"a":1,"a":"x"}"#,
        #"{"b":1}"#, #"{"A":1}"#, #"{"a ":1}"#, #"{"":1,"a":2}"#, "{}", #"{"a":null}"#, #"{"a":1,"b":null}"#,
    ])
    func `the first of several equal keys is decoded`(text: String) {
        expectSame(Pair.self, text)
        expectSame(Listing.self, text)
        expectSame([String: Int?].self, text)
        expectSame([Pair].self, "[\(text),\(text)]")
    }

    @Test(arguments: [
        "{\"e\u{301}\":1}", "{\"é\":1}", #"{"\u00e9":1}"#, #"{"e\u0301":1,"é":2}"#, "{\"é\":1,\"\u{212A}\":2}",
        "{\"é\":1,\"K\":2,\"\u{212A}\":3}",
    ])
    func `keys are compared canonically`(text: String) {
        expectSame(Accented.self, text)
        expectSame(Listing.self, text)
        expectSame([String: Int].self, text)
    }

    @Test(arguments: [
        "first_name", "_private", "trailing_", "__a_b__", "_", "__", "a__b", "URL_of", "url_2_a", "a_2b", "é_é", "firstName", "a",
        "",
        #"first\u005fname"#,
    ])
    func `snake case is converted, outer underscores remain`(key: String) {
        let text = "{\"\(key)\":1,\"a_b\":2}"
        expectSame(Listing.self, text) { $0.keyDecodingStrategy = .convertFromSnakeCase }
        expectSame([String: Int].self, text) { $0.keyDecodingStrategy = .convertFromSnakeCase }
    }

    @Test func `a custom strategy receives the path of each key`() {
        struct Outer: Decodable, Equatable {
            var list: [Inner]
            struct Inner: Decodable, Equatable { var ID: Int }
        }
        for text in [#"{"LIST":[{"id":1},{"id":2}]}"#, #"{"LIST":[{"id":1},{"x":2}]}"#, #"{"LIST":[{"id":"x"}]}"#] {
            expectSame(Outer.self, text) {
                $0.keyDecodingStrategy = .custom { path in
                    let key = path[path.count - 1].stringValue
                    return AnyCodingKey(stringValue: path.count == 1 ? key.lowercased() : key.uppercased())
                }
            }
            let (foundation, transfer) = (Paths(), Paths())
            let reference = JSONDecoder()
            reference.keyDecodingStrategy = .custom { foundation.note($0) }
            _ = try? reference.decode(Outer.self, from: Data(text.utf8))
            let decoder = TransferJSONDecoder()
            decoder.keyDecodingStrategy = .custom { transfer.note($0) }
            _ = try? decoder.decode(Outer.self, from: Data(text.utf8))
            #expect(Set(transfer.all) == Set(foundation.all))
        }
    }

    /// The paths that a strategy received.
    final class Paths: @unchecked Sendable {
        // Unchecked: a test uses it on one thread.
        var all: [String] = []

        func note(_ path: [any CodingKey]) -> any CodingKey {
            all.append(path.map(\.stringValue).joined(separator: "."))
            let key = path[path.count - 1].stringValue
            return AnyCodingKey(stringValue: key == "LIST" ? "list" : key == "id" ? "ID" : key)
        }
    }

    @Test(arguments: [
        "firstName", "myURLProperty", "URL", "aB", "ABC", "_private", "trailing_", "a1B2", "É", "", "already_snake", "x",
    ])
    func `keys are encoded in snake case and by custom strategies`(key: String) {
        expectSameText([Named(key: key)]) { $0.keyEncodingStrategy = .convertToSnakeCase }
        expectSameText(["keys of dictionaries": [Named(key: key)]]) { $0.keyEncodingStrategy = .convertToSnakeCase }
        expectSameText([Named(key: key)]) {
            $0.keyEncodingStrategy = .custom { AnyCodingKey(stringValue: $0.map(\.stringValue).joined(separator: "/")) }
        }
    }

    struct Named: Encodable {
        var key: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            try container.encode(1, forKey: AnyCodingKey(stringValue: key))
        }
    }
}
