import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// The features of SONetworking, used as in its README: layers behind protocols, completions, injected test doubles.
@Suite("SONetworking", .timeLimit(.minutes(10))) struct SONetworkingTests {
    let users = Endpoint<[User]>(path: "users")
    let session = StubSessionManager()

    // MARK: Requests

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

    struct MoviesRequest: Encodable {
        var query: String
        var page: Int
    }

    @Test(.tags(.parameters, .bodies, .loggers))
    func `an endpoint's query and body can be dictionaries or Encodables, and its request can be printed for cURL`() throws {
        let movies = MoviesRequest(query: "big cat", page: 2)
        for query: ParameterList in [["query": "big cat", "page": 2], ParameterList(movies)] {
            #expect(try Endpoint<Void>(path: "a", queryParameters: query).built().url.query == "query=big%20cat&page=2")
        }
        for body: EndpointBody in [.json(["query": "big cat", "page": 2]), .json(movies)] {
            #expect(try Endpoint<Void>(path: "a", method: .post, body: body).built().text == #"{"page":2,"query":"big cat"}"#)
        }
        let form = try Endpoint<Void>(path: "a", method: .post, body: .form(["name": "Zoë", "page": 2])).built()
        #expect(form.text == "name=Zo%C3%AB&page=2" && form.headers["Content-Type"] == "application/x-www-form-urlencoded")
        let request = try Endpoint<Void>(path: "a", method: .put, body: .json(["a": 1])).built()
        let command = CurlCommand(request.logged).text
        #expect(command == #"curl -X PUT -H 'Content-Type: application/json' --data-raw '{"a":1}' https://api.test/v1/a"#)
    }

    // MARK: Layers

    @Test(.tags(.layers, .completions, .emptyResponses))
    func `each layer calls a completion, on the injected queue, and returns a handle that cancels`() async throws {
        session.route(.json("[ ]"), for: "/v1/users")
        let manager: any NetworkSessionManager = session
        let request = try users.built()
        let sent: Result<NetworkResponse, TransportError> = await outcome { manager.response(for: request, completion: $0) }
        #expect(try sent.get().data == Data("[ ]".utf8))
        let network: any NetworkService = DefaultNetworkService(configuration: APIConfiguration.test(), sessionManager: session)
        let received: Result<NetworkResponse, NetworkError> = await outcome { network.response(for: users, completion: $0) }
        #expect(try received.get().data == Data("[ ]".utf8))
        let service = DefaultDataTransferService.make(session)
        let queue = CountingQueue()
        let value: Result<[User], DataTransferError> = await outcome { service.request(users, on: queue, completion: $0) }
        #expect(try value.get() == [] && queue.count == 1)
        #expect(try await service.request(Endpoint<Data>(path: "users", responseDecoder: .rawData)) == Data("[ ]".utf8))
        try await service.request(Endpoint<Void>(path: "users", method: .delete))

        session.enqueue(.silence, for: "/v1/slow")
        let cancelled: Result<Void, DataTransferError> = await outcome {
            service.request(Endpoint<Void>(path: "slow"), completion: $0).cancel()
        }
        let error = #expect(throws: DataTransferError.self) { try cancelled.get() }
        #expect(error?.isCancelled == true)
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

    struct StoredUsers: ResponseRequestable, MockEndpoint {
        typealias Response = [User]
        let mockFileName = "users"
        var request: RequestDescription { .get("users") }
    }

    @Test(.tags(.layers, .decoders, .mocks)) func `each layer and the decoder can be replaced by a short test double`()
        async throws
    {
        #expect(try await DefaultDataTransferService.make(FixedSession()).request(users) == [])
        #expect(try await DefaultDataTransferService(networkService: FixedNetworkService()).request(users) == [])
        session.enqueue(.text("anything"))
        let endpoint = Endpoint<[User]>(path: "users", responseDecoder: EmptyLists())
        #expect(try await DefaultDataTransferService.make(session).request(endpoint) == [])
        let service: any DataTransferService = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        #expect(try await service.request(StoredUsers()).count == 2)
    }

    // MARK: Errors

    @Test(.tags(.statusErrors))
    func `NetworkError distinguishes a status with data, no connection, cancellation, a bad request and other errors`()
        async throws
    {
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
        #expect(await error(.status(404), users)?.statusCode == .notFound)
        guard case .notConnected = await error(.failure(.nameLookupFailed), users) else { throw UnexpectedKind() }
        guard case .cancelled = await error(.failure(.cancelled), users) else { throw UnexpectedKind() }
        guard case .transport = await error(.failure(.malformedResponse), users) else { throw UnexpectedKind() }
        guard case .requestGeneration(let cause) = await error(nil, Endpoint<Void>(path: "a\nb")) else { throw UnexpectedKind() }
        #expect(cause.field == .path)
    }

    struct UnexpectedKind: Error {}

    enum AppError: Error, Equatable { case offline }

    struct AppResolver: DataTransferErrorResolver {
        func resolve(error: NetworkError) -> any Error & Sendable {
            if case .notConnected = error { AppError.offline } else { error }
        }
    }

    final class SwitchedLogger: NetworkErrorLogger {
        let received = Locked(0)
        let enabled: Bool
        init(enabled: Bool) { self.enabled = enabled }
        var isEnabled: Bool { enabled }
        func log(request: LoggedRequest) { received.withLock { $0 += 1 } }
        func log(error: any Error, for request: LoggedRequest?) { received.withLock { $0 += 1 } }
    }

    @Test(.tags(.customErrors, .loggers))
    func `a resolver replaces errors, and loggers receive requests, responses and errors unless they are disabled`() async throws
    {
        let (network, transfer) = (InMemoryLogger(), InMemoryLogger())
        let service = DefaultDataTransferService.make(
            session, networkLogger: network, resolver: AppResolver(), errorLogger: transfer)
        session.enqueue(.json("[]"))
        session.enqueue(.failure(.cannotConnect))
        session.enqueue(.json("{}"))
        #expect(try await service.request(users) == [])
        #expect(await failure(of: service, users)?.resolved(as: AppError.self) == .offline)
        #expect(await failure(of: service, users) != nil)
        #expect(network.requests.map(\.url.absoluteString) == Array(repeating: "https://api.test/v1/users", count: 3))
        #expect(network.responses.map(\.body) == [Data("[]".utf8), Data("{}".utf8)] && network.networkErrors.count == 1)
        #expect(transfer.dataTransferErrors.count == 2, "each failure is logged once")
        for (enabled, received) in [(true, 2), (false, 0)] {
            session.enqueue(.status(500))
            let logger = SwitchedLogger(enabled: enabled)
            _ = await failure(of: DefaultDataTransferService.make(session, networkLogger: logger), users)
            #expect(logger.received.withLock { $0 } == received)
        }
    }
}

extension Bundle {
    var fixtures: URL { bundleURL.appendingPathComponent("Fixtures") }
}
