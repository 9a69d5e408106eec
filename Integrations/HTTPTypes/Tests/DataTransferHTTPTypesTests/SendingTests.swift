import DataTransfer
import DataTransferHTTPTypes
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SendingTests {
    private static func chunks(_ count: Int, bytes: Int) -> AsyncStream<ArraySlice<UInt8>> {
        AsyncStream { continuation in
            for index in 0..<count { continuation.yield(ArraySlice(repeating: UInt8(truncatingIfNeeded: index), count: bytes)) }
            continuation.finish()
        }
    }

    @Test(arguments: [nil, 3_000_000] as [Int64?]) func `a streamed body is sent with and without its length`(length: Int64?)
        async throws
    {
        let server = try LoopbackServer { LoopbackRoute(.post, "/echo") { .data($0.body) } }
        defer { server.stop() }
        let request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/echo")
        let (response, body) = try await DefaultSessionManager().send(
            request, body: .bytes(Self.chunks(100, bytes: 30_000), length: length), baseURL: server.url)
        #expect(response.status == .ok)
        var received: [UInt8] = []
        for try await slice in try #require(body).slices { received += slice }
        #expect(received == (0..<100).flatMap { [UInt8](repeating: $0, count: 30_000) })
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Content-Length"] == length.map(String.init))
    }

    @Test func `the body of the response is received while it is read, and releasing it closes the connection`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.get, "/endless") { _ in .text("").fault(.endlessBody) } }
        defer { server.stop() }
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/endless")
        do {
            let (response, body) = try await DefaultSessionManager().send(request, baseURL: server.url)
            #expect(response.status == .ok)
            var slices = try #require(body).slices.makeAsyncIterator()
            #expect(try await slices.next()?.isEmpty == false)
            #expect(try await slices.next()?.isEmpty == false)
        }
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test(arguments: [HTTPRequest.Method.head, .get]) func `a response that cannot have a body has none`(
        method: HTTPRequest.Method
    ) async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.head, "/a") { _ in .text("x") }
            LoopbackRoute(.get, "/a") { _ in .status(204) }
        }
        defer { server.stop() }
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: "/a")
        let (_, body) = try await DefaultSessionManager().send(request, baseURL: server.url)
        #expect(body == nil)
    }

    @Test func `a request that cannot be converted is an invalid request with the part as its cause`() async {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/a b")
        let error = await #expect(throws: TransportError.self) {
            _ = try await StubSessionManager().send(request, baseURL: URL(string: "https://example.com"))
        }
        #expect(error?.code == .invalidRequest)
        #expect((error?.underlying as? HTTPTypesError)?.part == .path)
    }

    @Test func `a service sends with its interceptors, and any status is a success`() async throws {
        struct Signing: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                var signed = request
                signed.headers["X-Signed"] = "yes"
                return try await next(signed)
            }
        }
        let session = StubSessionManager()
        session.enqueue(.text("gone", status: 410), for: "/v1/a")
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://example.com", headers: ["X-Shared": "1"]), sessionManager: session,
            interceptors: [Signing()])
        let request = HTTPRequest(
            method: .put, scheme: nil, authority: nil, path: "/v1/a?b=%7B", headerFields: [.accept: "a", .accept: "b"])
        let (response, body) = try await service.send(
            request, body: .data(Data("x".utf8)), baseURL: URL(string: "https://example.com"))
        #expect(response.status == .gone)
        #expect(try await body?.collected() == Data("gone".utf8))
        let sent = try #require(session.requests.first)
        #expect(sent.url.absoluteString == "https://example.com/v1/a?b=%7B")
        #expect(sent.headers["X-Signed"] == "yes")
        #expect(sent.headers["X-Shared"] == "1")
        #expect(sent.headers.values(for: "Accept") == ["a", "b"])
        #expect(sent.headers["Content-Type"] == nil)
        #expect(sent.body?.data == Data("x".utf8))
    }
}
