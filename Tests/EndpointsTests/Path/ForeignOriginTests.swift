import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct ForeignOriginTests {
    private static let headers: HeaderFields = [
        "Authorization": "Bearer t", "X-Api-Key": "k", "Cookie": "c=1", "Accept": "application/json", "User-Agent": "tests",
        "Host": "api.example.com",
    ]

    @Test(
        arguments: [
            // RFC 6454 §4-5: scheme, case-insensitive host, and port or the default port.
            "https://api.example.com/x", "https://api.example.com:443/x", "https://API.Example.COM/x",
            "https://api.example.com:/x", "https://someone@api.example.com/x",
        ]
    )
    func `all headers and query items are sent to the same origin`(path: String) throws {
        let configuration = try APIConfiguration.make(headers: Self.headers, query: ["key": "1"])
        let request = try Endpoint.make(path, isFullPath: true).networkRequest(with: configuration)
        #expect(request.headers == Self.headers)
        #expect(request.url.query() == "key=1")
    }

    @Test(
        arguments: [
            "http://api.example.com/x", "https://api.example.com:8443/x", "https://api.example.com.evil.example/x",
            "https://evil.example/x", "https://api.example.com@evil.example/x", "https://api.example.com:443@evil.example/x",
            "https://api.example.com%2F@evil.example/x", "https://api.example.com./x", "https://[::1]/x", "http://[::1]:443/x",
        ]
    )
    func `neither secret headers nor the shared query are sent to another origin`(path: String) throws {
        let configuration = try APIConfiguration.make(headers: Self.headers, query: ["key": "1"])
        let own: HeaderFields = ["X-Own": "1"]
        let request = try Endpoint.make(path, isFullPath: true, headers: own, query: ["q": 1]).networkRequest(with: configuration)
        #expect(request.headers == ["Accept": "application/json", "User-Agent": "tests", "X-Own": "1"])
        #expect(request.url.query() == "q=1")
    }

    @Test func `an endpoint with a full path needs no valid base URL and is cross-origin to it`() throws {
        let baseless = APIConfiguration(baseURL: URL(filePath: "/tmp"), headers: Self.headers)
        let request = try Endpoint.make("https://h.example/x", isFullPath: true).networkRequest(with: baseless)
        #expect(!request.headers.contains("Authorization"))
    }
}
