import Endpoints
import Foundation
import Testing

struct EndpointNameTests {
    private func request(_ endpoint: any Requestable) throws -> NetworkRequest {
        try endpoint.networkRequest(with: try APIConfiguration("https://user:hunter2@api.test:8443/3"))
    }

    @Test func `a path template without its query is the name of the endpoint`() throws {
        let request = try request(RequestDescription.get("movie/{id}?lang=en", pathParameters: ["id": 7]))
        #expect(request.endpointName == "movie/{id}")
        #expect(request.origin == "https://api.test:8443")
    }

    @Test func `a path without placeholders is no name, as it may contain an ID`() throws {
        #expect(try request(RequestDescription.get("movie/7")).endpointName == nil)
    }

    @Test func `a full URL is no name`() throws {
        var endpoint = RequestDescription.get("https://other.test/movie/{id}", pathParameters: ["id": 7])
        endpoint.isFullPath = true
        #expect(try request(endpoint).endpointName == nil)
    }

    @Test func `a name that was set takes the place of the template`() throws {
        var endpoint = Endpoint<Void>(path: "movie/{id}", pathParameters: ["id": 7])
        endpoint.name = "movie"
        #expect(try request(endpoint).endpointName == "movie")
    }

    @Test func `a redacted URL has no password and no secret query value`() throws {
        let request = try request(RequestDescription.get("movie", queryParameters: ["api_key": "s3cr3t", "page": 2]))
        let text = request.redactedURL.description
        #expect(!text.contains("hunter2") && !text.contains("s3cr3t") && text.contains("page=2"))
        #expect("\(request.redactedURL)" == String(reflecting: request.redactedURL))
    }
}
