import DataTransfer
import EndpointAPIs
import Foundation
import NetworkCore
import NetworkObservation
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// The values that all endpoints share are declared in a protocol extension, as in NetworkStack.
protocol HostedEndpoint: API {}

extension HostedEndpoint {
    var host: String { "jsonplaceholder.test" }
    var headers: HeaderFields { ["Accept-Language": "en"] }
}

enum UserEndpoint: HostedEndpoint, MockEndpoint {
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
@Suite("NetworkStack", .timeLimit(.minutes(10))) struct NetworkStackTests {
    private let session = StubSessionManager()
    private let users = UserEndpoint.all.as([User].self)

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

    @Test(.tags(.completions, .severalHosts)) func `one service completes requests to two hosts with Results of the given types`()
        async throws
    {
        session.route { $0.url.host == "other.test" ? .json(#""pong""#) : .json(#"[{"id": 1, "username": "ada"}]"#) }
        let service = DefaultDataTransferService(configuration: .composed, sessionManager: session)
        let all: Result<[User], DataTransferError> = await outcome { service.request(users, completion: $0) }
        #expect(try all.get() == [.make(email: nil)])
        let pong: Result<String, DataTransferError> = await outcome {
            service.request(OtherEndpoint().as(String.self), completion: $0)
        }
        #expect(try pong.get() == "pong")
    }

    @Test(.tags(.statusErrors, .mocks))
    func `an invalid request, missing data, a failed response, a parser's error and a missing mock are separate errors`()
        async throws
    {
        struct Below: Error {}
        let service = DefaultDataTransferService.make(session)
        session.enqueue(.status(200))
        session.enqueue(.status(500))
        session.enqueue(.json(#"[{"id": 1}]"#))
        let invalid = Endpoint<Data>(path: "no scheme", isFullPath: true, responseDecoder: .rawData)
        guard case .networkFailure(.requestGeneration) = await failure(of: service, invalid),
            case .noResponse = await failure(of: service, users),
            case .networkFailure(.status) = await failure(of: service, users),
            case .parsing(let parsing) = await failure(of: service, users)
        else {
            Issue.record("another error")
            return
        }
        #expect(parsing.underlying is DecodingError && parsing.codingPath == "[0]")
        session.enqueue(.failure(TransportError(.connectionLost, "cut", underlying: Below())))
        #expect(await failure(of: service, users)?.networkError?.transportError?.underlying is Below)
        let mocks = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        let cause = await failure(of: mocks, OtherEndpoint().as(User.self))?.networkError?.transportError
        #expect(cause?.code == .notStubbed && cause?.underlying is StubFixtureError)
    }

    @Test(.tags(.decoders, .networkActivity)) func `session, decoder and activity indicator can be injected`() async throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Named: Decodable, Equatable { var firstName: String }
        session.enqueue(.json(#"{"first_name": "Ada"}"#))
        let edges = Locked<[Bool]>([])
        let activity = NetworkActivity { isActive in edges.withLock { $0.append(isActive) } }
        let service = DefaultDataTransferService.make(session, interceptors: [activity])
        let endpoint = UserEndpoint.get(userID: 1).as(Named.self, decoder: .json(decoder))
        #expect(try await service.request(endpoint) == Named(firstName: "Ada"))
        #expect(edges.withLock { $0 } == [true, false])
    }

    @Test(.tags(.mocks)) func `a mock service responds to the same call with the file of the endpoint, by default a JSON file`()
        async throws
    {
        let service: any DataTransferService = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        let all: Result<[User], DataTransferError> = await outcome { service.request(users, completion: $0) }
        #expect(try all.get().map(\.username) == ["ada", "grace"])
        #expect(try await service.request(UserEndpoint.get(userID: 10).as(User.self)).id == 10)
    }

    @Test func `a service that is released during a request still completes the request`() async throws {
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { _ async in
            for await _ in released { break }
            return .json("[]")
        }
        let result = await outcome { done in
            DefaultDataTransferService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager()
            ).request(Endpoint<[User]>(path: "users")) { done($0) }
            release.yield()
        }
        #expect(try result.get() == [])
    }
}
