import DataTransfer
import Foundation
import Testing

@testable import TrackerClient

/// Tests of the requests. Nothing is sent.
struct EndpointTests {
    private func built(_ endpoint: some Requestable) throws -> NetworkRequest {
        try endpoint.networkRequest(with: APIConfiguration("https://tracker.example/v1"))
    }

    @Test func `a list has its state and the size of its pages`() throws {
        #expect(
            try built(Endpoint.issues(.open, pageSize: 20)).url.absoluteString
                == "https://tracker.example/v1/issues?state=open&per_page=20")
        #expect(
            try built(Endpoint.issues(nil, pageSize: 20)).url.absoluteString == "https://tracker.example/v1/issues?per_page=20")
    }

    @Test func `a state is set with PATCH`() throws {
        let request = try built(Endpoint.set(.closed, of: 7))
        #expect(request.method == .patch && request.url.path == "/v1/issues/7")
    }
}
