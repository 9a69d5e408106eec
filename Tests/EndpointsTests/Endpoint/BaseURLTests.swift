import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct BaseURLTests {
    @Test(
        arguments: [
            ("", "scheme"), ("api.example.com", "scheme"), ("/v1", "scheme"), ("//api.example.com", "scheme"),
            ("ftp://api.example.com", "not http"), ("file:///tmp", "not http"), ("api.example.com:80", "not http"),
            ("https://", "no host"), ("https:///v1", "no host"), ("https://:80", "no host"), ("https://me@/v1", "no host"),
            ("https:api", "no host"), ("http://h:65536", "port"), ("http://[]", "IPv6"), ("http://[zz]", "IPv6"),
            ("https://a b", "not a URL"), ("https://h%", "encoded character in its host"),
        ]
    )
    func `a base URL without http scheme or host is an error immediately`(text: String, reason: String) throws {
        let error = try #require(throws: RequestGenerationError.self) { try APIConfiguration(text) }
        #expect(error.field == .baseURL)
        #expect(error.reason.contains(reason))
    }

    @Test(arguments: ["api.example.com", "/v1", "ftp://h", "file:///tmp", "https:///v1", "https:v1", "mailto:a@b", "http://[]/"])
    func `an invalid base URL of type URL is an error when the request is built`(text: String) throws {
        let configuration = APIConfiguration(baseURL: try #require(URL(string: text)))
        #expect(try Endpoint.make().generationError(configuration).field == .baseURL)
    }

    @Test func `a base URL that is relative to another is resolved`() throws {
        let url = try #require(URL(string: "v2", relativeTo: URL(string: "https://h.example/api/")))
        #expect(try Endpoint.make("x").url(APIConfiguration(baseURL: url)) == "https://h.example/api/v2/x")
    }

    @Test func `a configuration needs only a base URL`() throws {
        struct Bare: NetworkConfigurable {
            let baseURL = URL(filePath: "/").appending(path: "")
        }
        #expect(Bare().headers.isEmpty)
        #expect(Bare().queryParameters.isEmpty)
    }

    @Test func `the configuration is read again for each request`() throws {
        final class Rotating: NetworkConfigurable, @unchecked Sendable {  // used by this test only, on one thread
            var count = 0
            var baseURL: URL { URL(filePath: "/") }
            var headers: HeaderFields {
                count += 1
                return ["Accept-Language": "\(count)"]
            }
        }
        let configuration = Rotating()
        let endpoint = Endpoint.make("https://h.example/", isFullPath: true)
        #expect(try endpoint.networkRequest(with: configuration).headers["accept-language"] == "1")
        #expect(try endpoint.networkRequest(with: configuration).headers["accept-language"] == "2")
    }
}
