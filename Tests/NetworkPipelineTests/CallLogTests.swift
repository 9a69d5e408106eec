import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing

/// Tests of the events that a network logger receives for calls with interceptors.
@Suite(.timeLimit(.minutes(10))) struct CallLogTests {
    private struct Signing: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var request = request
            request.headers["X-Signed"] = "yes"
            request.headers["Authorization"] = "Bearer hunter2"
            return try await next(request)
        }
    }

    private struct Responding: NetworkInterceptor {
        var error: TransportError?
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            if let error { throw error }
            return NetworkResponse(statusCode: 200, url: request.url)
        }
    }

    private let session = StubSessionManager()
    private let logger = InMemoryLogger()
    private let retry = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero, maximumDelay: .zero)), budget: nil)

    private func service(
        _ interceptors: [any NetworkInterceptor], _ logger: (any NetworkErrorLogger)? = nil
    ) throws -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session, interceptors: interceptors,
            logger: logger ?? self.logger)
    }

    private var kinds: [String] {
        logger.events.map { event in
            switch event {
            case .request(let request): "request \(request.attempt)"
            case .response(let response, let request) where response.attempt == request.attempt:
                "response \(request.attempt) \(response.statusCode)"
            case .response(let response, let request): "response of attempt \(request.attempt) has number \(response.attempt)"
            case .networkError(let error, let request):
                "error \(error.networkError?.transportError?.attempts ?? request?.attempt ?? 0)"
            case .outcome(let outcome, _):
                "outcome \(outcome.statusCode ?? 0) \(outcome.attempts) \(outcome.source.rawValue) \(outcome.error == nil)"
            case .dataTransferError: "data transfer error"
            }
        }
    }

    private func run(
        _ service: DefaultNetworkService, completes: Bool, _ endpoint: Endpoint<Void> = Endpoint<Void>(path: "a")
    ) async -> Result<NetworkResponse, NetworkError> {
        if completes {
            return await withCheckedContinuation { continuation in
                service.response(for: endpoint) { continuation.resume(returning: $0) }
            }
        }
        do throws(NetworkError) {
            return .success(try await service.response(for: endpoint))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [false, true])
    func `each attempt is logged as it was sent, followed by the outcome of the call`(completes: Bool) async throws {
        session.enqueue(.failure(.connectionLost))
        session.enqueue(.status(503))
        session.enqueue(.text("there"))
        let result = await run(try service([retry, Signing()]), completes: completes)
        #expect(try result.get().statusCode == 200)
        #expect(
            kinds == [
                "request 1", "error 1", "request 2", "response 2 503", "request 3", "response 3 200",
                "outcome 200 3 attempt true",
            ])
        #expect(
            logger.requests.allSatisfy { $0.header("X-Signed") == "yes" } && Set(logger.requests.map(\.identifier)).count == 1)
        #expect(!"\(logger.requests)".contains("hunter2"))
    }

    @Test(arguments: [false, true]) func `the outcome of a failed call is logged once, with the number of attempts`(
        completes: Bool
    )
        async throws
    {
        session.route { _ in .failure(.connectionLost) }
        let result = await run(try service([retry]), completes: completes)
        let error = try #require(#expect(throws: NetworkError.self) { try result.get() })
        #expect(kinds == ["request 1", "error 1", "request 2", "error 2", "request 3", "error 3", "outcome 0 3 attempt false"])
        #expect(error.transportError?.attempts == 3 && error.description.contains("after 3 attempts"), "\(error)")
        #expect(error.description.contains("GET https://api.test/a"))
    }

    @Test func `the outcome of a call that ends with an error status is logged after its attempts`() async throws {
        session.route { _ in .status(503) }
        let result = await run(try service([retry]), completes: false)
        let error = try #require(#expect(throws: NetworkError.self) { try result.get() })
        #expect(kinds.suffix(3) == ["response 3 503", "error 3", "outcome 503 3 attempt false"])
        #expect(error.description.contains("after 3 attempts"), "\(error)")
    }

    @Test func `a response or error from an interceptor is logged without an attempt`() async throws {
        _ = await run(try service([Responding()]), completes: false)
        _ = await run(try service([Responding(error: TransportError(.notAdmitted, "full"))]), completes: false)
        #expect(kinds == ["outcome 200 0 interceptor true", "error 1", "outcome 0 0 interceptor false"])
    }

    @Test func `a call without interceptors has one attempt, and an invalid request has no attempt`() async throws {
        session.route { _ in .status(200) }
        _ = await run(try service([]), completes: true)
        _ = await run(try service([]), completes: false, Endpoint<Void>(path: "a\n"))
        #expect(kinds == ["request 1", "response 1 200", "outcome 200 1 attempt true", "error 0", "outcome 0 0 none false"])
    }

    @Test(arguments: [[], [Signing()]] as [[any NetworkInterceptor]])
    func `the outcome of a stream is logged when the stream has been read`(interceptors: [any NetworkInterceptor]) async throws {
        session.route { _ in .text("there") }
        let stream = try await service(interceptors).stream(for: Endpoint<Void>(path: "a"))
        #expect(kinds == ["request 1", "response 1 200"])
        _ = try await stream.body.collected()
        #expect(kinds.last == "outcome 200 1 attempt true" && kinds.count == 3)
    }

    @Test func `the console logger prints the number of attempts and no secrets`() async throws {
        let lines = Locked<[String]>([])
        let console = ConsoleLogger(level: .debug) { line in lines.withLock { $0.append(line) } }
        session.enqueue(.failure(.connectionLost))
        session.enqueue(.text("there"))
        _ = await run(try service([retry, Signing()], console), completes: false)
        let text = lines.withLock { $0 }.joined(separator: "\n")
        #expect(
            text.contains("200, from attempt, 2 attempts in ") && text.contains("X-Signed: yes") && text.contains("attempt 2 GET")
        )
        #expect(!text.contains("hunter2"))
    }

    @Test func `a failed credential refresh is logged with its status`() async throws {
        let refused = NetworkResponse(
            statusCode: 400, headers: ["Content-Type": "application/json"],
            body: .data(Data(#"{"error": "invalid_grant", "refresh_token": "hunter2"}"#.utf8)),
            url: try #require(URL(string: "https://login.test/token?code=hunter2")))
        let cause = NetworkError.status(refused)
        let error = TransportError(.authenticationFailed, "the credentials cannot be refreshed", underlying: cause)
        _ = await run(try service([Responding(error: error)]), completes: false)
        let text = try #require(logger.networkErrors.first.map { "\($0)" })
        #expect(text.contains("https://login.test/token?…: status 400") && text.contains("invalid_grant"), "\(text)")
        #expect(text.contains("GET https://api.test/a") && !text.contains("hunter2"), "\(text)")
    }

    /// A logger that is interested in failures only.
    private final class FailureLogger: NetworkErrorLogger {
        let logger: InMemoryLogger
        var logsOnlyFailures: Bool { true }

        init(_ logger: InMemoryLogger) {
            self.logger = logger
        }

        func log(request: LoggedRequest) { logger.log(request: request) }
        func log(response: LoggedResponse, for request: LoggedRequest?) { logger.log(response: response, for: request) }
        func log(error: any Error, for request: LoggedRequest?) { logger.log(error: error, for: request) }
        func log(outcome: LoggedOutcome, for request: LoggedRequest?) { logger.log(outcome: outcome, for: request) }
    }

    @Test(arguments: [false, true])
    func `a logger of failures receives failed attempts and calls, and nothing else`(completes: Bool) async throws {
        session.enqueue(.failure(.connectionLost))
        session.enqueue(.text("ok"))
        session.enqueue(.status(404))
        let service = try service([retry, Signing()], FailureLogger(logger))
        let endpoint = Endpoint<Void>(path: "movie/{id}", pathParameters: ["id": 7])
        #expect(await run(service, completes: completes, endpoint).isSuccess)
        #expect(kinds == ["error 1"])
        #expect(!(await run(service, completes: completes, endpoint).isSuccess))
        #expect(kinds == ["error 1", "error 1", "outcome 404 1 attempt false"])
        let failed = logger.events.compactMap { if case .networkError(_, let request) = $0 { request } else { nil } }
        #expect(failed.map(\.endpointName) == ["movie/{id}", "movie/{id}"])
        #expect(failed.allSatisfy { $0.header("X-Signed") == "yes" && $0.header("Authorization") != "Bearer hunter2" })
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
