import DataTransferOpenAPI
import Foundation
import HTTPTypes
import NetworkCache
import NetworkPipeline
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct OperationMiddlewareTests {
    /// Sends as a generated client does: through the middlewares in their order.
    private static func send(
        _ request: HTTPRequest, _ operationID: String, _ transport: DataTransferTransport, _ middlewares: [OperationMiddleware],
        body: HTTPBody? = nil, to url: URL = .make("https://example.com")
    ) async throws -> (HTTPResponse, HTTPBody?) {
        var next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?) = {
            try await transport.send($0, body: $1, baseURL: $2, operationID: operationID)
        }
        for middleware in middlewares.reversed() {
            let inner = next
            next = { try await middleware.intercept($0, body: $1, baseURL: $2, operationID: operationID, next: inner) }
        }
        return try await next(request, body, url)
    }

    @Test func `interceptors run for the operations that the middleware names, and for no others`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("a"))
        session.enqueue(.text("b"))
        let all = Recorder()
        let one = Recorder()
        let middlewares = [OperationMiddleware([all]), OperationMiddleware([one], for: ["list"])]
        let transport = DataTransferTransport(session: session)
        _ = try await Self.send(.make(.get, "/a"), "list", transport, middlewares)
        _ = try await Self.send(.make(.get, "/b"), "other", transport, middlewares)
        #expect(await all.values == ["list", "other"])
        #expect(await one.values == ["list"])
    }

    @Test func `the first middleware is outermost, and all are outside of the transport's interceptors`() async throws {
        struct Mark: NetworkInterceptor {
            let text: String
            func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError)
                -> NetworkResponse
            {
                request.headers["X-Order"] = (request.headers["X-Order"] ?? "") + text
                return try await next(request)
            }
        }
        let session = StubSessionManager()
        session.enqueue(.text("a"))
        let transport = DataTransferTransport(session: session, interceptors: [Mark(text: "4")])
        _ = try await Self.send(
            .make(.get, "/a"), "a", transport,
            [OperationMiddleware([Mark(text: "1"), Mark(text: "2")]), OperationMiddleware([Mark(text: "3")])])
        #expect(session.requests.first?.headers["X-Order"] == "1234")
    }

    @Test func `retries, credentials and a deadline apply to operations`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("busy", status: 503))
        session.enqueue(.text("ok"))
        let api = try APIConfiguration("https://example.com")
        let retry = RetryOptions(backoff: Backoff(base: .milliseconds(1), maximumDelay: .milliseconds(1)))
        let (response, body) = try await Self.send(
            .make(.get, "/a"), "list", DataTransferTransport(session: session),
            [OperationMiddleware([.deadline(.seconds(60)), .retry(retry), .authentication(.bearer("token"), for: api)])])
        #expect(response.status == .ok)
        #expect(try await body?.bytes() == Array("ok".utf8))
        #expect(session.requests.map { $0.headers["Authorization"] } == ["Bearer token", "Bearer token"])
    }

    @Test func `a cache for one operation stores its responses and no others`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/{name}") { _ in .text("x").header("max-age=600", for: "Cache-Control") }
        }
        defer { server.stop() }
        let transport = DataTransferTransport()
        let middlewares = [OperationMiddleware([CacheInterceptor()], for: ["list"])]
        for _ in 0..<2 {
            for (path, operation) in [("/list", "list"), ("/other", "other")] {
                let (_, body) = try await Self.send(.make(.get, path), operation, transport, middlewares, to: server.url)
                #expect(try await body?.bytes() == Array("x".utf8))
            }
        }
        #expect(server.requests.map(\.target).sorted() == ["/list", "/other", "/other"])
    }

    @Test func `a transport over a service refuses requests with interceptors of a middleware`() async throws {
        let service = DefaultNetworkService(sessionManager: StubSessionManager())
        let error = await #expect(throws: TransportError.self) {
            _ = try await Self.send(
                .make(.get, "/a"), "a", DataTransferTransport(service: service), [OperationMiddleware([.retry()])])
        }
        #expect(error?.code == .invalidRequest)
    }
}
