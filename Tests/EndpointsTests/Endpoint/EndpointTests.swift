import Endpoints
import Foundation
import Testing
import TestSupport

private enum Movies: Requestable {
    case popular
    case movie(String)

    var request: RequestDescription {
        switch self {
        case .popular: .get("movie/popular")
        case .movie(let id): .get("movie/\(id)")
        }
    }
}

@Suite struct EndpointTests {
    @Test(.tags(.endpointEnums)) func `an endpoint enum needs only a path for each case`() throws {
        let request = try Movies.movie("7").networkRequest(with: APIConfiguration.make(headers: ["A": "1"]))
        #expect(request.method == .get)
        #expect(request.url.absoluteString == "https://api.example.com/movie/7")
        #expect(request.headers == ["A": "1"])
        #expect(request.body == nil)
        #expect(request.timeouts == RequestTimeouts())
        #expect(Movies.popular.request.acceptedStatuses == .success)
    }

    @Test func `the same endpoint always builds the same request`() throws {
        let names = Dictionary(uniqueKeysWithValues: (0..<20).map { ("k\($0)", $0) })
        let configuration = try APIConfiguration.make(
            "https://h.example/v1?z=1", headers: HeaderFields(["b": "1", "a": "2"] as [String: String]),
            query: ParameterList(names))
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

    @Test func `a request has the priority of its endpoint`() throws {
        for priority in RequestPriority.allCases {
            var endpoint = Endpoint<Void>(path: "x")
            #expect(endpoint.priority == .normal)
            endpoint.priority = priority
            #expect(try endpoint.networkRequest(with: APIConfiguration.make()).priority == priority)
        }
        #expect(RequestPriority.low < .normal && RequestPriority.normal < .high)
    }

    @Test func `an endpoint decodes its response`() throws {
        let body = ResponseData(Data(#"{"results":[1,2]}"#.utf8))
        #expect(try Movies.popular.as([Int].self, keyPath: "results").response(from: body) == [1, 2])
        #expect(try Movies.popular.as([String: [Int]].self).response(from: body) == ["results": [1, 2]])
        #expect(try Movies.popular.as(Data.self, decoder: .rawData).response(from: body) == body.data)
        #expect(try Endpoint<[Int]>(path: "x", keyPath: "results").response(from: body) == [1, 2])
        #expect(try Endpoint<String>(path: "x", responseDecoder: .text).response(from: body).count == 17)
        #expect(try Endpoint<Int>(path: "x", response: { $0.data.count }).response(from: body) == 17)
        try Endpoint<Void>(path: "x").response(from: body)
    }

    private struct Decoded<Response: Decodable & Sendable>: ResponseRequestable {
        var request: RequestDescription { .get("x") }
    }

    private struct Discarded: ResponseRequestable {
        typealias Response = Void
        var request: RequestDescription { .get("x") }
    }

    @Test func `a custom type needs only a response type`() throws {
        let response = try Decoded<[Int]>().response(from: ResponseData(Data("[1]".utf8)))
        #expect(response == [1])
        Discarded().response(from: ResponseData(Data("{".utf8)))
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

    @Test func `the properties of the description are properties of the endpoint`() throws {
        var endpoint = Endpoint<[Int]>(path: "a")
        endpoint.timeouts.total = .seconds(5)
        endpoint.requiresAuthentication = false
        endpoint.baseURL = URL(string: "https://other.example/v1")
        endpoint.isIdempotent = false
        #expect(endpoint.path == "a" && endpoint.request.timeouts.total == .seconds(5) && !endpoint.isIdempotent)
        let request = try endpoint.networkRequest(with: APIConfiguration.make(headers: ["Authorization": "t"]))
        #expect(request.url.absoluteString == "https://other.example/v1/a" && request.timeouts.total == .seconds(5))
        #expect(!request.requiresAuthentication && !request.isIdempotent && request.headers.isEmpty)
    }

    @Test func `a description for each method has that method, its parameters and its body`() throws {
        let descriptions: [(RequestDescription, String)] = [
            (.get("a/{b}", pathParameters: ["b": 1], queryParameters: ["c": 2]), "GET https://api.example.com/a/1?c=2"),
            (.head("a"), "HEAD https://api.example.com/a"), (.delete("a"), "DELETE https://api.example.com/a"),
            (.post("a", body: .text("x")), "POST https://api.example.com/a"),
            (.put("a", body: .text("x")), "PUT https://api.example.com/a"),
            (.patch("a", body: .text("x")), "PATCH https://api.example.com/a"),
        ]
        for (description, line) in descriptions {
            let request = try description.networkRequest(with: APIConfiguration.make())
            #expect("\(request.method) \(request.url.absoluteString)" == line)
            #expect((request.body != nil) == ["POST", "PUT", "PATCH"].contains(request.method.rawValue))
            #expect(request.isIdempotent == request.method.isIdempotent)
        }
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
