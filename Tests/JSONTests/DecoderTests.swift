import Foundation
import JSONDocuments
import NetworkJSON
import NetworkSupport
import Testing

@Suite struct `Decoding` {
    private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try TransferJSONDecoder().decode(type, from: Data(text.utf8))
    }

    private func error(_ body: () throws -> Void) -> DecodingError? {
        do { try body() } catch { return error as? DecodingError }
        return nil
    }

    private func context(_ error: DecodingError?) -> DecodingError.Context? {
        switch error {
        case .typeMismatch(_, let c), .valueNotFound(_, let c), .keyNotFound(_, let c), .dataCorrupted(let c): c
        default: nil
        }
    }

    @Test(arguments: [
        "{\"a\":1,}", "[1,]", "[1.2.3]", "[01]", "[\"\\q\"]", "[\"\\ud800\"]", "[\"\u{1}\"]", "[+1]", "[.5]", "[1.]", "[NaN]", "",
        " ", "[", "nul", "1 2",
        "{\"a\" 1}", "{1:2}", "[\"a]", "{\"a\":}", "['a']", "[1,,2]", "\"\\u12\"", "-", "[1e]", "[1e+]",
    ])
    func `text that is not JSON is refused wherever it is`(text: String) {
        #expect(throws: DecodingError.self) { try self.decode(AnyValue.self, text) }
        #expect(throws: DecodingError.self) { try self.decode([Ignored].self, "[\(text), 0]") }
    }

    struct Ignored: Decodable { init(from decoder: any Decoder) {} }

    @Test func `invalid UTF-8 is refused`() {
        for bytes: [UInt8] in [[0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF]] {
            #expect(throws: DecodingError.self) {
                try TransferJSONDecoder().decode(String.self, from: Data([0x22] + bytes + [0x22]))
            }
        }
    }

    @Test func `the first of several equal keys wins`() throws {
        #expect(try decode([String: Int].self, #"{"a":1,"b":2,"a":3}"#) == ["a": 1, "b": 2])
        struct S: Decodable, Equatable { var a: Int; var b: Int }
        #expect(try decode(S.self, #"{"x":0,"a":1,"b":2,"\u0061":3}"#) == S(a: 1, b: 2))
        #expect(try decode(S.self, #"{"b":2,"a":1,"b":9,"a":3}"#) == S(a: 1, b: 2))
    }

    @Test func `keys are compared canonically`() throws {
        struct S: Decodable { var é: Int; var K: Int }
        #expect(try decode(S.self, "{\"e\u{301}\":1,\"\u{212A}\":2}").é == 1)
        #expect(try decode(S.self, "{\"\\u00e9\":1,\"\u{212A}\":2}").K == 2)
    }

    @Test func `512 levels are accepted and 513 are not`() throws {
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        _ = try decode(Ignored.self, nested(512))
        #expect(throws: DecodingError.self) { try self.decode(Ignored.self, nested(513)) }
        #expect(throws: DecodingError.self) { try self.decode(Ignored.self, String(repeating: "[", count: 1_000_000)) }
        #expect(throws: DecodingError.self) { try self.decode(Ignored.self, String(repeating: "{\"a\":", count: 1_000_000)) }
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .utf16, .utf32])
    func `UTF-16 and UTF-32 are detected`(encoding: String.Encoding) throws {
        #expect(try TransferJSONDecoder().decode([String].self, from: #"["é😀"]"#.data(using: encoding)!) == ["é😀"])
        #expect(try TransferJSONDecoder().decode(Int.self, from: "12".data(using: encoding)!) == 12)
    }

    @Test func `a byte order mark is passed over`() throws {
        #expect(try TransferJSONDecoder().decode([Int].self, from: Data([0xEF, 0xBB, 0xBF] + Array("[1]".utf8))) == [1])
    }

    @Test func `numbers are exact`() throws {
        #expect(
            try decode([Double].self, "[-0,0.1,1e23,5e-324,1.7976931348623157e308,9007199254740993]").map(\.bitPattern)
                == [-0.0, 0.1, 1e23, .leastNonzeroMagnitude, 1.7976931348623157e308, 9007199254740992].map(\.bitPattern))
        #expect(
            try decode([Int].self, "[1e2,1.0,9007199254740993,-9223372036854775808]") == [100, 1, 9_007_199_254_740_993, .min])
        #expect(try decode([UInt64].self, "[18446744073709551615]") == [.max])
        #expect(try decode([Float].self, "[16777217,0.1,1.00000017881393432617187500001]") == [16_777_216, 0.1, 1.0000002])
        #expect(
            try decode(Decimal.self, "123456789012345678901234567890.12345678")
                == Decimal(string: "123456789012345678901234567890.12345678"))
        for text in ["1e400", "1e-400", "300", "1.5", "-1"] {
            #expect(throws: DecodingError.self) {
                text.contains("e") ? try self.decode(Double.self, text) : Double(try self.decode(UInt8.self, text))
            }
        }
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            #expect(try decode([Int128].self, "[170141183460469231731687303715884105727,-5]") == [.max, -5])
        }
    }

    @Test func `errors name the path, the place and what is there`() {
        struct S: Decodable { var list: [Inner] }
        struct Inner: Decodable { var id: Int }
        let text = "{\n  \"list\": [\n    {\"id\": 1},\n    {\"id\": \"secret\"}\n  ]\n}"
        let c = context(error { _ = try self.decode(S.self, text) })
        #expect(c?.codingPath.map(\.stringValue) == ["list", "Index 1", "id"])
        #expect(c?.debugDescription == "Expected to decode Int but found a string instead.")
        let details = c?.underlyingError as? JSONErrorDetails
        #expect(details == JSONErrorDetails(line: 4, column: 12, byteOffset: 40, found: "a string of 6 bytes", excerpt: "\"…\""))
        let missing = context(error { _ = try self.decode([Inner].self, #"[{"ids":1,"name":"secret","list":[null,true,[]]}]"#) })
        #expect((missing?.underlyingError as? JSONErrorDetails)?.excerpt == #"{"ids":1,"name":"…","list":[null,true,[]]}"#)
        #expect((missing?.underlyingError as? JSONErrorDetails)?.description.hasSuffix(#"}."#) == true)
        let cased = context(error { _ = try self.decode([Inner].self, #"[{"ID":1}]"#) })?.underlyingError as? JSONErrorDetails
        #expect(cased?.description.hasSuffix(#"{"ID":1}. "ID" is there, which differs in upper and lower case."#) == true)
        let date = context(error { _ = try self.decode([Date].self, "[true]") })?.underlyingError as? JSONErrorDetails
        #expect(date?.description.contains("A date is expected") == true)
        let html = context(error { _ = try self.decode(S.self, "\n<!DOCTYPE html>") })?.underlyingError as? JSONErrorDetails
        #expect(html?.found == "an HTML or XML document")
        let cut = context(error { _ = try self.decode(S.self, "{\"list\": [") })?.underlyingError as? JSONErrorDetails
        #expect(cut?.problem == "Unexpected end")
        #expect(cut?.byteOffset == 10)
    }

    @Test func `errors that were caught and kept know their place`() throws {
        struct Lossy: Decodable {
            var errors: [JSONErrorDetails] = []
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    do { _ = try container.decode(Int.self) } catch DecodingError.typeMismatch(_, let context) {
                        errors.append(context.underlyingError as! JSONErrorDetails)
                        _ = try container.decode(AnyValue.self)
                    }
                }
            }
        }
        let lossy = try decode(Lossy.self, "[1,\n\"a\",\r\n{\"b\":2},\r[]\n\n, true]")
        _ = try decode([Int].self, "[1,2,3]")
        #expect(lossy.errors.reversed().map(\.line) == [6, 4, 3, 2])
        #expect(lossy.errors.map(\.line) == [2, 3, 4, 6])
        #expect(lossy.errors.map(\.column) == [1, 1, 1, 3])
        #expect(lossy.errors.map(\.excerpt) == ["\"…\"", "{\"b\":2}", "[]", "true"])
    }

    @Test func `keys of a path are of the user's types`() {
        struct S: Decodable { var outer: T; struct T: Decodable { var inner: Int } }
        let c = context(error { _ = try self.decode(S.self, #"{"outer":{"inner":"x"}}"#) })
        #expect(c?.codingPath.map { String(describing: type(of: $0)) } == ["CodingKeys", "CodingKeys"])
    }

    @Test func `containers and decoders may outlive the call`() throws {
        final class Keeper: Decodable {
            let container: KeyedDecodingContainer<AnyCodingKey>
            let decoder: any Decoder
            var list: any UnkeyedDecodingContainer
            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                container = try decoder.container(keyedBy: AnyCodingKey.self)
                list = try container.nestedUnkeyedContainer(forKey: "l")
            }
        }
        var keepers: [Keeper] = []
        for i in 0..<50 {
            keepers.append(try decode(Keeper.self, "{\"a\":\"a long string that is number \(i)\",\"l\":[\(i),2]}"))
            _ = try decode([String: String].self, #"{"x":"something else in between"}"#)
        }
        for (i, keeper) in keepers.enumerated() {
            #expect(try keeper.container.decode(String.self, forKey: "a") == "a long string that is number \(i)")
            #expect(try keeper.list.decode(Int.self) == i)
            #expect(try keeper.decoder.container(keyedBy: AnyCodingKey.self).contains("l"))
        }
    }

    @Test func `a call within a call is separate`() throws {
        struct Outer: Decodable {
            var inner: [String: Int]
            var after: Int
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyCodingKey.self)
                inner = try TransferJSONDecoder().decode(
                    [String: Int].self, from: Data(try container.decode(String.self, forKey: "text").utf8))
                after = try container.decode(Int.self, forKey: "after")
            }
        }
        let value = try decode([Outer].self, #"[{"text":"{\"a\":1}","after":2},{"text":"{}","after":3}]"#)
        #expect(value.map(\.after) == [2, 3])
        #expect(value[0].inner == ["a": 1])
    }

    @Test func `values under paths are decoded alone, from one scan`() throws {
        let text = PaddedBytes(Data(#"{"data":{"items":[{"x":"no"},{"x":7}]},"other":[{"y":1}]}"#.utf8))
        func decode<T: Decodable>(_ type: T.Type, _ path: JSONKeyPath) throws -> T {
            try TransferJSONDecoder().scan(text) { try $0.decode(type, under: path) }
        }
        #expect(try decode(Int.self, "data.items[1].x") == 7)
        #expect(try decode(Int.self, "/other/0/y") == 1)
        let both = try TransferJSONDecoder().scan(text) {
            try ($0.decode(Int.self, under: "data.items[1].x"), $0.decode([[String: Int]].self, under: "other"))
        }
        #expect(both.0 == 7 && both.1 == [["y": 1]])
        let c = context(error { _ = try decode([Int].self, "data.items") })
        #expect(c?.codingPath.map(\.stringValue) == ["data", "items", "Index 0"])
        #expect(throws: JSONPathFailure.self) { try decode(Int.self, "data.nothing") }
        #expect(throws: JSONPathFailure.self) { try decode(Int.self, "data[0]") }
    }

    /// Documents of every encoding and length, and malformed ones.
    static let texts: [Data] = {
        let plain = [
            "[1]", "7", "\"é\"", " [ \"a\" , {\"b\" : null} ] \n", "[1",
            "\"", "{\"a\":", "", " ", "tru", "1.", "[\"\u{10FFFF}\"]",
            "[" + String(repeating: "1234567,", count: 100) + "8]", "\"" + String(repeating: "x", count: 200),
        ]
        return plain.flatMap { text in
            [text, "\u{FEFF}" + text].flatMap { text in
                [Data(text.utf8), text.data(using: .utf16LittleEndian), text.data(using: .utf32BigEndian)].compactMap { $0 }
            }
        }
    }()

    @Test(arguments: texts) func `a text with padding is decoded in place as one without is`(data: Data) {
        let padded = PaddedBytes(padding: data)
        #expect(padded.data == data && padded.hasPadding != data.isEmpty)
        let decoder = TransferJSONDecoder()
        let results = [padded, PaddedBytes(data)].map { text in Result { try decoder.decode(AnyValue.self, from: text) } }
        switch (results[0], results[1]) {
        case (.success(let left), .success(let right)): #expect("\(left)" == "\(right)")
        case (.failure(let left), .failure(let right)): #expect("\(left)" == "\(right)")
        default: Issue.record("\(results)")
        }
        #expect(
            (try? decoder.scan(padded) { try $0.decode(AnyValue.self, under: "") }).map { "\($0)" }
                == (try? results[1].get()).map { "\($0)" })
    }

    @Test func `a decoder that outlives a text with padding keeps its content`() throws {
        final class Keeper: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        let keeper = try {
            let bytes = Data(#"{"name":"Ada Lovelace, Countess","born":1815}"#.utf8)
            return try TransferJSONDecoder().decode(Keeper.self, from: PaddedBytes(padding: bytes))
        }()
        // Memory that is reused by then.
        let others = (0..<100).map { _ in Data(repeating: 0x5A, count: 109) }
        #expect(others.count == 100)
        #expect(try [String: AnyValue](from: keeper.decoder).count == 2)
    }

    @Test func `many tasks decode with one decoder`() async throws {
        let decoder = TransferJSONDecoder()
        let data = try JSONEncoder().encode(APIDocument.make())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for i in 0..<64 {
                group.addTask {
                    for _ in 0..<20 {
                        guard try decoder.decode(APIDocument.self, from: data) == APIDocument.make() else { return false }
                        if i == 7 { decoder.dateDecodingStrategy = .iso8601 }
                    }
                    return true
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}

struct AnyCodingKey: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int?
    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = "\(intValue)"; self.intValue = intValue }
    init(stringLiteral value: String) { stringValue = value }
}

extension PaddedBytes {
    /// A copy of bytes, as they are received.
    fileprivate init(padding data: Data) {
        var buffer = PaddedBuffer()
        data.withUnsafeBytes { buffer.append($0) }
        self = buffer.take()
    }
}
