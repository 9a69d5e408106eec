import DataTransfer
import EndpointAPIs
import Foundation
import NetworkCache
import NetworkTesting
import Testing
import TransferTestSupport

/// The features of EXNetworkLayer, used as in its README: an API composed of small protocols, with pins; several concurrent calls;
/// a cache with the caller's keys; mocks.
@Suite("EXNetworkLayer", .timeLimit(.minutes(10))) struct EXNetworkLayerTests {
    enum PlaceholderAPI: API, TrustingAPI, MockEndpoint {
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
        var trust: TrustPolicy {
            TrustPolicy(
                pins: [
                    .publicKey(sha256: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="), .publicKey(sha256: Data(count: 32)),
                    .certificate(.file(bundle: .module, name: "ca")),
                ])
        }
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

    @Test(.tags(.composedAPIs, .pins)) func `an API declares its cache policy, timeout, logging and several pins`() async throws {
        #expect(try PlaceholderAPI.comments(postID: 1).built().headers["Cache-Control"] == "no-cache")
        #expect(try PlaceholderAPI.users.built().timeouts.total == .seconds(20))
        #expect(try !PlaceholderAPI.addUser(name: "ada").built().context.isLogged)
        let configuration = try SessionConfiguration(trusting: PlaceholderAPI.users)
        #expect(configuration.trustByHost["placeholder.test"]?.pins?.count == 3)
        // A session without these pins sends nothing.
        let error = await failure(of: DefaultDataTransferService(configuration: .composed), PlaceholderAPI.users.as([User].self))
        #expect(error?.networkError?.transportError?.code == .trustUnavailable)
    }

    @Test(.tags(.asyncCalls, .concurrentRequests))
    func `a call returns a value, raw data, a file, or several values in order, and fails with the first error`() async throws {
        for id in 1...3 { session.route(.json(#"{"id": \#(id), "username": "u\#(id)"}"#), for: "/users/\(id)") }
        session.route(.status(404), for: "/users/4")
        session.route(.data(Data([0, 255]), contentType: "application/json"), for: "/users")
        let service = self.service
        let called: Result<User, DataTransferError> = await outcome {
            service.request(PlaceholderAPI.user(id: 2).as(User.self), completion: $0)
        }
        #expect(try called.get().username == "u2")
        #expect(try await service.request(PlaceholderAPI.users.as(Data.self, decoder: .rawData)) == Data([0, 255]))
        let folder = try TemporaryFolder()
        #expect(try await service.download(PlaceholderAPI.users, to: .file(folder.file("users"))).byteCount == 2)
        let users = [3, 1, 2, 4].map { PlaceholderAPI.user(id: $0).as(User.self) }
        #expect(try await service.concurrently(Array(users.prefix(3))).map(\.id) == [3, 1, 2])
        let failed: Result<[User], any Error> = await outcome {
            TaskCancellable({ try await service.concurrently(users) }, completion: $0)
        }
        let error = #expect(throws: DataTransferError.self) { try failed.get() }
        #expect(error?.statusCode == 404)
    }

    @Test(.tags(.mocks)) func `a mock is data or a JSON file of any bundle, and the call is the same as for a server`()
        async throws
    {
        let fixtures = StubFixtures(bundle: .module, folder: "Fixtures")
        let services: [any DataTransferService] = [
            StubDataTransferService(fixtures: fixtures),
            DefaultDataTransferService.make(StubSessionManager(returning: try .file("users", in: fixtures))),
            DefaultDataTransferService.make(StubSessionManager(returning: .json(#"[{"id": 1, "username": "ada"}]"#))),
        ]
        for service in services {
            #expect(try await service.request(PlaceholderAPI.users.as([User].self)).first?.username == "ada")
        }
    }

    @Test(.tags(.caches), arguments: [false, true])
    func `values are cached under the caller's key, for a time and a user, and can be removed`(isOnDisk: Bool) async throws {
        let folder = try TemporaryFolder()
        let cache = try isOnDisk ? ValueCache(directory: folder.url.appendingPathComponent("cache")) : ValueCache()
        session.enqueue(.json(#"[{"id": 1, "username": "ada"}]"#))
        let (service, key) = (self.service, "../users")
        for _ in 0..<3 {
            let users = try await cache.value(for: key, lifetime: .seconds(3600)) {
                try await service.request(PlaceholderAPI.users.as([User].self))
            }
            #expect(users.map(\.username) == ["ada"])
        }
        #expect(session.requests.count == 1)
        #expect(await cache.partition("grace").value(for: key, as: [User].self) == nil)
        try await cache.remove(key)
        #expect(await cache.value(for: key, as: [User].self) == nil)
        try await cache.set(1, for: key, lifetime: .zero)
        #expect(await cache.value(for: key, as: Int.self) == nil)
    }

    @Test(.tags(.caches)) func `the size of a cache in memory is limited`() async throws {
        let cache = ValueCache(limits: ValueCache.Limits(maximumBytes: 20_000))
        let value = String(repeating: "v", count: 4_000)
        for number in 0..<20 { try await cache.set(value, for: "\(number)", lifetime: .seconds(3600)) }
        var kept = 0
        for number in 0..<20 where await cache.value(for: "\(number)", as: String.self) != nil { kept += 1 }
        #expect((1...5).contains(kept))
    }
}
