import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// The properties of an endpoint in SONetworking, and the requests that are built from them.
@Suite("SONetworking, endpoints") struct SONetworkingEndpointTests {
    struct MoviesRequest: Encodable {
        var query: String
        var page: Int
    }

    @Test func `a path is appended to the base URL, and a full path replaces it`() throws {
        #expect(try Endpoint<Void>(path: "/movies").built().url.absoluteString == "https://api.test/v1/movies")
        let full = Endpoint<Void>(path: "https://images.test/a.png", isFullPath: true)
        #expect(try full.built().url.absoluteString == "https://images.test/a.png")
    }

    @Test(arguments: [RequestMethod.get, .head, .post, .put, .patch, .delete])
    func `each method is sent unchanged`(method: RequestMethod) async throws {
        let server = try LoopbackServer { _ in .status(204) }
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        try await service.request(Endpoint<Void>(path: "any", method: method))
        #expect(server.requests.map(\.method) == [method])
    }

    @Test func `an endpoint's headers are sent`() throws {
        let request = try Endpoint<Void>(path: "a", headerParameters: ["Accept": "text/plain"]).built()
        #expect(request.headers["Accept"] == "text/plain")
    }

    @Test(.tags(.parameters)) func `a query can be a dictionary or an Encodable`() throws {
        let literal = Endpoint<Void>(path: "search", queryParameters: ["query": "big cat", "page": 2])
        let encodable = Endpoint<Void>(path: "search", queryParameters: ParameterList(MoviesRequest(query: "big cat", page: 2)))
        for endpoint in [literal, encodable] {
            #expect(try endpoint.built().url.query == "query=big%20cat&page=2")
        }
    }

    @Test(.tags(.parameters)) func `a body can be a dictionary or an Encodable`() throws {
        let literal = Endpoint<Void>(path: "a", method: .post, body: .json(["query": "cat", "page": 2]))
        let encodable = Endpoint<Void>(path: "a", method: .post, body: .json(MoviesRequest(query: "cat", page: 2)))
        for endpoint in [literal, encodable] {
            #expect(try endpoint.built().text == #"{"page":2,"query":"cat"}"#)
        }
    }

    @Test(.tags(.bodies)) func `a body can be a form, which is percent-encoded to ASCII`() throws {
        let request = try Endpoint<Void>(path: "a", method: .post, body: .form(["name": "Zoë", "page": 2])).built()
        #expect(request.text == "name=Zo%C3%AB&page=2")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test(.tags(.loggers)) func `a request can be printed as a cURL command`() throws {
        let request = try Endpoint<Void>(path: "a", method: .put, body: .json(["a": 1])).built()
        let command = CurlCommand(request.logged).text
        #expect(command == #"curl -X PUT -H 'Content-Type: application/json' --data-raw '{"a":1}' https://api.test/v1/a"#)
    }
}
