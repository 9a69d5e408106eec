import Foundation
import NetworkJSON
import Testing

/// The errors of types that try several types in turn. They share their parts, which must not show.
@Suite struct `Failed attempts` {
    /// The errors of all attempts to decode a value, and the values in it, as something else.
    struct Attempts: Decodable, Equatable {
        var failures: [String]

        struct Point: Decodable { var x: Double }
        struct Line: Decodable { var startPoint: Point; var endPoint: Point }
        struct Named: Decodable { var name: String; var lines: [Line] }
        struct Ignored: Decodable { init(from decoder: any Decoder) {} }
        enum Keys: String, CodingKey { case x, startPoint, missing }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            var failures: [String] = []
            func attempt<T>(_ body: () throws -> T) {
                do { _ = try body() } catch { failures.append(DescribedError(error).description) }
            }
            attempt { try value.decode(Bool.self) }
            attempt { try value.decode(Int.self) }
            attempt { try value.decode(UInt8.self) }
            attempt { try value.decode(Double.self) }
            attempt { try value.decode(Float.self) }
            attempt { try value.decode(String.self) }
            attempt { try value.decode(Point.self) }
            attempt { try value.decode(Line.self) }
            attempt { try value.decode(Named.self) }
            attempt { try value.decode([Int].self) }
            attempt { try value.decode([Point].self) }
            attempt { try value.decode(Set<String>.self) }
            // Of several errors in a dictionary, Foundation reports any.
            if (try? value.decode([String: Ignored].self))?.count ?? 0 < 2 {
                attempt { try value.decode([String: Line].self).isEmpty }
            }
            attempt { try value.decode(URL.self) }
            attempt { try value.decode(UUID.self) }
            attempt { try value.decode(Data.self) }
            attempt { try value.decode(Decimal.self) }
            attempt {
                let object = try decoder.container(keyedBy: Keys.self)
                attempt { try object.decode(Bool.self, forKey: .x) }
                attempt { try object.decode(Point.self, forKey: .startPoint) }
                attempt { try object.decode(Int.self, forKey: .missing) }
                attempt { try object.nestedContainer(keyedBy: Keys.self, forKey: .x) }
                attempt { try object.superDecoder(forKey: .missing).singleValueContainer().decode(Int.self) }
            }
            attempt {
                var list = try decoder.unkeyedContainer()
                attempt { try list.decode(Bool.self) }
                attempt { try list.decode(Line.self) }
                attempt { try list.nestedUnkeyedContainer() }
                attempt { try list.nestedContainer(keyedBy: Keys.self) }
            }
            if let elements = try? value.decode([Attempts].self) {
                failures += elements.flatMap(\.failures)
            } else if let members = try? value.decode([String: Attempts].self) {
                failures += members.sorted { $0.key < $1.key }.flatMap(\.value.failures)
            }
            self.failures = failures
        }
    }

    static let documents = [
        "null", "true", "1", "\"text\"", "[]", "{}", "[1,\"a\",null,[2,[true]],{\"x\":3}]",
        "{\"x\":1,\"start_point\":{\"x\":\"a\"},\"startPoint\":{\"x\":[]},\"end_point\":{}}",
        "{\"_a\":{\"b_c\":[{\"name\":\"n\",\"lines\":[{\"startPoint\":{\"x\":1},\"start_point\":{\"x\":1}}]}]}}",
        "[{\"long key with more than fifteen bytes\":[[[1]]]},{\"long key with more than fifteen bytes\":[[[true]]]}]",
    ]

    @Test(arguments: documents)
    func `have the errors that they have with Foundation`(document: String) {
        expectSame(Attempts.self, document)
        expectSame([Attempts].self, "[\(document),\(document)]")
        expectSame(Attempts.self, document) { $0.keyDecodingStrategy = .convertFromSnakeCase }
        expectSame(Attempts.self, document) {
            $0.keyDecodingStrategy = .custom { path in AnyCodingKey(stringValue: path.last!.stringValue + "_") }
        }
    }

    /// Keeps the errors of its attempts.
    struct Keeping: Decodable {
        var errors: [DecodingError] = []

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            func attempt<T: Decodable>(_ type: T.Type) {
                do { _ = try value.decode(type) } catch { errors.append(error as! DecodingError) }
            }
            attempt(Bool.self)
            attempt(Int.self)
            attempt(Date.self)
            if let list = try? value.decode([Keeping].self) { errors += list.flatMap(\.errors) }
        }
    }

    @Test func `leave errors that were kept as they were`() throws {
        let errors = try TransferJSONDecoder().decode(Keeping.self, from: Data("[\"a\",\n[\"b\"],\n\"c\"]".utf8)).errors
        let paths = errors.map { $0.testContext.codingPath.map { $0.intValue ?? -1 } }
        #expect(paths == [[], [0], [1], [1, 0], [2]].flatMap { Array(repeating: $0, count: 3) })
        let details = try errors.map { try #require($0.testContext.underlyingError as? JSONErrorDetails) }
        #expect(details.map(\.line) == [1, 1, 2, 2, 3].flatMap { Array(repeating: $0, count: 3) })
        #expect(details.enumerated().allSatisfy { $1.description.contains("date") == ($0 % 3 == 2) })
    }

    /// A number that does not fit differs from Foundation's error.
    @Test func `name the number that does not fit, and its path`() throws {
        struct Number: Decodable {
            var reason: String
            var path: [Int?]
            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                let error = #expect(throws: DecodingError.self) { try value.decode(Int.self) }
                reason = error!.testContext.debugDescription
                path = error!.testContext.codingPath.map(\.intValue)
            }
        }
        let texts = ["1.5", "-0.25", "1e-3", "1e19", "-1e300", "9223372036854775808", "0.5" + String(repeating: "0", count: 200)]
        let numbers = try TransferJSONDecoder().decode([Number].self, from: Data("[\(texts.joined(separator: ","))]".utf8))
        #expect(numbers.map(\.reason) == texts.map { "Number \($0.prefix(64)) is not representable in Swift as Int." })
        #expect(numbers.map(\.path) == texts.indices.map { [$0] })
    }

    struct Wrapper<Value: Decodable>: Decodable {
        enum CodingKeys: CodingKey { case value, next }
        init(from decoder: any Decoder) throws {
            let value = try decoder.container(keyedBy: CodingKeys.self)
            _ = try value.decode(Value.self, forKey: .value)
        }
    }

    @Test func `with more types than there are descriptions kept`() throws {
        struct Many: Decodable {
            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                func attempt<T: Decodable>(_ type: T.Type, _ left: Int) {
                    let error = #expect(throws: DecodingError.self) { try value.decode(Wrapper<T>.self) }
                    let key = Wrapper<T>.CodingKeys.value
                    #expect(error?.testContext.debugDescription == "No value associated with key \(key) (\"value\").")
                    if left > 0 { attempt([T].self, left - 1) }
                }
                for _ in 0..<2 { attempt(Int.self, 200) }
            }
        }
        _ = try TransferJSONDecoder().decode(Many.self, from: Data("{}".utf8))
    }

    private final class Token: Sendable {}

    /// Keeps its decoder, and an error of an attempt.
    private struct Outliving: Decodable {
        var decoder: any Decoder
        var error: (any Error)?
        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            do { _ = try decoder.singleValueContainer().decode(Bool.self) } catch { self.error = error }
        }
    }

    @Test(arguments: [true, false])
    func `retain nothing when decoders and errors have been released`(keepsDecoder: Bool) throws {
        weak var token: Token?
        try {
            let decoder = TransferJSONDecoder()
            let object = Token()
            decoder.userInfo[CodingUserInfoKey(rawValue: "token")!] = object
            token = object
            var value: Outliving? = try decoder.decode(Outliving.self, from: Data("{\"a\":1}".utf8))
            if keepsDecoder {
                let later = #expect(throws: DecodingError.self) { try value!.decoder.singleValueContainer().decode(Int.self) }
                #expect((later?.testContext.underlyingError as? JSONErrorDetails)?.found == "an object with 1 keys")
            } else {
                value?.decoder = NoDecoder.none
            }
            #expect((value?.error as? DecodingError)?.testContext.codingPath.isEmpty == true)
            value = nil
        }()
        #expect(token == nil)
    }

    /// A decoder that decodes nothing.
    private struct NoDecoder: Decoder {
        static let none = NoDecoder()
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }
        func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw CocoaError(.coderInvalidValue) }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw CocoaError(.coderInvalidValue) }
        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw CocoaError(.coderInvalidValue) }
    }
}

extension DecodingError {
    fileprivate var testContext: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: fatalError("another error")
        }
    }
}
