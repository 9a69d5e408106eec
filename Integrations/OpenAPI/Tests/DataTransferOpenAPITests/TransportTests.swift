import DataTransferOpenAPI
import Foundation
import HTTPTypes
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransportTests {
    @Test(arguments: [
        ("", "/movies", "/movies"), ("/", "/movies", "/movies"), ("/v1", "/movies", "/v1/movies"),
        ("/v1/", "/movies", "/v1/movies"),
        ("/v1", "", "/v1"), ("/v1", "?a=1", "/v1?a=1"), ("/a%2Fb", "/c%20d%2F?q=%26%2B&x=a+b", "/a%2Fb/c%20d%2F?q=%26%2B&x=a+b"),
    ])
    func `the path is appended to that of the server with one slash, and nothing is encoded again`(
        base: String, path: String, target: String
    ) async throws {
        let session = StubSessionManager()
        session.enqueue(.text("ok"))
        let (response, body) = try await DataTransferTransport(session: session).send(
            .make(.get, path), body: nil, baseURL: .make("https://example.com" + base), operationID: "a")
        #expect(response.status == .ok)
        #expect(try await body?.bytes() == Array("ok".utf8))
        #expect(session.requests.first?.url.absoluteString == "https://example.com" + target)
    }

    @Test func `method, header lines and status are the same on both sides`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.patch, "/a") { _ in .text("gone", status: 410).header("a, b", for: "X-Two") }
        }
        defer { server.stop() }
        let (response, body) = try await DataTransferTransport().send(
            .make(.patch, "/a", [.accept: "text/plain", .accept: "text/html;q=0.1", .contentType: "text/plain"]),
            body: HTTPBody(Array("abc".utf8)), baseURL: server.url, operationID: "change")
        #expect(response.status == .gone)
        #expect(response.headerFields[values: HTTPField.Name("X-Two") ?? .accept] == ["a, b"])
        #expect(try await body?.bytes() == Array("gone".utf8))
        #expect(body?.length == .known(4))
        let sent = try #require(server.requests.first)
        #expect(sent.headers.values(for: "Accept") == ["text/plain", "text/html;q=0.1"])
        #expect(sent.headers.values(for: "Content-Type") == ["text/plain"])
        #expect(sent.headers["Content-Length"] == "3")
        #expect(sent.text == "abc")
    }

    @Test(arguments: [HTTPRequest.Method.head, .get]) func `a response that cannot have a body has none`(
        method: HTTPRequest.Method
    ) async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.head, "/a") { _ in .text("x") }
            LoopbackRoute(.get, "/a") { _ in .status(204) }
        }
        defer { server.stop() }
        let (_, body) = try await DataTransferTransport().send(
            .make(method, "/a"), body: nil, baseURL: server.url, operationID: "")
        #expect(body == nil)
    }

    @Test(arguments: ["https://example.com", "https://other.example"])
    func `a service adds its header fields only for the origin of its base URL`(base: String) async throws {
        let session = StubSessionManager()
        session.enqueue(.text("x", status: 500), for: "/v1/a")
        let service = DefaultNetworkService(
            configuration: try APIConfiguration(base, headers: ["X-Shared": "1"]), sessionManager: session)
        let (response, _) = try await DataTransferTransport(service: service).send(
            .make(.get, "/a"), body: nil, baseURL: .make("https://example.com/v1"), operationID: "a")
        #expect(response.status == .internalServerError)
        #expect(session.requests.first?.headers["X-Shared"] == (base == "https://example.com" ? "1" : nil))
        #expect(session.requests.first?.endpointName == "a")
    }

    @Test func `the operation is the name of the endpoint for interceptors`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("x"))
        let names = Recorder()
        _ = try await DataTransferTransport(session: session, interceptors: [names]).send(
            .make(.get, "/movies/7"), body: nil, baseURL: .make("https://example.com"), operationID: "getMovie")
        #expect(await names.values == ["getMovie"])
    }

    @Test func `a request that cannot be sent is an invalid request with its cause`() async {
        let error = await #expect(throws: TransportError.self) {
            _ = try await DataTransferTransport(session: StubSessionManager()).send(
                .make(.get, "/a b"), body: nil, baseURL: .make("https://example.com"), operationID: "a")
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.underlying != nil)
    }

    @Test func `a failure is a transport error with its code`() async throws {
        let session = StubSessionManager()
        session.enqueue(.failure(TransportError(.cannotConnect, "refused")))
        let error = await #expect(throws: TransportError.self) {
            _ = try await DataTransferTransport(session: session).send(
                .make(.get, "/a"), body: nil, baseURL: .make("https://example.com"), operationID: "a")
        }
        #expect(error?.code == .cannotConnect)
    }

    @Test func `a transport and a middleware show no secrets`() {
        struct Keyed: NetworkInterceptor {
            let key = "open sesame"
            func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError)
                -> NetworkResponse
            { try await next(request) }
        }
        let transport = DataTransferTransport(session: StubSessionManager(), interceptors: [Keyed()])
        let middleware = OperationMiddleware([Keyed()], for: ["b", "a"])
        var dumped = ""
        dump(transport, to: &dumped)
        dump(middleware, to: &dumped)
        #expect(!(dumped + "\(transport)\(middleware)").contains("sesame"))
        #expect("\(middleware)" == "OperationMiddleware(a, b; interceptors: 1)")
    }
}
