import Foundation
import Testing

@testable import Endpoints

struct BuiltRequestsTests {
    private let api: APIConfiguration
    private let built: BuiltRequests

    init() throws {
        api = try APIConfiguration(
            "https://api.example.com/3", headers: ["Accept": "application/json"], queryParameters: ["k": "v"])
        built = BuiltRequests(api, identity: nil)
    }

    @Test func `a request is built once, and again after a change of its description`() throws {
        var description = RequestDescription.get("movie/{id}", pathParameters: ["id": 1])
        for _ in 0..<3 { #expect(try built.request(for: description) == description.build(with: api)) }
        let before = description
        description.pathParameters = ["id": 2]
        description.headerParameters["X-A"] = "1"
        #expect(try built.request(for: description).url.absoluteString == "https://api.example.com/3/movie/2?k=v")
        #expect(try built.request(for: description).headers["X-A"] == "1")
        #expect(try built.request(for: before) == before.build(with: api), "the copy has not changed")
    }

    @Test func `each of many descriptions gets the request that it describes`() throws {
        var random = SystemRandomNumberGenerator()
        let descriptions = (0..<20).map { RequestDescription.get("movie/\($0)") }
        for _ in 0..<500 {
            let index = Int.random(in: 0..<20, using: &random)
            #expect(try built.request(for: descriptions[index]).url.path == "/3/movie/\(index)")
        }
    }

    @Test func `an invalid description fails each time`() throws {
        let description = RequestDescription.get("movie/{id}")
        for _ in 0..<2 { #expect(throws: RequestGenerationError.self) { try built.request(for: description) } }
    }

    @Test func `a body is encoded for each request`() throws {
        let counter = Counter()
        let description = RequestDescription.post("movie", body: .json(counter))
        for _ in 0..<3 { _ = try built.request(for: description) }
        #expect(counter.encodings == 3)
    }

    @Test func `a request that is changed leaves the next one as it was described`() throws {
        let description = RequestDescription.get("movie")
        var first = try built.request(for: description)
        first.headers["Authorization"] = "Bearer token-of-one-request"
        first.timeouts.total = .seconds(1)
        let second = try built.request(for: description)
        #expect(second.headers["Authorization"] == nil && second.timeouts.total == nil)
    }
}

/// Counts how often it is encoded, on one thread.
private final class Counter: Encodable, @unchecked Sendable {
    var encodings = 0

    func encode(to encoder: any Encoder) throws {
        encodings += 1
        var container = encoder.singleValueContainer()
        try container.encode("x")
    }
}
