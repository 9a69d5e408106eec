import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// The features of SONetworking, used as in its README: layers behind protocols, completions, injected test doubles.
@Suite("SONetworking") struct SONetworkingTests {
    let users = Endpoint<[User]>(path: "users")

    // MARK: Configuration

    struct TokenConfiguration: NetworkConfigurable {
        let baseURL = URL(string: "https://api.test/v1/")!
        var headers: HeaderFields { ["X-Client": "parity"] }
        var queryParameters: ParameterList { ["lang": "en"] }
    }

    @Test(.tags(.sharedValues)) func `the configuration's base URL, headers and query are part of every request`() throws {
        let request = try users.networkRequest(with: TokenConfiguration())
        #expect(request.url.absoluteString == "https://api.test/v1/users?lang=en")
        #expect(request.headers["x-client"] == "parity")
    }

    // MARK: Layers

    @Test(.tags(.completions)) func `a session manager passes the response to its completion and returns a cancellable`()
        async throws
    {
        let server = try LoopbackServer { LoopbackRoute(.get, "/users") { _ in .json("[]") } }
        let session: any NetworkSessionManager = DefaultSessionManager()
        let result = await outcome { done in
            let cancellable: any NetworkCancellable = session.response(for: NetworkRequest(url: server.url("/users"))) {
                done($0)
            }
            _ = cancellable
        }
        #expect(try result.get().data == Data("[]".utf8))
    }

    @Test(.tags(.layers)) func `a network service returns the data for an endpoint, or a NetworkError`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("hello"), for: "/v1/users")
        let service: any NetworkService = DefaultNetworkService(configuration: APIConfiguration.test(), sessionManager: session)
        let good = await outcome { done in service.response(for: users) { done($0) } }
        #expect(try good.get().data == Data("hello".utf8))
        session.enqueue(.failure(.cannotConnect))
        let bad = await outcome { done in service.response(for: users) { done($0) } }
        #expect(throws: NetworkError.self) { try bad.get() }
    }

    @Test func `a request for a Decodable completes with the value`() async throws {
        let session = StubSessionManager()
        session.enqueue(try .json(encoding: [User.make()]))
        let result = await outcome { done in DefaultDataTransferService.make(session).request(users) { done($0) } }
        #expect(try result.get() == [.make()])
    }

    @Test(.tags(.emptyResponses)) func `a request for Void succeeds with any body`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("not JSON"))
        let endpoint = Endpoint<Void>(path: "users/1", method: .delete)
        let result = await outcome { done in DefaultDataTransferService.make(session).request(endpoint) { done($0) } }
        #expect(throws: Never.self) { try result.get() }
    }

    @Test(.tags(.completions)) func `the completion runs once, on the injected queue`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json("[]"))
        let queue = CountingQueue()
        _ = await outcome { done in DefaultDataTransferService.make(session).request(users, on: queue) { done($0) } }
        #expect(queue.count == 1)
    }

    @Test(.tags(.completions)) func `cancelling the returned cancellable completes the request with a cancellation error`()
        async throws
    {
        let session = StubSessionManager()
        session.enqueue(.silence)
        let result = await outcome { done in
            DefaultDataTransferService.make(session).request(users) { done($0) }.cancel()
        }
        let error = #expect(throws: DataTransferError.self) { try result.get() }
        #expect(error?.isCancelled == true)
    }

    // MARK: Decoders

    @Test(.tags(.decoders)) func `the JSON decoder is the default, and the raw data decoder returns the bytes`() async throws {
        let session = StubSessionManager()
        session.route(.json("[ ]"), for: "/v1/users")
        let service = DefaultDataTransferService.make(session)
        #expect(try await service.request(users) == [])
        #expect(try await service.request(Endpoint<Data>(path: "users", responseDecoder: .rawData)) == Data("[ ]".utf8))
    }

    @Test(.tags(.decoders)) func `the raw data decoder returns only Data, and another type is an error`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json("[]"))
        let endpoint = Endpoint<[User]>(path: "users", responseDecoder: .rawData)
        let error = await failure(of: DefaultDataTransferService.make(session), endpoint)
        guard case .parsing(let failure) = error, case .unsupportedType? = (failure.underlying as? ResponseDecodingError)?.kind
        else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: Errors

    enum AppError: Error, Equatable { case offline }

    struct AppResolver: DataTransferErrorResolver {
        func resolve(error: NetworkError) -> any Error & Sendable {
            if case .notConnected = error { AppError.offline } else { error }
        }
    }

    @Test(.tags(.customErrors)) func `the caller receives the error that the resolver returned`() async throws {
        let session = StubSessionManager()
        session.enqueue(.failure(.cannotConnect))
        let error = await failure(of: DefaultDataTransferService.make(session, resolver: AppResolver()), users)
        #expect(error?.resolved(as: AppError.self) == .offline)
    }

    @Test(.tags(.loggers)) func `the data transfer logger receives each failure once`() async throws {
        let session = StubSessionManager()
        let logger = InMemoryLogger()
        let service = DefaultDataTransferService.make(session, errorLogger: logger)
        session.enqueue(.json("{}"))
        _ = await failure(of: service, users)
        session.enqueue(.status(500))
        _ = await failure(of: service, users)
        session.enqueue(.json("[]"))
        _ = await failure(of: service, users)
        #expect(logger.dataTransferErrors.count == 2)
    }

    @Test(.tags(.loggers)) func `the network logger receives request, response with data, and error`() async throws {
        let session = StubSessionManager()
        let logger = InMemoryLogger()
        let service = DefaultDataTransferService.make(session, networkLogger: logger)
        session.enqueue(.json("[]"))
        _ = try await service.request(users)
        session.enqueue(.failure(.connectionLost))
        _ = await failure(of: service, users)
        #expect(logger.requests.map(\.url.absoluteString) == Array(repeating: "https://api.test/v1/users", count: 2))
        #expect(logger.responses.map(\.body) == [Data("[]".utf8)])
        #expect(logger.networkErrors.count == 1)
    }

    final class SwitchedLogger: NetworkErrorLogger {
        let received = Locked(0)
        let enabled: Bool
        init(enabled: Bool) { self.enabled = enabled }
        var isEnabled: Bool { enabled }
        func log(request: LoggedRequest) { received.withLock { $0 += 1 } }
        func log(error: any Error, for request: LoggedRequest?) { received.withLock { $0 += 1 } }
    }

    @Test(.tags(.loggers), arguments: [(true, 2), (false, 0)])
    func `a disabled network logger receives nothing`(enabled: Bool, received: Int) async throws {
        let session = StubSessionManager()
        session.enqueue(.status(500))
        let logger = SwitchedLogger(enabled: enabled)
        _ = await failure(of: DefaultDataTransferService.make(session, networkLogger: logger), users)
        #expect(logger.received.withLock { $0 } == received)
    }

    @Test func `NetworkError distinguishes a status with data, no connection, cancellation, a bad request and other errors`()
        async throws
    {
        let session = StubSessionManager()
        let service = DefaultNetworkService(configuration: APIConfiguration.test(), sessionManager: session)
        func error(_ response: StubResponse?, _ endpoint: any Requestable) async -> NetworkError? {
            if let response { session.enqueue(response) }
            do throws(NetworkError) {
                _ = try await service.response(for: endpoint)
                return nil
            } catch {
                return error
            }
        }
        let status = await error(.text("gone", status: 410), users)
        #expect(status?.statusCode == 410)
        #expect(status?.response?.data == Data("gone".utf8))
        guard case .notConnected = await error(.failure(.nameLookupFailed), users) else { throw UnexpectedKind() }
        guard case .cancelled = await error(.failure(.cancelled), users) else { throw UnexpectedKind() }
        guard case .transport = await error(.failure(.malformedResponse), users) else { throw UnexpectedKind() }
        guard case .requestGeneration(let cause) = await error(nil, Endpoint<Void>(path: "a\nb")) else { throw UnexpectedKind() }
        #expect(cause.field == .path)
    }

    struct UnexpectedKind: Error {}

    @Test func `isNotFoundError and hasStatusCode compare the status code`() async throws {
        let response = NetworkResponse(statusCode: 404, url: URL(string: "https://api.test")!)
        #expect(NetworkError.status(response).isNotFoundError)
        #expect(NetworkError.status(response).hasStatusCode(404))
        #expect(!NetworkError.status(response).hasStatusCode(500))
        #expect(!NetworkError.cancelled(TransportError(.cancelled, "")).isNotFoundError)
    }

    // MARK: Test doubles

    struct FixedSession: NetworkSessionManager {
        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            NetworkResponse(statusCode: 200, body: .data(Data("[]".utf8)), url: request.url)
        }
    }

    struct FixedNetworkService: NetworkService {
        func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
            NetworkResponse(statusCode: 200, body: .data(Data("[]".utf8)), url: URL(string: "https://a.test")!)
        }
    }

    struct EmptyLists: ResponseDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
            try JSONDecoder().decode(type, from: Data("[]".utf8))
        }
    }

    @Test(.tags(.layers)) func `session manager, network service and decoder can each be replaced by a short test double`()
        async throws
    {
        #expect(try await DefaultDataTransferService.make(FixedSession()).request(users) == [])
        #expect(try await DefaultDataTransferService(networkService: FixedNetworkService()).request(users) == [])
        let session = StubSessionManager()
        session.enqueue(.text("anything"))
        let endpoint = Endpoint<[User]>(path: "users", responseDecoder: EmptyLists())
        #expect(try await DefaultDataTransferService.make(session).request(endpoint) == [])
    }

    @Test(.tags(.layers)) func `the data transfer service can be replaced by a test double`() async throws {
        let service: any DataTransferService = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        #expect(try await service.request(StoredUsers()).count == 2)
    }

    struct StoredUsers: ResponseRequestable, MockEndpoint {
        typealias Response = [User]
        let mockFileName = "users"
        var request: RequestDescription { .get("users") }
    }
}

extension Bundle {
    var fixtures: URL { bundleURL.appendingPathComponent("Fixtures") }
}
