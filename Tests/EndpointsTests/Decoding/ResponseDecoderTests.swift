import Endpoints
import Foundation
import NetworkSupport
import Testing

@Suite struct ResponseDecoderTests {
    private struct Item: Codable, Equatable { var name: String }

    private func body(_ text: String, _ contentType: String? = nil) -> ResponseData {
        ResponseData(Data(text.utf8), contentType: contentType)
    }

    @Test func `a JSON document is decoded completely or at a key path`() throws {
        #expect(try JSONResponseDecoder().decode(Item.self, from: body(#"{"name":"a"}"#)) == Item(name: "a"))
        let document = body(#"{"data":{"items":[{"name":"a"},{"name":"b"}],"count":2,"none":null}}"#)
        #expect(try JSONResponseDecoder(keyPath: "data.items[1]").decode(Item.self, from: document) == Item(name: "b"))
        #expect(try JSONResponseDecoder(keyPath: "/data/items/0/name").decode(String.self, from: document) == "a")
        #expect(try JSONResponseDecoder(keyPath: "data.count").decode(Int.self, from: document) == 2)
        #expect(try JSONResponseDecoder(keyPath: "data.none").decode(Int?.self, from: document) == nil)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Snake: Decodable { var firstName: String }
        #expect(try JSONResponseDecoder(decoder: decoder).decode(Snake.self, from: body(#"{"first_name":"x"}"#)).firstName == "x")
    }

    @Test func `the coding path of a decoding error begins with the key path`() throws {
        let document = body(#"{"data":{"items":[{"name":1}]}}"#)
        let error = try #require(throws: DecodingError.self) {
            try JSONResponseDecoder(keyPath: "data.items").decode([Item].self, from: document)
        }
        guard case .typeMismatch(_, let context) = error else { return #expect(Bool(false), "\(error)") }
        #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == ["data", "items", "0", "name"])
    }

    @Test(arguments: ["missing", "data.items[7]", "data.items.x", "data.items[", "/data~2"])
    func `a key path that is invalid or has no value in the document is an error`(keyPath: String) throws {
        let error = try #require(throws: ResponseDecodingError.self) {
            try JSONResponseDecoder(keyPath: JSONKeyPath(keyPath)).decode(Int.self, from: body(#"{"data":{"items":[]}}"#))
        }
        guard case .keyPath = error.kind else { return #expect(Bool(false), "\(error)") }
    }

    @Test func `the raw data decoder returns only Data`() throws {
        #expect(try RawDataResponseDecoder().decode(Data.self, from: body("x")) == Data("x".utf8))
        #expect(try RawDataResponseDecoder().decode(Data?.self, from: body("x")) == Data("x".utf8))
        #expect(try RawDataResponseDecoder().decode(Data.self, from: body("")).isEmpty)
        let error = try #require(throws: ResponseDecodingError.self) {
            try RawDataResponseDecoder().decode(String.self, from: body("x"))
        }
        #expect("\(error)" == "this decoder produces Data, not String")
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `property lists can be XML or binary`(format: PropertyListSerialization.PropertyListFormat) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let data = try encoder.encode([Item(name: "é")])
        #expect(try PropertyListResponseDecoder().decode([Item].self, from: ResponseData(data)) == [Item(name: "é")])
        #expect(throws: DecodingError.self) {
            try PropertyListResponseDecoder().decode([Item].self, from: ResponseData(data.prefix(20)))
        }
    }

    @Test(
        arguments: [JSONResponseDecoder(), JSONResponseDecoder(keyPath: "a.b"), PropertyListResponseDecoder()]
            as [any ResponseDecoder])
    func `an empty body decodes as nil or NoContent and is otherwise an error`(decoder: any ResponseDecoder) throws {
        let none: Item? = try decoder.decode(Item?.self, from: body(""))
        #expect(none == nil)
        #expect(try decoder.decode(NoContent.self, from: body("")) == NoContent())
        let error = try #require(throws: ResponseDecodingError.self) { try decoder.decode(Item.self, from: body("")) }
        guard case .emptyBody = error.kind else { return #expect(Bool(false), "\(error)") }
        #expect(throws: (any Error).self) { try decoder.decode(Item?.self, from: body(" ")) }
    }

    @Test func `the bytes that a decoder sets are decoded, not those that were received`() throws {
        var received = PaddedBuffer()
        Array("[1,2]".utf8).withUnsafeBytes { received.append($0) }
        var body = ResponseData(NetworkBody(source: .data(received.take())), contentType: nil)
        #expect(body.data == Data("[1,2]".utf8))
        #expect(try JSONResponseDecoder().decode([Int].self, from: body) == [1, 2])
        // The bytes of a copy are its own.
        var other = body.data
        other[1] = UInt8(ascii: "7")
        #expect(try JSONResponseDecoder().decode([Int].self, from: body) == [1, 2])
        body.data[1] = UInt8(ascii: "7")
        #expect(try JSONResponseDecoder().decode([Int].self, from: body) == [7, 2])
        body.data = Data("[]".utf8)
        #expect(try JSONResponseDecoder(keyPath: "").decode([Int].self, from: body) == [])
    }

    @Test func `the empty decoder ignores the body`() throws {
        #expect(try EmptyResponseDecoder().decode(NoContent.self, from: body("{broken")) == NoContent())
        #expect(try EmptyResponseDecoder().decode(Int?.self, from: body("7")) == nil)
        #expect(throws: ResponseDecodingError.self) { try EmptyResponseDecoder().decode(Int.self, from: body("7")) }
        #expect(try JSONResponseDecoder().decode(NoContent.self, from: body("[1]")) == NoContent())
    }

    @Test func `JSON5 does not reach Foundation's scanner, which some texts stop`() throws {
        let foundation = JSONDecoder()
        foundation.allowsJSON5 = true
        for decoder in [foundation, TransferJSONDecoder(foundation)] as [any JSONDataDecoder] {
            let text = ResponseData(Data("{a:[1e+],b:+.5,}".utf8))
            #expect(throws: DecodingError.self) {
                try JSONResponseDecoder(decoder: decoder).decode([String: Double].self, from: text)
            }
            #expect(throws: ResponseDecodingError.self) {
                try JSONResponseDecoder(decoder: decoder, keyPath: "b").decode(Double.self, from: text)
            }
            #expect(throws: (any Error).self) { try ServerSentEvent(data: "[1e+]").decoded(as: [Double].self, decoder: decoder) }
            let valid = ResponseData(Data("{status:'ok',data:[1,0x10,],/**/}".utf8))
            #expect(try JSONResponseDecoder(decoder: decoder, keyPath: "data[1]").decode(Int.self, from: valid) == 16)
            #expect(try ServerSentEvent(data: "[+1]").decoded(as: [Int].self, decoder: decoder) == [1])
        }
    }
}
