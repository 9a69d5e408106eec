import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkTesting
import Testing
import TestSupport

/// The values that all endpoints share are declared in a protocol extension, as in NetworkStack.
protocol HostedEndpoint: API {}

extension HostedEndpoint {
    var host: String { "jsonplaceholder.test" }
    var headers: HeaderFields { ["Accept-Language": "en"] }
}

enum UserEndpoint: HostedEndpoint, MockedAPI {
    case all
    case get(userID: Int)
    case rename(userID: Int, to: String)

    var endpoint: String {
        switch self {
        case .all: "/users"
        case .get(let userID), .rename(let userID, _): "/users/\(userID)"
        }
    }

    var method: RequestMethod {
        if case .rename = self { .patch } else { .get }
    }

    var parameters: RequestParameters {
        switch self {
        case .all: .none
        case .get(let userID): .query(["userId": userID])
        case .rename(_, let name): .json(["username": name])
        }
    }

    var mockFileName: String {
        if case .all = self { "users" } else { "user" }
    }
}

struct OtherEndpoint: HostedEndpoint {
    var host: String { "other.test" }
    var endpoint: String { "/ping" }
}

/// The features of NetworkStack, used as in its README: an enum per resource, one call with a Result, mocks with the same call.
@Suite("NetworkStack") struct NetworkStackTests {
    // MARK: Web service

    @Test(.tags(.completions)) func `a request for an enum case completes with a Result of the given type`() async throws {
        let session = StubSessionManager()
        session.enqueue(try .json(encoding: [User.make()]), for: "/users")
        let service = DefaultDataTransferService.make(session)
        let result: Result<[User], DataTransferError> = await outcome { done in
            service.request(UserEndpoint.all.as([User].self)) { done($0) }
        }
        #expect(try result.get() == [.make()])
    }

    @Test func `a request that cannot be built is distinguished from one that failed`() async throws {
        let service = DefaultDataTransferService.make(StubSessionManager())
        let error = await failure(of: service, Endpoint<Data>(path: "no scheme", isFullPath: true, responseDecoder: .rawData))
        guard case .networkFailure(.requestGeneration(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.field == .path)
    }

    @Test func `missing data is distinguished from data that cannot be parsed, with the parser's error`() async throws {
        let session = StubSessionManager()
        let service = DefaultDataTransferService.make(session)
        session.enqueue(.status(200))
        guard case .noResponse = await failure(of: service, UserEndpoint.all.as([User].self)) else {
            Issue.record("missing data was not reported")
            return
        }
        session.enqueue(.json(#"[{"id": 1}]"#))
        guard case .parsing(let failure) = await failure(of: service, UserEndpoint.all.as([User].self)) else {
            Issue.record("data that cannot be parsed was not reported")
            return
        }
        #expect(failure.underlying is DecodingError)
        #expect(failure.codingPath == "[0]")
    }

    @Test func `the error of a failed transfer contains the underlying error`() async throws {
        struct Below: Error, Equatable {}
        let session = StubSessionManager()
        session.enqueue(.failure(TransportError(.connectionLost, "cut", underlying: Below())))
        let error = await failure(of: DefaultDataTransferService.make(session), UserEndpoint.all.as([User].self))
        #expect(error?.networkError?.transportError?.underlying as? Below == Below())
    }

    @Test(.tags(.decoders)) func `session, decoder and activity indicator can be injected`() async throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Named: Decodable, Equatable { var firstName: String }
        let session = StubSessionManager()
        session.enqueue(.json(#"{"first_name": "Ada"}"#))
        let edges = Locked<[Bool]>([])
        let activity = NetworkActivity { isActive in edges.withLock { $0.append(isActive) } }
        let service = DefaultDataTransferService.make(session, interceptors: [activity])
        let endpoint = UserEndpoint.get(userID: 1).as(Named.self, decoder: .json(decoder))
        #expect(try await service.request(endpoint) == Named(firstName: "Ada"))
        #expect(edges.withLock { $0 } == [true, false])
    }

    // MARK: Endpoints

    @Test(
        .tags(.endpointEnums),
        arguments: [
            (.all, "GET https://jsonplaceholder.test/users"),
            (.get(userID: 10), "GET https://jsonplaceholder.test/users/10?userId=10"),
            (.rename(userID: 10, to: "ada"), "PATCH https://jsonplaceholder.test/users/10"),
        ] as [(UserEndpoint, String)])
    func `an endpoint declares scheme, host, method, headers and query items`(endpoint: UserEndpoint, line: String) throws {
        let request = try endpoint.built()
        #expect("\(request.method) \(request.url.absoluteString)" == line)
        #expect(request.headers["Accept-Language"] == "en")
    }

    @Test(.tags(.composedAPIs)) func `values that all endpoints share can be declared in a protocol extension`() throws {
        #expect(try OtherEndpoint().built().headers["Accept-Language"] == "en")
        #expect(try OtherEndpoint().built().url.scheme == "https")
    }

    @Test(.tags(.severalHosts)) func `one service can send requests to two APIs with different hosts`() async throws {
        let session = StubSessionManager()
        session.route { request in
            switch request.url.host {
            case "jsonplaceholder.test": .json("[]")
            case "other.test": .json(#""pong""#)
            default: nil
            }
        }
        let service = DefaultDataTransferService(configuration: .composed, sessionManager: session)
        #expect(try await service.request(UserEndpoint.all.as([User].self)).isEmpty)
        #expect(try await service.request(OtherEndpoint().as(String.self)) == "pong")
    }

    // MARK: Activity

    @Test(.tags(.networkActivity)) func `for overlapping requests, the indicator is switched on once and off once`() async throws
    {
        let edges = Locked<[Bool]>([])
        let activity = NetworkActivity { isActive in edges.withLock { $0.append(isActive) } }
        let session = StubSessionManager()
        session.route { _ in .silence }
        let service = DefaultDataTransferService.make(session, interceptors: [activity])
        let waiting = (1...2).map { id in Task { await failure(of: service, UserEndpoint.get(userID: id).as(User.self)) } }
        while activity.count < 2 { await Task.yield() }
        waiting[0].cancel()
        _ = await waiting[0].value
        #expect(edges.withLock { $0 } == [true])
        waiting[1].cancel()
        _ = await waiting[1].value
        #expect(edges.withLock { $0 } == [true, false])
    }

    // MARK: Mocks

    @Test(.tags(.mocks)) func `a mock service responds to the same call with the file of the endpoint, by default a JSON file`()
        async throws
    {
        let service: any DataTransferService = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        let users = await outcome { done in service.request(UserEndpoint.all.as([User].self)) { done($0) } }
        #expect(try users.get().map(\.username) == ["ada", "grace"])
        let user = await outcome { done in service.request(UserEndpoint.get(userID: 10).as(User.self)) { done($0) } }
        #expect(try user.get().id == 10)
    }

    @Test(.tags(.mocks)) func `an endpoint that is not mocked is an explicit failure`() async {
        let service = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        let error = await failure(of: service, OtherEndpoint().as(User.self))
        let cause = error?.networkError?.transportError
        #expect(cause?.code == .notStubbed)
        guard case .endpointNotMocked(let endpoint) = cause?.underlying as? StubFixtureError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(endpoint.hasPrefix("GET "))
    }

    private struct Unwritten: HostedEndpoint, MockedAPI {
        let endpoint = "/unwritten"
        let mockFileName = "unwritten"
    }

    @Test(.tags(.mocks)) func `mock data that is missing is an explicit failure that names the file`() async {
        let service = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        let error = await failure(of: service, Unwritten().as(User.self))
        guard case .mockDataMissing("unwritten.json", _) = error?.networkError?.transportError?.underlying as? StubFixtureError
        else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
