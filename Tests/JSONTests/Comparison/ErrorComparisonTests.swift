import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// The kind, the coding path and the description of errors, compared with Foundation.
@Suite struct `Errors as with Foundation` {
    struct Everything: Decodable, Equatable {
        var bool: Bool?
        var int: Int?
        var double: Double?
        var float: Float?
        var string: String?
        var list: [Int]?
        var members: [String: Int]?
        var inner: Inner?
        var inners: [Inner]?
        var date: Date?
        var data: Data?
        var url: URL?
        var uuid: UUID?
        var decimal: Decimal?

        struct Inner: Decodable, Equatable { var value: Int }
    }

    static let fields = [
        "bool", "int", "double", "float", "string", "list", "members", "inner", "inners", "date", "data", "url", "uuid",
        "decimal",
    ]
    static let values = [
        "null", "true", "12", "1.5", "\"a\"", "\"\"", "[]", "[null]", "[\"a\"]", "[1,\"a\"]", "{}", "{\"value\":\"a\"}", "[{}]",
    ]

    /// Foundation names a number that does not fit less precisely, which is a documented difference.
    static func isDocumented(_ field: String, _ value: String) -> Bool { field == "int" && value == "1.5" }

    @Test(arguments: fields)
    func `a value of another type`(field: String) {
        for value in Self.values where !Self.isDocumented(field, value) {
            expectSame(Everything.self, "{\"\(field)\":\(value)}")
            expectSame([Everything].self, "[{},{\"\(field)\":\(value)}]")
            expectSame([String: [Everything]].self, "{\"key\":[{\"\(field)\":\(value)}]}")
        }
    }

    @Test(arguments: values)
    func `an element or a document of another type`(value: String) {
        expectSame([Bool].self, "[true,\(value)]")
        expectSame([String].self, "[\"x\",\(value)]")
        expectSame([[Int]].self, "[[1],\(value)]")
        expectSame([Int8?].self, value == "1.5" ? "[1]" : "[1,\(value)]")
        expectSame([String: String].self, "{\"k\":\(value)}")
        expectSame([String: Everything.Inner].self, "{\"k\":\(value)}")
        expectSame(Everything.Inner.self, value)
        expectSame([Int].self, value)
        expectSame(Bool.self, value)
        expectSame(String.self, value)
        expectSame(URL.self, value)
        expectSame(Decimal.self, value)
        expectSame(UUID.self, value)
    }

    @Test func `null is no Bool`() {
        expectSame([Bool].self, "[null]")
        #expect(throws: DecodingError.self) { try TransferJSONDecoder().decode(Bool.self, from: Data("null".utf8)) }
        do {
            _ = try TransferJSONDecoder().decode(Bool.self, from: Data("null".utf8))
        } catch DecodingError.typeMismatch {
        } catch { Issue.record(error) }
    }

    @Test(arguments: ["\"no date\"", "\"2024-02-30T00:00:00Z\"", "1", "null"])
    func `a date that is invalid names its container`(value: String) {
        struct Dated: Decodable, Equatable { var date: Date }
        expectSame(Dated.self, "{\"date\":\(value)}") { $0.dateDecodingStrategy = .iso8601 }
        expectSame([Dated].self, "[{\"date\":\(value)}]") { $0.dateDecodingStrategy = .iso8601 }
        expectSame([Date].self, "[0,\(value)]") { $0.dateDecodingStrategy = .secondsSince1970 }
        expectSame([Date].self, "[0,\(value)]") { $0.dateDecodingStrategy = .millisecondsSince1970 }
        expectSame([Date].self, "[0,\(value)]")
    }

    @Test(arguments: ["\"aGVsbG8=\"", "\"aGVsbG8\"", "\"*\"", "[1,2]", "[256]", "null", "1"])
    func `data in Base64, as an array and by a closure`(value: String) {
        struct Blob: Decodable, Equatable { var data: Data }
        expectSame(Blob.self, "{\"data\":\(value)}")
        if value != "[256]" { expectSame(Blob.self, "{\"data\":\(value)}") { $0.dataDecodingStrategy = .deferredToData } }
        expectSame(Blob.self, "{\"data\":\(value)}") {
            $0.dataDecodingStrategy = .custom { decoder in
                Data("\(decoder.codingPath.map(\.stringValue)) \(try decoder.singleValueContainer().decode(String.self))".utf8)
            }
        }
    }

    @Test(arguments: [
        "{\"one\":{\"_0\":1}}", "{\"one\":{}}", "{}", "{\"one\":{\"_0\":1},\"none\":{}}", "{\"three\":{}}", "\"one\"",
        "{\"none\":{}}",
    ])
    func `enums with values`(text: String) {
        expectSame(Exotic.Choice.self, text)
    }

    @Test func `keys of paths are of the user's types`() {
        struct Outer: Decodable { var inner: [Everything.Inner] }
        do {
            _ = try TransferJSONDecoder().decode(Outer.self, from: Data(#"{"inner":[{"value":"x"}]}"#.utf8))
            Issue.record("No error.")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["inner", "Index 0", "value"])
            #expect(context.codingPath.map(\.intValue) == [nil, 0, nil])
            #expect(String(describing: type(of: context.codingPath[0])) == "CodingKeys")
            #expect(String(describing: type(of: context.codingPath[2])) == "CodingKeys")
        } catch { Issue.record(error) }
    }
}
