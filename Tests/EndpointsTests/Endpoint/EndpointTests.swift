import Endpoints
import Foundation
import Testing

private enum Movies: Requestable {
    case popular
    case movie(String)

    var path: String {
        switch self {
        case .popular: "movie/popular"
        case .movie(let id): "movie/\(id)"
        }
    }
}

@Suite struct EndpointTests {
    @Test func `an endpoint enum needs only a path`() throws {
        let request = try Movies.movie("7").networkRequest(with: APIConfiguration.make(headers: ["A": "1"]))
        #expect(request.method == .get)
        #expect(request.url.absoluteString == "https://api.example.com/movie/7")
        #expect(request.headers == ["A": "1"])
        #expect(request.body == nil)
        #expect(request.timeouts == RequestTimeouts())
        #expect(Movies.popular.acceptedStatuses == .success)
    }

    @Test func `the same endpoint always builds the same request`() throws {
        let names = Dictionary(uniqueKeysWithValues: (0..<20).map { ("k\($0)", $0) })
        let configuration = try APIConfiguration.make(
            "https://h.example/v1?z=1", headers: HTTPHeaders(["b": "1", "a": "2"] as [String: String]), query: Parameters(names))
        let make = {
            try Endpoint.make(
                "x/{a}/{b}", method: .post, pathParameters: PathParameters(["a": "1", "b": "2"]),
                query: ["set": Set(names.keys), "map": names], body: .json(names)
            ).networkRequest(with: configuration)
        }
        let first = try make()
        for _ in 0..<1000 {
            let next = try make()
            guard next == first, next.headers.fields == first.headers.fields else { return #expect(next == first) }
        }
    }

    @Test func `an endpoint decodes its response`() throws {
        let body = ResponseBody(Data(#"{"results":[1,2]}"#.utf8))
        #expect(try Movies.popular.as([Int].self, keyPath: "results").response(from: body) == [1, 2])
        #expect(try Movies.popular.as([String: [Int]].self).response(from: body) == ["results": [1, 2]])
        #expect(try Movies.popular.as(Data.self, decoder: .rawData).response(from: body) == body.data)
        #expect(try Endpoint<[Int]>(path: "x", keyPath: "results").response(from: body) == [1, 2])
        #expect(try Endpoint<String>(path: "x", responseDecoder: .text).response(from: body).count == 17)
        #expect(try Endpoint<Int>(path: "x", response: { $0.data.count }).response(from: body) == 17)
        try Endpoint<Void>(path: "x").response(from: body)
    }

    private struct Decoded<Response: Decodable & Sendable>: ResponseRequestable {
        let path = "x"
    }

    private struct Discarded: ResponseRequestable {
        typealias Response = Void
        let path = "x"
    }

    @Test func `a custom type needs only a response type`() throws {
        let response = try Decoded<[Int]>().response(from: ResponseBody(Data("[1]".utf8)))
        #expect(response == [1])
        Discarded().response(from: ResponseBody(Data("{".utf8)))
    }

    @Test func `an endpoint with a chosen response type builds the same request`() throws {
        let endpoint = Endpoint.make(
            "a/{b}?c=1", method: .put, pathParameters: ["b": 1], headers: ["H": "1"], query: ["q": ["x", "y"]],
            style: QueryStyle(arrays: .brackets), body: .text("t"), timeouts: RequestTimeouts(total: .seconds(3)))
        let decoded = endpoint.as(Int.self)
        #expect(
            try decoded.networkRequest(with: APIConfiguration.make()) == endpoint.networkRequest(with: APIConfiguration.make()))
        #expect(decoded.acceptedStatuses == endpoint.acceptedStatuses && !decoded.isFullPath)
    }

    @Test func `accepted statuses can be ranges and single codes`() {
        let statuses = AcceptedStatuses.success + [304, 404] + AcceptedStatuses(500..<502, 503..<504)
        let accepted = (0..<1100).filter(statuses.contains)
        #expect(accepted == Array(200..<300) + [304, 404, 500, 501, 503])
        #expect(!AcceptedStatuses().contains(200))
        #expect((100..<600).allSatisfy(AcceptedStatuses.any.contains))
        #expect(!([Int.max] as AcceptedStatuses).contains(Int.max - 1))
    }
}
