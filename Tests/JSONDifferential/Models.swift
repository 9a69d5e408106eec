import Foundation
import JSONDocuments
import NetworkJSON

/// A type, a document for it, and a comparison of both decoders.
struct Model {
    var name: String
    /// A document that decodes.
    var sample: String
    /// Decodes a document with both decoders and compares the outcomes.
    var compare: (Data) -> Difference?

    static func make<T: Decodable & Equatable>(
        _ name: String, _ type: T.Type, _ sample: String, hasDictionary: Bool = false,
        _ configure: (JSONDecoder) -> Void = { _ in }
    ) -> Model {
        let foundation = JSONDecoder()
        configure(foundation)
        let transfer = TransferJSONDecoder(foundation)
        return Model(name: name, sample: sample) { data in
            var (a, b): (T?, T?)
            var (outcomeA, outcomeB) = (Outcome.value, Outcome.value)
            do { a = try foundation.decode(type, from: data) } catch { outcomeA = Outcome.of(error) }
            do { b = try transfer.decode(type, from: data) } catch { outcomeB = Outcome.of(error) }
            // NaN is not equal to itself.
            let equal = a == b || a.map { "\($0)" } == b.map { "\($0)" }
            return difference(
                foundation: outcomeA, transfer: outcomeB, equal: equal, hasDictionary: hasDictionary,
                text: String(decoding: data, as: UTF8.self))
        }
    }

    static func text<T: Encodable>(_ value: T) -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try! encoder.encode(value), as: UTF8.self)
    }

    static func all() -> [Model] {
        [
            make("api", APIDocument.self, text(APIDocument.make()), hasDictionary: true),
            make("rich", [RichItem].self, text(RichItem.list(2))) { $0.dateDecodingStrategy = .iso8601 },
            make("twitter", Status.self, text(Generators.twitter().statuses[1])),
            make("catalog", [Performance].self, text(Array(Generators.catalog().performances.prefix(2)))),
            make(
                "any", AnyValue.self, #"{"a":[1,2.5,"x",null,true,{"b":[]}],"c":-0,"d":1e400,"e":"\u0041\n","a":2}"#,
                hasDictionary: true),
            make("numbers", Numbers.self, Numbers.sample),
            make("nested", Nested.self, Nested.sample),
            make("dog", Dog.self, Dog.sample),
            make("exotic", Exotic.self, Exotic.sample, hasDictionary: true),
            make("snakes", Snakes.self, Snakes.sample, hasDictionary: true) { $0.keyDecodingStrategy = .convertFromSnakeCase },
            make("custom keys", Snakes.self, Snakes.sample, hasDictionary: true) {
                $0.keyDecodingStrategy = .custom { path in
                    let key = path.last!.stringValue
                    return AnyKey(stringValue: key == "first_name" ? "firstName" : "\(key)")!
                }
            },
            make("doubles", [Double].self, "[1,2.5,-0.0,1e10,123456789.123456789,5e-324,1.7976931348623157e308,0.1]"),
            make("floats", [Float?].self, "[1,2.5,-0.0,1e10,16777217,1e-45,3.4028235e38,0.1,null]"),
            make("ints", [Int].self, "[1,-2,9223372036854775807,-9223372036854775808,1e3,1.0,0]"),
            make("words", [UInt64].self, "[1,18446744073709551615,9007199254740993,1e19,10000000000000000000]"),
            make("decimals", [Decimal].self, "[1,2.50,-3e-10,12345678901234567890123456789012345678,0.1,1e30,-0]"),
            make(
                "strings", [String].self, #"["","a","a\"b","\u00e9","\ud83d\ude00","日本語","a longer string than fifteen bytes"]"#),
            make("counts", [String: Int].self, #"{"a":1,"b":2,"c d":3,"é":4,"\u0065\u0301":5,"a":6}"#, hasDictionary: true),
            make("dates", [Date].self, #"["2024-02-29T23:59:59Z","1970-01-01T00:00:00Z","2024-01-01T00:00:00+01:00"]"#) {
                $0.dateDecodingStrategy = .iso8601
            },
            make("seconds", [Date?].self, "[0,1.5,-3,null]") { $0.dateDecodingStrategy = .secondsSince1970 },
            make("nonconforming", [Double].self, #"["inf","-inf",1,"nan"]"#) {
                $0.nonConformingFloatDecodingStrategy = .convertFromString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            },
            make("top int", Int.self, "12"),
            make("top string", String.self, "\"a\""),
            make("top double", Double.self, "1.5"),
            make("optional", [Int?]?.self, "[1,null]"),
        ]
    }
}

struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int?

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}
