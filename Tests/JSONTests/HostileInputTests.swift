import Foundation
import JSONDocuments
import NetworkJSON
import Testing

@Suite struct `Hostile input` {
    struct Model: Decodable {
        var a: Int?
        var b: Int?
        var wanted: Int
    }

    @Test(.timeLimit(.minutes(10)))
    func `a million keys take linear time`() throws {
        // The same length, beginning and end, on which a cheap hash relies.
        var text = "{"
        for i in 0..<1_000_000 { text += "\"beginning\(1_000_000 + i)the end!\":1," }
        text += "\"wanted\":2}"
        let data = Data(text.utf8)
        #expect(try TransferJSONDecoder().decode(Model.self, from: data).wanted == 2)
        #expect(try TransferJSONDecoder().decode([String: Int].self, from: data).count == 1_000_001)
    }

    @Test(.timeLimit(.minutes(10)))
    func `keys in the reverse order take linear time`() throws {
        struct Reverse: Decodable {
            var sum = 0
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyCodingKey.self)
                for key in container.allKeys.reversed() { sum += try container.decode(Int.self, forKey: key) }
            }
        }
        let text = "{" + (0..<200_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        #expect(try TransferJSONDecoder().decode(Reverse.self, from: Data(text.utf8)).sum == 200_000)
    }

    @Test func `a key of a mebibyte is found`() throws {
        let key = String(repeating: "k", count: 1 << 20)
        #expect(try TransferJSONDecoder().decode([String: Int].self, from: Data("{\"\(key)\":1}".utf8))[key] == 1)
        struct Long: Decodable {
            var value: Int
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyCodingKey.self)
                value = try container.decode(Int.self, forKey: AnyCodingKey(stringValue: String(repeating: "k", count: 1 << 20)))
            }
        }
        #expect(try TransferJSONDecoder().decode(Long.self, from: Data("{\"\(key)\":1}".utf8)).value == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func `many errors in one document take linear time`() throws {
        struct Lossy: Decodable {
            var failures = 0
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    if (try? container.decode(Int.self)) == nil {
                        failures += 1
                        _ = try container.decode(String.self)
                    }
                }
            }
        }
        let text = "[" + Array(repeating: "\"x\"", count: 100_000).joined(separator: ",\n") + "]"
        #expect(try TransferJSONDecoder().decode(Lossy.self, from: Data(text.utf8)).failures == 100_000)
    }

    @Test(.timeLimit(.minutes(10)))
    func `trying one model after the other takes linear time`() throws {
        struct A: Decodable { var x: Int; var y: Int }
        struct B: Decodable { var z: Int }
        struct Either: Decodable {
            init(from decoder: any Decoder) throws {
                if (try? A(from: decoder)) == nil, (try? B(from: decoder)) == nil { _ = try [String: String](from: decoder) }
            }
        }
        let text = "[" + Array(repeating: "{\"x\":\"1\",\n\"y\":\"2\"}", count: 100_000).joined(separator: ",") + "]"
        #expect(try TransferJSONDecoder().decode([Either].self, from: Data(text.utf8)).count == 100_000)
    }

    @Test func `every prefix of a document is refused, and none of them traps`() throws {
        let data = try JSONEncoder().encode(RichItem.list(2))
        for end in 0..<data.count {
            #expect(throws: DecodingError.self) { try TransferJSONDecoder().decode(AnyValue.self, from: data.prefix(end)) }
        }
    }
}
