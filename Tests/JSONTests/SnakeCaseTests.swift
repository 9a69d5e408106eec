import Foundation
import JSONDocuments
import NetworkJSON
import Testing

@Suite(.serialized) struct `Snake case` {
    /// What is found under keys, and which keys there are.
    struct Lookup: Decodable, Equatable {
        nonisolated(unsafe) static var keys: [String] = []
        var found: [Int?]
        var all: Set<String>

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyCodingKey.self)
            found = try Self.keys.map { try container.decodeIfPresent(Int.self, forKey: AnyCodingKey(stringValue: $0)) }
            all = Set(container.allKeys.map(\.stringValue))
        }
    }

    @Test func `keys are converted as Foundation converts them`() throws {
        var random = Random(seed: 3)
        let pieces = ["a", "bc", "_", "_", "_", "url", "X", "2", "b1", "é", "-", "__", "Two", "three"]
        let fast = TransferJSONDecoder()
        fast.keyDecodingStrategy = .convertFromSnakeCase
        let foundation = JSONDecoder()
        foundation.keyDecodingStrategy = .convertFromSnakeCase
        for _ in 0..<3000 {
            let isPlain = random.below(2) == 0
            let keys = (0..<(1 + random.below(6))).map { _ in
                (0..<(1 + random.below(5))).map { _ in isPlain ? ["a", "bc", "_", "url2"][random.below(4)] : random.pick(pieces) }
                    .joined()
            }
            let text = "{" + keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
            Lookup.keys =
                (keys + ["aBc", "bcA", "aUrl2", "url2", "A", "a_bc"]).shuffled(using: &random)
                + Array(try foundation.decode(Lookup.self, from: Data(text.utf8)).all)
            let expected = try foundation.decode(Lookup.self, from: Data(text.utf8))
            #expect(try fast.decode(Lookup.self, from: Data(text.utf8)) == expected, "\(text)")
        }
    }

    @Test(arguments: [
        "_id", "__v", "_", "___", "", "a_", "_a_b_", "a__b", "USER_NAME", "User__Name", "userName", "user_Name", "a_2", "a_2b",
        "a2_b",
        "2_a", "a_b-c", "_A", "URL_", "_id2_x", "A_b1c",
    ])
    func `underscores at the ends, words of digits and capitals`(key: String) {
        Lookup.keys =
            [key, "\(key)x", String(key.drop { $0 == "_" }), key.lowercased(), key.capitalized]
            + ["_aB_", "aB", "userName", "a2", "a2B", "a2b", "2A", "aB-C", "aB-c", "_id2X", "aB1C", "aB1c", "id", "v"]
        for text in ["{\"\(key)\":1}", "{\"other_key\":0,\"\(key)\":1,\"_x\":2}", "{\"\(key)\":1,\"userName\":2,\"aB\":3}"] {
            expectSame(Lookup.self, text) { $0.keyDecodingStrategy = .convertFromSnakeCase }
        }
    }

    @Test func `keys are written as Foundation writes them`() throws {
        var random = Random(seed: 4)
        let pieces = ["a", "bc", "_", "URL", "X", "2", "b1", "é", "É", "Two", "tHREE"]
        let fast = TransferJSONEncoder()
        fast.keyEncodingStrategy = .convertToSnakeCase
        let foundation = JSONEncoder()
        foundation.keyEncodingStrategy = .convertToSnakeCase
        struct One: Encodable {
            var key: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyCodingKey.self)
                try container.encode(1, forKey: AnyCodingKey(stringValue: key))
            }
        }
        for _ in 0..<2000 {
            let key = (0..<(1 + random.below(6))).map { _ in random.pick(pieces) }.joined()
            #expect(try fast.encode(One(key: key)) == foundation.encode(One(key: key)), "\(key)")
        }
    }

    @Test func `errors name the converted key`() {
        struct S: Decodable { var innerThing: Inner; struct Inner: Decodable { var someValue: Int } }
        let decoder = TransferJSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            _ = try decoder.decode(S.self, from: Data(#"{"inner_thing":{"some_value":"x"}}"#.utf8))
            Issue.record("No error.")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["innerThing", "someValue"])
        } catch { Issue.record(error) }
    }
}
