import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// Defects of SONetworking that this package does not have.
@Suite("SONetworking, defects") struct SONetworkingDefectTests {
    let users = Endpoint<[User]>(path: "users")

    @Test(.tags(.statusErrors), arguments: [404, 500])
    func `a 404 or 500 is an error even if the connection succeeded`(status: Int) async throws {
        let server = try LoopbackServer { _ in .json("[]", status: status) }
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        let error = await failure(of: service, users)
        #expect(error?.statusCode == status)
        #expect(error?.networkError?.response?.data == Data("[]".utf8))
    }

    struct Relabelling: DataTransferErrorResolver {
        func resolve(error: NetworkError) -> any Error & Sendable {
            NetworkError.notConnected(TransportError(.cannotConnect, "relabelled"))
        }
    }

    @Test(.tags(.customErrors)) func `the result of an error resolver is used, even if it is a NetworkError`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(503))
        let error = await failure(of: DefaultDataTransferService.make(session, resolver: Relabelling()), users)
        guard case .networkFailure(.notConnected(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.message == "relabelled")
    }

    @Test func `a query in an endpoint's path is kept`() throws {
        let endpoint = Endpoint<Void>(path: "search?q=a%20b&sort=up", queryParameters: ["page": 1])
        #expect(try endpoint.built(with: .test(query: ["lang": "en"])).url.query == "lang=en&q=a%20b&sort=up&page=1")
    }

    struct Event: Encodable {
        var isOpen = true
        var start = Date(timeIntervalSince1970: 0)
        var price = Decimal(string: "12.10")!
        var count = 1
    }

    @Test(.tags(.parameters)) func `booleans, dates and decimals of an Encodable are encoded correctly`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .iso8601
        let endpoint = Endpoint<Void>(path: "a", method: .post, body: .json(Event(), encoder: encoder))
        #expect(try endpoint.built().text == #"{"count":1,"isOpen":true,"price":12.1,"start":"1970-01-01T00:00:00Z"}"#)
        let query = Endpoint<Void>(path: "a", queryParameters: ParameterList(Event()))
        #expect(try query.built().url.query == "isOpen=true&start=1970-01-01T00%3A00%3A00Z&price=12.1&count=1")
    }

    @Test func `a body can be a top-level JSON array`() throws {
        #expect(try Endpoint<Void>(path: "a", method: .post, body: .json([1, 2, 3])).built().text == "[1,2,3]")
    }

    @Test func `a body that cannot be encoded is an error that names the body, and nothing is sent`() async throws {
        let session = StubSessionManager()
        let endpoint = Endpoint<Void>(path: "a", method: .post, body: .json(["ratio": Double.infinity]))
        let error = await failure(of: DefaultDataTransferService.make(session), endpoint)
        guard case .requestGeneration(let cause) = error?.networkError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.field == .body)
        #expect(cause.underlying is EncodingError)
        #expect(session.requests.isEmpty)
    }

    @Test(.tags(.bodies)) func `a form percent-encodes separators and preserves every character`() throws {
        let body = EndpointBody.form(["q": "a&b=c d+é\u{1F600}", "tags": ["x", "y"]])
        let text = String(decoding: try #require(body.content().data), as: UTF8.self)
        #expect(text == "q=a%26b%3Dc+d%2B%C3%A9%F0%9F%98%80&tags=x&tags=y")
    }

    @Test(
        .tags(.bodies),
        arguments: [
            (EndpointBody.json(["a": 1]), "application/json"), (.form(["a": 1]), "application/x-www-form-urlencoded"),
            (.text("a"), "text/plain; charset=utf-8"), (.data(Data([1])), "application/octet-stream"),
        ])
    func `a body sets its Content-Type, unless the endpoint declares one`(body: EndpointBody, type: String) throws {
        #expect(try Endpoint<Void>(path: "a", method: .post, body: body).built().headers["Content-Type"] == type)
        let own = Endpoint<Void>(path: "a", method: .post, headerParameters: ["content-type": "x/y"], body: body)
        #expect(try own.built().headers.values(for: "Content-Type") == ["x/y"])
    }

    @Test @MainActor func `a completion is called even if the main queue is blocked`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json("[]"))
        let done = DispatchSemaphore(value: 0)
        let onMain = Locked(true)
        DefaultDataTransferService.make(session).request(users) { _ in
            onMain.withLock { $0 = Thread.isMainThread }
            done.signal()
        }
        // The main thread is blocked here, so a completion that required it would never run.
        #expect(blocked(until: done) == .success)
        #expect(!onMain.withLock { $0 })
    }

    private nonisolated func blocked(until done: DispatchSemaphore) -> DispatchTimeoutResult {
        done.wait(timeout: .now() + 20)
    }

    @Test(.tags(.loggers)) func `cURL commands preserve spaces and quotes, and redact Authorization`() throws {
        let endpoint = Endpoint<Void>(
            path: "a", method: .post, headerParameters: ["Authorization": "Bearer s3cr3t", "X-Note": "it's two  words"],
            body: .text("a b"))
        let command = CurlCommand(try endpoint.built().logged).text
        #expect(command.contains(#"'X-Note: it'\''s two  words'"#))
        #expect(command.contains("'a b'"))
        #expect(!command.contains("s3cr3t"))
    }

    @Test(.tags(.emptyResponses)) func `an empty body is an error, except for an optional, NoContent or Void`() async throws {
        let session = StubSessionManager()
        session.route(.status(204), for: "/v1/users")
        let service = DefaultDataTransferService.make(session)
        guard case .noResponse(let failure) = await failure(of: service, users) else {
            Issue.record("an empty body was decoded into a value")
            return
        }
        #expect(failure.statusCode == 204)
        #expect(try await service.request(Endpoint<[User]?>(path: "users")) == nil)
        #expect(try await service.request(Endpoint<NoContent>(path: "users")) == NoContent())
        try await service.request(Endpoint<Void>(path: "users"))
    }
}
