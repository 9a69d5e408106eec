import Endpoints
import Foundation
import TestSupport
import Testing

/// What is written first: values in place of literals, whole URLs, and Foundation's decoders. That each of them compiles is in `Tests/Diagnostics`.
@Suite struct FirstUsesTests {
    private struct Filter: Encodable, Sendable {
        var page = 2
        var genre: String? = "noir"
        var year: Int?
    }

    private struct Snake: Codable, Equatable { var firstName: String }

    @Test func `a query from a variable is that of the equal literal`() throws {
        let (fields, filter, optional) = (["page": "2", "genre": "noir"], Filter(), Filter?.some(Filter()))
        let erased: any Encodable & Sendable = filter
        let api = try APIConfiguration.make()
        let variables: [any Requestable] = [
            Endpoint<[Int]>(path: "a", queryParameters: filter),
            Endpoint<[Int]>(path: "a", queryParameters: optional, keyPath: "b"),
            Endpoint<Void>(path: "a", queryParameters: filter), Endpoint<Void>(path: "a", queryParameters: erased),
            Endpoint<Character>(path: "a", queryParameters: filter) { _ in "a" },
            RequestDescription(path: "a", queryParameters: filter),
            RequestDescription.get("a", queryParameters: filter), RequestDescription.head("a", queryParameters: filter),
            RequestDescription.post("a", queryParameters: filter), RequestDescription.query("a", queryParameters: filter),
            RequestDescription.put("a", queryParameters: filter), RequestDescription.patch("a", queryParameters: filter),
            RequestDescription.delete("a", queryParameters: filter),
        ]
        for endpoint in variables {
            #expect(try endpoint.networkRequest(with: api).url.query() == "page=2&genre=noir", "\(endpoint)")
        }
        #expect(try Endpoint<Void>(path: "a", queryParameters: fields).url().hasSuffix("?genre=noir&page=2"))
        #expect(try Endpoint<Void>(path: "a", queryParameters: Filter?.none).url().hasSuffix("/a"))
        let mixed: [String: any Encodable & Sendable] = ["page": 2, "genre": "noir", "list": [1.5]]
        #expect(try query(ParameterList(mixed)) == "genre=noir&list=1.5&page=2")
        // A literal keeps its order, and its values may have several types.
        #expect(try Endpoint<Void>(path: "a", queryParameters: ["z": 1, "b": "c", "a": nil]).url().hasSuffix("?z=1&b=c"))
    }

    @Test func `a dictionary of Any is encoded like the equal value, whatever types its values have`() throws {
        let number = UInt64.max
        let object: [String: Any] = [
            "text": "a", "flag": true, "number": 1.5, "big": number, "none": Int?.none as Any, "some": Int?.some(7) as Any,
            "null": NSNull(),
            "list": ["b", 2, [false]] as [Any], "nested": ["c": ["d": "e"]], "date": Date(timeIntervalSince1970: 0),
            "ns": NSNumber(value: 3),
            "yes": NSNumber(value: true), "url": URL(string: "https://a.b") as Any,
        ]
        let text =
            #"{"big":18446744073709551615,"date":"1970-01-01T00:00:00Z","flag":true,"list":["b",2,[false]],"nested":{"c":{"d":"e"}},"none":null,"ns":3,"null":null,"number":1.5,"some":7,"text":"a","url":"https://a.b","yes":true}"#
        #expect(try String(decoding: EndpointBody.json(ParameterList(jsonObject: object)).encoded(), as: UTF8.self) == text)
        // What JSONSerialization reads is written unchanged.
        let read = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(try String(decoding: EndpointBody.json(ParameterList(jsonObject: read)).encoded(), as: UTF8.self) == text)
        let items: [String: Any] = ["b": [1, "x"] as [Any], "a": true, "c": ["d": 2]]
        #expect(
            try Endpoint.make("", query: ParameterList(jsonObject: items)).url().removingPercentEncoding
                == "https://api.example.com?a=true&b=1&b=x&c[d]=2")
    }

    @Test func `a value that JSON cannot represent is an error with its place, and nothing of the value`() throws {
        final class Opaque { let secret = "hunter2" }
        let deep = (0..<600).reduce([]) { inner, _ in [inner] as [Any] }
        let rows: [([String: Any], place: String, reason: String)] = [
            (["a": ["b": [1, Opaque()] as [Any]]], "a.b.1", "a value of the type Opaque is not one of JSON"),
            (["a": Set([1])], "a", "a value of the type Set<Int> is not one of JSON"),
            (["a": ["b": Double.nan]], "a.b", "unable to encode Double.nan"),
            (["a": [1: 2]], "a", "a value of the type Dictionary<Int, Int> is not one of JSON"),
            (["a": deep], "a.0", "nested"),
        ]
        for (object, place, reason) in rows {
            let inBody = try #require(throws: RequestGenerationError.self) {
                try EndpointBody.json(ParameterList(jsonObject: object)).content()
            }
            #expect(
                inBody.field == .body && inBody.reason.contains(reason) && inBody.reason.contains("at \"\(place)"), "\(inBody)")
            let inQuery = try Endpoint.make(query: ParameterList(jsonObject: object)).generationError()
            guard case .query(let name) = inQuery.field else { Issue.record("\(inQuery)"); continue }
            #expect(name.hasPrefix(place) && !everyText(of: inQuery).contains("hunter2"), "\(inQuery)")
        }
    }

    @Test func `a whole URL is an endpoint that receives nothing secret of another origin`() throws {
        let api = try APIConfiguration(
            #require(URL(string: "https://api.example.com/3")), headers: ["Authorization": "t", "Accept": "a/b"],
            queryParameters: ["key": 1])
        let (own, other) = (URL(string: "https://api.example.com/x?q=1")!, URL(string: "https://other.example/x?q=1")!)
        let endpoints: (URL) -> [any Requestable] = { [$0, Endpoint<Int>(url: $0), Endpoint<Void>(url: $0), $0.as(Int.self)] }
        for endpoint in endpoints(own) {
            let request = try endpoint.networkRequest(with: api)
            #expect(
                request.url.absoluteString == "https://api.example.com/x?key=1&q=1" && request.headers["Authorization"] == "t")
        }
        for endpoint in endpoints(other) {
            let request = try endpoint.networkRequest(with: api)
            #expect(request.url == other && request.method == .get && request.headers == ["Accept": "a/b"])
            #expect(try endpoint.networkRequest(with: APIConfiguration.composed).url == other)
        }
        let put = Endpoint<Int>(
            url: other, method: .put, headerParameters: ["A": "b"], queryParameters: ["r": 2], body: .text("c"),
            responseDecoder: .text)
        let request = try put.networkRequest(with: api)
        #expect(request.url.query() == "q=1&r=2" && request.method == .put && request.headers["A"] == "b" && request.body != nil)
        for url in ["file:///etc/passwd", "ftp://a.example/b", "relative"] {
            #expect(try #require(URL(string: url)).generationError(api).field == .path)
        }
    }

    @Test func `a decoder of Foundation decodes responses with its settings`() throws {
        let (json, transfer) = (JSONDecoder(), TransferJSONDecoder())
        json.keyDecodingStrategy = .convertFromSnakeCase
        transfer.keyDecodingStrategy = .convertFromSnakeCase
        let list = PropertyListEncoder()
        list.outputFormat = .xml
        let name = Snake(firstName: "x")
        let document = ResponseData(Data(#"{"first_name":"x"}"#.utf8))
        for (decoder, body, types) in [
            (json, document, .json), (transfer, document, .json),
            (PropertyListDecoder(), ResponseData(try list.encode(name)), PropertyListDecoder().acceptedMediaTypes),
        ] as [(any ResponseDecoder, ResponseData, AcceptedMediaTypes)] {
            #expect(try Endpoint<Snake>(path: "a", responseDecoder: decoder).response(from: body) == name)
            #expect(try RequestDescription.get("a").as(Snake?.self, decoder: decoder).response(from: ResponseData(Data())) == nil)
            #expect(throws: ResponseDecodingError.self) { try decoder.decode(Snake.self, from: ResponseData(Data())) }
            #expect(decoder.acceptedMediaTypes == types && types != .any)
        }
    }

    @Test func `a status is compared by its name or its number`() {
        for (status, name) in [
            (404, "missing"), (410, "missing"), (200, "success"), (503, "server"), (nil, "none"), (302, "other"),
        ] as [(Int?, String)] {
            let found =
                switch status {
                case .notFound, .gone: "missing"
                case 200: "success"
                case .some(500...): "server"
                case nil: "none"
                default: "other"
                }
            #expect(found == name && (status == .notFound) == (status == 404) && (status != StatusCode.ok) == (status != 200))
        }
    }
}
