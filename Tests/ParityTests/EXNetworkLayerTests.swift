import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// The features of EXNetworkLayer, used as in its README: an API composed of small protocols, raw data, several concurrent calls.
@Suite("EXNetworkLayer", .timeLimit(.minutes(10))) struct EXNetworkLayerTests {
    enum PlaceholderAPI: API, TrustingAPI, MockedAPI {
        case users
        case user(id: Int)
        case comments(postID: Int)
        case addUser(name: String)
        case avatar(Data)

        var host: String { "placeholder.test" }
        var port: Int? { if case .avatar = self { 8443 } else { nil } }
        var endpoint: String {
            switch self {
            case .users, .addUser: "/users"
            case .user(let id): "/users/\(id)"
            case .comments: "comments"
            case .avatar: "/avatar"
            }
        }
        var method: RequestMethod {
            switch self {
            case .users, .user, .comments: .get
            case .addUser, .avatar: .post
            }
        }
        var headers: HeaderFields { ["Accept": "application/json"] }
        var parameters: RequestParameters {
            switch self {
            case .users, .user: .none
            case .comments(let postID): .query(["postID": postID])
            case .addUser(let name): .json(["name": name])
            case .avatar(let data): .body(.data(data))
            }
        }
        var shouldLog: Bool { if case .addUser = self { false } else { true } }
        var cachePolicy: RequestCachePolicy { if case .comments = self { .revalidate } else { .protocolRules } }
        var timeout: Duration? { .seconds(20) }
        var trust: TrustPolicy { TrustPolicy(minimumTLSVersion: .v1_3) }
        var mockFileName: String { if case .users = self { "users" } else { "user" } }
    }

    let session = StubSessionManager()
    var service: DefaultDataTransferService { .make(session) }

    @Test(
        .tags(.composedAPIs),
        arguments: [
            (.users, "GET https://placeholder.test/users", ""), (.user(id: 7), "GET https://placeholder.test/users/7", ""),
            (.comments(postID: 1), "GET https://placeholder.test/comments?postID=1", ""),
            (.addUser(name: "ada"), "POST https://placeholder.test/users", #"{"name":"ada"}"#),
            (.avatar(Data("png".utf8)), "POST https://placeholder.test:8443/avatar", "png"),
        ] as [(PlaceholderAPI, String, String)])
    func `each kind of parameters is sent in the matching part of the request`(api: PlaceholderAPI, line: String, body: String)
        throws
    {
        let request = try api.built()
        #expect("\(request.method) \(request.url.absoluteString)" == line)
        #expect(request.text == body && request.headers["Accept"] == "application/json")
    }

    @Test(.tags(.composedAPIs)) func `an API declares its cache policy, timeout and logging`() async throws {
        #expect(try PlaceholderAPI.comments(postID: 1).built().headers["Cache-Control"] == "no-cache")
        #expect(try PlaceholderAPI.users.built().timeouts.total == .seconds(20))
        let logger = InMemoryLogger()
        let service = DefaultDataTransferService.make(session, networkLogger: logger)
        session.route { _ in .json("[]") }
        _ = try await service.request(PlaceholderAPI.addUser(name: "ada").as([User].self))
        #expect(logger.events.isEmpty)
        _ = try await service.request(PlaceholderAPI.users.as([User].self))
        #expect(!logger.events.isEmpty)
    }

    @Test func `an API declares its trust policy, which the session uses and other sessions cannot bypass`() async throws {
        let configuration = try SessionConfiguration(trusting: PlaceholderAPI.users)
        #expect(configuration.trustByHost == ["placeholder.test": TrustPolicy(minimumTLSVersion: .v1_3)])
        let error = await failure(of: DefaultDataTransferService(configuration: .composed), PlaceholderAPI.users.as([User].self))
        #expect(error?.networkError?.transportError?.code == .trustUnavailable)
    }

    @Test(.tags(.mocks)) func `a mock is a file, and the call is the same as for a server`() async throws {
        let service = StubDataTransferService(fixtures: StubFixtures(folder: Bundle.module.fixtures))
        #expect(try await service.request(PlaceholderAPI.users.as([User].self)).map(\.username) == ["ada", "grace"])
    }

    @Test(.tags(.asyncCalls)) func `a call returns its value to a completion and to an async caller`() async throws {
        session.route(.json(#"{"id": 1, "username": "ada"}"#), for: "/users/1")
        let endpoint = PlaceholderAPI.user(id: 1).as(User.self)
        let called: Result<User, DataTransferError> = await outcome { service.request(endpoint, completion: $0) }
        #expect(try called.get() == .make(email: nil))
        #expect(try await service.request(endpoint) == .make(email: nil))
    }

    @Test(.tags(.decoders)) func `raw data is returned unchanged`() async throws {
        session.route(.data(Data([0, 255]), contentType: "application/json"), for: "/users")
        #expect(try await service.request(PlaceholderAPI.users.as(Data.self, decoder: .rawData)) == Data([0, 255]))
    }

    @Test(.tags(.downloads)) func `a download is streamed to a file`() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.data(Data(repeating: 1, count: 500_000)).fault(.drip(bytes: 50_000, every: .milliseconds(1)))
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("parity-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        #expect(try await service.download(Endpoint<Void>(path: "avatar"), to: .file(file)).byteCount == 500_000)
        #expect(try Data(contentsOf: file) == Data(repeating: 1, count: 500_000))
    }

    @Test(.tags(.concurrentRequests)) func `several concurrent calls return their values in order`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/users/{id}") { request in
                let id = request.pathParameters["id"].flatMap(Int.init) ?? 0
                // The first response has the longest delay.
                return LoopbackResponse.json(#"{"id": \#(id), "username": "u\#(id)"}"#).delayed(by: .milliseconds(50 - id * 10))
            }
        }
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        let endpoints = (1...4).map { Endpoint<User>(path: "users/\($0)") }
        #expect(try await service.concurrently(endpoints).map(\.id) == [1, 2, 3, 4])
        let called: Result<[User], DataTransferError> = await outcome { service.concurrently(endpoints, completion: $0) }
        #expect(try called.get().map(\.username) == ["u1", "u2", "u3", "u4"])
    }

    @Test(.tags(.mocks)) func `a stubbed service responds with data, or with a JSON file of a bundle`() async throws {
        let data = DefaultDataTransferService.make(StubSessionManager(returning: .json(#"{"id": 1, "username": "ada"}"#)))
        #expect(try await data.request(PlaceholderAPI.user(id: 1).as(User.self)) == .make(email: nil))
        let fixtures = StubFixtures(bundle: .module, folder: "Fixtures")
        let file = DefaultDataTransferService.make(StubSessionManager(returning: try .file("users", in: fixtures)))
        #expect(try await file.request(PlaceholderAPI.users.as([User].self)).map(\.username) == ["ada", "grace"])
        #expect(throws: StubFixtureError.self) { try StubResponse.file("unwritten", in: fixtures) }
    }

    @Test(.tags(.concurrentRequests)) func `the first concurrent call that fails cancels the others`() async throws {
        session.route(.status(500), for: "/v1/users/2")
        session.route { _ in .silence }
        let endpoints = (1...4).map { Endpoint<User>(path: "users/\($0)") }
        let error = await #expect(throws: DataTransferError.self) { try await service.concurrently(endpoints) }
        #expect(error?.statusCode == 500)
        #expect(session.waitingCount == 0)
    }
}
