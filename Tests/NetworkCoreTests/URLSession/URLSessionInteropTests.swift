import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionInteropTests {
        @Test func `a request is unchanged after conversion to URLRequest and back`() throws {
            let url = try #require(URL(string: "https://example.com/a?b=c"))
            let request = NetworkRequest(
                method: .put, url: url, headers: ["Accept": "text/plain", "X-One": "1"], body: .data(Data("x".utf8)),
                timeouts: RequestTimeouts(idle: .milliseconds(1500)))
            #expect(request.urlRequest.timeoutInterval == 1.5)
            #expect(try NetworkRequest(request.urlRequest) == request)
            #expect(try NetworkRequest(URLRequest(url: url)) == NetworkRequest(url: url))
        }

        @Test func `header fields with the same name are joined in a URLRequest`() throws {
            let url = try #require(URL(string: "https://example.com/"))
            let request = NetworkRequest(url: url, headers: ["X-Many": "one", "X-Many": "two"]).urlRequest
            #expect(request.value(forHTTPHeaderField: "X-Many")?.filter { $0 != " " } == "one,two")
        }

        @Test func `a URLRequest that cannot be sent is rejected`() throws {
            let url = try #require(URL(string: "https://example.com/"))
            var stream = URLRequest(url: url)
            stream.httpMethod = "POST"
            stream.httpBodyStream = InputStream(data: Data())
            #expect(throws: RequestGenerationError.self) { try NetworkRequest(stream) }
            var withoutURL = URLRequest(url: url)
            withoutURL.url = nil
            #expect(throws: RequestGenerationError.self) { try NetworkRequest(withoutURL) }
            let file = URLRequest(url: URL(fileURLWithPath: "/etc/hosts"))
            #expect(throws: RequestGenerationError.self) { try NetworkRequest(file) }
        }

        @Test func `a response can be converted to an HTTPURLResponse`() throws {
            let url = try #require(URL(string: "https://example.com/"))
            let response = NetworkResponse(
                statusCode: 404, headers: ["X-Many": "one", "x-many": "two", "ETag": "\"e\""], url: url)
            let converted = try #require(response.httpURLResponse)
            #expect(converted.statusCode == 404 && converted.url == url)
            #expect(converted.value(forHTTPHeaderField: "etag") == "\"e\"")
            #expect(converted.value(forHTTPHeaderField: "X-Many") == "one, two")
        }

        @Test func `an endpoint can be converted to a URLRequest`() throws {
            let endpoint = Endpoint<Void>(path: "movies", method: .post, body: .json(["a": 1]))
            let request = try endpoint.networkRequest(with: APIConfiguration("https://example.com/v1")).urlRequest
            #expect(request.url?.absoluteString == "https://example.com/v1/movies")
            #expect(request.httpMethod == "POST" && request.httpBody == Data("{\"a\":1}".utf8))
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }

        @Test func `a session manager uses the protocol classes of the given configuration`() async throws {
            let configuration = URLSessionConfiguration.isolated
            configuration.protocolClasses = [EchoProtocol.self]
            let manager = URLSessionManager(sessionConfiguration: configuration)
            let url = try #require(URL(string: "http://stub.invalid/hello"))
            var request = NetworkRequest(
                method: .post, url: url, headers: ["Content-Type": "text/plain"], body: .data(Data("content".utf8)))
            let response = try await manager.response(for: request)
            #expect(response.statusCode == 202 && response.text == "POST /hello content")
            request.url = try #require(URL(string: "http://stub.invalid/foreign"))
            #expect(await manager.error(for: request)?.code == .malformedResponse)
        }
    }
}

/// Responds to every request with its method, path and body.
private final class EchoProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url, let client else { return }
        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        let response =
            url.path == "/foreign"
            ? URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
            : HTTPURLResponse(url: url, statusCode: 202, httpVersion: "HTTP/1.1", headerFields: [:])
        if let response { client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
        client.urlProtocol(self, didLoad: Data("\(request.httpMethod ?? "") \(url.path) \(body)".utf8))
        client.urlProtocolDidFinishLoading(self)
    }
}
