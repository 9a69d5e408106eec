import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing

struct Movie: Codable, Sendable, Equatable {
    var id: Int
    var title: String
}

struct DataTransferServiceTests {
    let session = StubSessionManager()
    let logger = InMemoryLogger()

    private func service(resolver: (any DataTransferErrorResolver)? = nil) throws -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: try APIConfiguration("http://api.example/3"), sessionManager: session, errorResolver: resolver,
            errorLogger: logger)
    }

    /// Returns the outcomes of the completion form and the async form, which must be equal.
    private func outcomes<Target: ResponseRequestable>(
        _ endpoint: Target, resolver: (any DataTransferErrorResolver)? = nil
    ) async throws -> [Result<Target.Response, DataTransferError>] {
        let service = try service(resolver: resolver)
        let completed = await withCheckedContinuation { continuation in
            service.request(endpoint) { continuation.resume(returning: $0) }
        }
        return [completed, await service.result(for: endpoint)]
    }

    private func failures<Target: ResponseRequestable>(
        _ endpoint: Target, resolver: (any DataTransferErrorResolver)? = nil
    ) async throws -> [DataTransferError] {
        try await outcomes(endpoint, resolver: resolver).compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }

    @Test func `the response of a decodable endpoint is its decoded value`() async throws {
        session.route(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
        let endpoint = Endpoint<Movie>(path: "movie/{id}", pathParameters: ["id": 7])
        for outcome in try await outcomes(endpoint) { #expect(try outcome.get() == Movie(id: 7, title: "Seven")) }
    }

    @Test func `an endpoint with a key path returns the value at that path`() async throws {
        session.route { _ in .json(#"{"page": 1, "results": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]}"#) }
        for outcome in try await outcomes(Endpoint<[Movie]>(path: "x", keyPath: "results")) {
            #expect(try outcome.get().map(\.id) == [1, 2])
        }
        for outcome in try await outcomes(Endpoint<String>(path: "x", keyPath: "/results/1/title")) {
            #expect(try outcome.get() == "b")
        }
    }

    @Test func `a Void endpoint ignores the body and checks only the status`() async throws {
        session.route { _ in .text("not JSON") }
        for outcome in try await outcomes(Endpoint<Void>(path: "x", method: .delete)) {
            #expect(throws: Never.self) { try outcome.get() }
        }
    }

    @Test func `the response type of an untyped endpoint can be set at the call site`() async throws {
        enum Movies: Requestable {
            case all
            var request: RequestDescription { .get("movies") }
        }
        session.route(.json(#"[{"id": 1, "title": "a"}]"#), for: "/3/movies")
        for outcome in try await outcomes(Movies.all.as([Movie].self)) { #expect(try outcome.get().count == 1) }
    }

    @Test func `the description of an endpoint is read once per call, also if decoding fails`() async throws {
        struct Counted: ResponseRequestable {
            typealias Response = [Int]
            let count = Locked(0)
            var request: RequestDescription {
                count.withLock { $0 += 1 }
                return .get("x")
            }
        }
        session.route { request in request.method == .post ? .json("{}") : .json("[1]") }
        let (service, endpoint) = (try service(), Counted())
        #expect(try await service.request(endpoint) == [1])
        #expect(endpoint.count.withLock { $0 } == 1)
        await #expect(throws: DataTransferError.self) { try await service.upload(.text("x"), to: endpoint) }
        #expect(endpoint.count.withLock { $0 } == 2)
        for try await _ in try await service.stream(endpoint, as: .lines()) {}
        #expect(endpoint.count.withLock { $0 } == 3)
    }

    @Test func `an empty body is nil for an optional response type and an error for any other type`() async throws {
        session.route { _ in .status(204) }
        for outcome in try await outcomes(Endpoint<Movie?>(path: "x")) { #expect(try outcome.get() == nil) }
        for error in try await failures(Endpoint<Movie>(path: "x")) {
            guard case .noResponse(let failure) = error else { throw error }
            #expect(failure.statusCode == 204 && error.statusCode == 204)
        }
    }

    @Test func `the full response has the status, headers and URL`() async throws {
        session.route { _ in .json("[1]", status: 201, headers: ["X-Total": "40"]) }
        let response = try await service().response(for: Endpoint<[Int]>(path: "x"))
        #expect(response.value == [1] && response.statusCode == 201 && response.headers["x-total"] == "40")
        #expect(response.url.absoluteString == "http://api.example/3/x")
    }

    @Test func `completions run on the queue that is passed`() async throws {
        struct Recording: DataTransferDispatchQueue {
            let count = Locked(0)
            func asyncExecute(work: @escaping @Sendable () -> Void) {
                count.withLock { $0 += 1 }
                work()
            }
        }
        session.route { _ in .json("1") }
        let queue = Recording()
        let service = try service()
        let value = await withCheckedContinuation { continuation in
            service.request(Endpoint<Int>(path: "x"), on: queue) { continuation.resume(returning: try? $0.get()) }
        }
        #expect(value == 1 && queue.count.withLock { $0 } == 1)
    }

    @Test func `a decoding error has the coding path and the cause without secrets, and is logged once`() async throws {
        session.route { _ in .json(#"{"data": [{"id": 1, "title": "a"}, {"id": "two", "title": "b"}], "password": "hunter2"}"#) }
        for error in try await failures(Endpoint<[Movie]>(path: "x", queryParameters: ["q": "secret"], keyPath: "data")) {
            guard case .parsing(let failure) = error else { throw error }
            #expect(failure.codingPath == "data[1].id" && failure.statusCode == 200)
            #expect(failure.request == "GET http://api.example/3/x?…" && failure.underlying is DecodingError)
            #expect(failure.snippet.contains("two") && !"\(error)".contains("hunter2") && !"\(error)".contains("secret"))
        }
        #expect(logger.dataTransferErrors.count == 2)
    }

    @Test(
        arguments: [
            ("data[", "{}"), ("missing", "{}"), ("data[5]", #"{"data": [1]}"#), ("data", #"{"data": [1"#),
            ("data.x", #"{"data": [1]}"#),
        ])
    func `an invalid or unmatched key path throws an error that contains the path`(path: String, document: String) async throws {
        session.route { _ in .json(document) }
        for error in try await failures(Endpoint<[Int]>(path: "x", keyPath: JSONKeyPath(path))) {
            guard case .parsing(let failure) = error else { throw error }
            guard case .keyPath? = (failure.underlying as? ResponseDecodingError)?.kind else { throw failure.underlying }
            #expect(failure.reason.contains(path.prefix(4)), "\(failure)")
        }
    }

    @Test func `the length of an error text is bounded`() async throws {
        session.route { _ in .text(String(repeating: "x", count: 1_000_000)) }
        for error in try await failures(Endpoint<Int>(path: "x")) { #expect("\(error)".utf8.count < 1200) }
    }

    struct APIError: Error, Codable, Equatable {
        var code: Int
        var message: String
    }

    @Test func `an error body is decoded as the error type of the caller`() async throws {
        session.route { _ in .json(#"{"code": 34, "message": "not found"}"#, status: 404) }
        let endpoint = Endpoint<Movie>(path: "x")
        for error in try await failures(endpoint, resolver: ErrorBodyResolver<APIError>()) {
            guard case .resolvedNetworkFailure(let resolved as APIError, let cause) = error else { throw error }
            #expect(resolved == APIError(code: 34, message: "not found") && cause.statusCode == 404)
            #expect(error.resolved(as: APIError.self) == resolved && error.statusCode == 404)
        }
        #expect(logger.dataTransferErrors.count == 2)
        let service = try service(resolver: ErrorBodyResolver<APIError>())
        do {
            _ = try await service.request(endpoint)
        } catch DataTransferError.resolvedNetworkFailure(let error as APIError, _) {
            #expect(error.code == 34)
        }
    }

    @Test func `a body that cannot be decoded as an error object leaves the network error unchanged`() async throws {
        session.route { _ in .text("<html>", status: 502) }
        for error in try await failures(Endpoint<Movie>(path: "x"), resolver: ErrorBodyResolver<APIError>()) {
            guard case .networkFailure(let cause) = error else { throw error }
            #expect(cause.statusCode == 502 && error.isRetryable)
        }
    }

    @Test func `an error object inside an envelope is decoded by key path`() async throws {
        session.route { _ in .json(#"{"error": {"code": 1, "message": "m"}}"#, status: 400) }
        for error in try await failures(
            Endpoint<Movie>(path: "x"), resolver: ErrorBodyResolver<APIError>(decoder: .keyPath("error")))
        {
            #expect(error.resolved(as: APIError.self)?.code == 1)
        }
    }

    @Test func `problem details are decoded by media type, and invalid members are ignored, RFC 9457`() async throws {
        let problem =
            #"{"type": "https://e.example/out", "title": "Out of credit", "status": 403, "detail": 7, "instance": "/a", "balance": 30}"#
        session.route(
            .data(Data(problem.utf8), contentType: "application/problem+json; charset=utf-8", status: 403), for: "/3/problem")
        session.route(.json(problem, status: 403), for: "/3/json")
        for error in try await failures(Endpoint<Movie>(path: "problem"), resolver: .problemDetails) {
            let details = try #require(error.resolved(as: ProblemDetails.self))
            #expect(
                details.title == "Out of credit" && details.detail == nil && details.status == 403 && details.instance == "/a")
        }
        for error in try await failures(Endpoint<Movie>(path: "json"), resolver: .problemDetails) {
            #expect(error.resolved(as: ProblemDetails.self) == nil && error.statusCode == 403)
        }
    }

    @Test func `a network error returned by a resolver is the error that the caller receives`() async throws {
        struct Offline: DataTransferErrorResolver {
            func resolve(error: NetworkError) -> any Error & Sendable {
                NetworkError(TransportError(.cannotConnect, "made by the resolver"))
            }
        }
        session.route { _ in .status(500) }
        for error in try await failures(Endpoint<Movie>(path: "x"), resolver: Offline()) {
            #expect(error.isConnectivity && "\(error)".contains("made by the resolver"))
        }
    }

    @Test func `cancelling ends the transfer in both the async and the completion form`() async throws {
        session.route { _ in .silence }
        let service = try service()
        let task = Task {
            await #expect(throws: DataTransferError.self) { try await service.request(Endpoint<Int>(path: "x")) }
        }
        while session.waitingCount == 0 { await Task.yield() }
        task.cancel()
        #expect(await task.value?.isCancelled == true)
        let (stream, results) = AsyncStream.makeStream(of: Bool.self)
        let handle = service.request(Endpoint<Int>(path: "x")) { result in
            if case .failure(let error) = result { results.yield(error.isCancelled) }
            results.finish()
        }
        handle.cancel()
        var seen: [Bool] = []
        for await isCancelled in stream { seen.append(isCancelled) }
        #expect(seen == [true] && session.waitingCount == 0)
    }

    @Test func `a service that implements only the async form has the completion form and streams by default`() async throws {
        struct Fixed: DataTransferService {
            func responseResult<Target: ResponseRequestable>(
                for endpoint: Target
            ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
                let session = StubSessionManager()
                session.enqueue(.json("42"))
                let configuration = APIConfiguration(baseURL: URL(fileURLWithPath: "/"))
                return await DefaultDataTransferService(configuration: configuration, sessionManager: session)
                    .responseResult(for: endpoint)
            }
        }
        let endpoint = Endpoint<Int>(path: "http://h.example/", isFullPath: true)
        let completed = await withCheckedContinuation { continuation in
            Fixed().request(endpoint) { continuation.resume(returning: $0) }
        }
        #expect(try completed.get() == 42)
        var body = Data()
        for try await chunk in try await Fixed().stream(for: endpoint) { body += chunk }
        #expect(body == Data("42".utf8))
        let value = try await Fixed().request(endpoint)
        #expect(value == 42)
    }
}
