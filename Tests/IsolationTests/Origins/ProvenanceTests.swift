import DataTransfer
import Foundation
import NetworkCache
import NetworkPipeline
import NetworkRecordings
import NetworkSupport
import NetworkTesting
import Testing

/// Data for one origin is not used for another, regardless of its name.
@Suite(.timeLimit(.minutes(10))) struct ProvenanceTests {
    struct Member: NetworkInterceptor {
        @TaskLocal static var name = "A"

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var request = request
            request.headers["X-Member"] = Self.name
            return try await next(request)
        }
    }

    private let get = Endpoint<String>(path: "item", responseDecoder: .text)

    @Test func `header fields of any name are not sent to another origin in a redirect`() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        let target = other.url("/landing").absoluteString
        let server = try LoopbackServer { _ in .status(302, headers: ["Location": target]) }
        let api = try APIConfiguration(
            server.url.absoluteString, headers: ["X-Licence": "l", "Accept-Language": "en"], queryParameters: ["k": "v"])
        let service = DefaultDataTransferService(
            configuration: api, sessionManager: DefaultSessionManager.make(),
            interceptors: [
                .headers(for: api) { _ in ["X-Tenant": "t"] }, .authentication(.header("m", for: "X-Member"), for: api),
            ])
        var endpoint = get
        endpoint.headerParameters = ["X-Own": "o", "Range": "bytes=0-"]
        #expect(try await service.request(endpoint) == "other")
        let first = try #require(server.requests.first).headers
        for name in ["X-Licence", "X-Tenant", "X-Member", "X-Own"] { #expect(first.contains(name), "\(name)") }
        let away = try #require(other.requests.first)
        for name in ["X-Licence", "X-Tenant", "X-Member", "X-Own"] { #expect(!away.headers.contains(name), "\(name)") }
        #expect(away.headers["Accept-Language"] == "en" && away.headers["Range"] == "bytes=0-")
    }

    @Test func `a credential in a common header field is not sent to another origin in a redirect`() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        let target = other.url("/landing").absoluteString
        let server = try LoopbackServer { _ in .status(302, headers: ["Location": target]) }
        let api = try APIConfiguration(server.url.absoluteString)
        let service = DefaultDataTransferService(
            configuration: api, sessionManager: DefaultSessionManager.make(),
            interceptors: [.authentication(.header("member 7", for: "User-Agent"), for: api)])
        #expect(try await service.request(get) == "other")
        #expect(server.requests.first?.headers["User-Agent"] == "member 7")
        #expect(other.requests.first?.headers["User-Agent"] != "member 7")
    }

    @Test func `a request that an interceptor sends to another origin has no credential`() async throws {
        struct Elsewhere: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                var request = request
                request.url = URL(string: "https://mirror.test/item") ?? request.url
                return try await next(request)
            }
        }
        let session = StubSessionManager(returning: .text("ok"))
        let api = try APIConfiguration("https://api.test")
        let service = DefaultDataTransferService(
            configuration: api, sessionManager: session,
            interceptors: [.authentication(.header("m", for: "X-Member"), for: api), Elsewhere()])
        _ = try await service.request(get)
        #expect(session.requests.map { $0.headers["X-Member"] } == [nil])
    }

    @Test(arguments: [true, false])
    func `a cached response is returned only for the credential of its request`(isBehind: Bool) async throws {
        let session = StubSessionManager()
        session.route { .text($0.headers["X-Member"] ?? "nobody", headers: ["Cache-Control": "max-age=60"]) }
        let cache = CacheInterceptor(store: MemoryCacheStore())
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: isBehind ? [cache, Member()] : [Member(), cache])
        for name in ["A", "B", "A"] {
            let value = try await Member.$name.withValue(name) { try await service.request(get) }
            #expect(value == name)
        }
    }

    @Test func `a cached response is returned only for the stored cookies of its request`() async throws {
        let user = Locked("A")
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/login") { _ in .text("in").header("member=\(user.withLock { $0 })", for: "Set-Cookie") }
            LoopbackRoute(.get, "/item") { request in
                .text(request.headers["Cookie"] ?? "nobody").header("max-age=60", for: "Cache-Control")
            }
        }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration(server.url.absoluteString),
            sessionManager: DefaultSessionManager.make { $0.cookies = .separate },
            interceptors: [CacheInterceptor(store: MemoryCacheStore())])
        for name in ["A", "B"] {
            user.withLock { $0 = name }
            _ = try await service.request(Endpoint<String>(path: "login", responseDecoder: .text))
            #expect(try await service.request(get) == "member=\(name)")
        }
    }

    @Test(arguments: [false, true])
    func `a response to a request with cookies of an earlier attempt is not stored as one without`(isRecorded: Bool) async throws
    {
        let server = try LoopbackServer { request in
            guard let cookie = request.headers["Cookie"] else {
                return .text("again", status: 503).header("member=A", for: "Set-Cookie")
            }
            return .text(cookie).header("max-age=60", for: "Cache-Control")
        }
        let cookies = CookieStore()
        let session = DefaultSessionManager.make { $0.cookies = .stored(in: cookies) }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration(server.url.absoluteString),
            sessionManager: isRecorded ? RecordingSessionManager(session) : session,
            interceptors: [
                .retry(RetryOptions(maximumAttempts: 2, backoff: Backoff(base: .microseconds(1)))),
                CacheInterceptor(store: MemoryCacheStore()),
            ])
        #expect(try await service.request(get) == "member=A")
        cookies.removeAll()
        #expect(try await service.request(get) == "member=A")
        // 503 and 200, twice: nothing came from the cache.
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "member=A", nil, "member=A"])
    }

    @Test(arguments: [false, true])
    func `a session manager that records another one does not hide its cookies from the cache`(isReplaying: Bool) async throws {
        let server = try LoopbackServer { .text($0.headers["Cookie"] ?? "nobody").header("max-age=60", for: "Cache-Control") }
        let cookies = CookieStore()
        let session = DefaultSessionManager.make { $0.cookies = .stored(in: cookies) }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration(server.url.absoluteString),
            sessionManager: isReplaying
                ? ReplaySessionManager(HTTPArchive(), fallback: session) : RecordingSessionManager(session),
            interceptors: [CacheInterceptor(store: MemoryCacheStore())])
        #expect(try await service.request(get) == "nobody")
        try cookies.set(StoredCookie(name: "member", value: "A", domain: "127.0.0.1", isSecure: false))
        #expect(try await service.request(get) == "member=A")
    }

    @Test func `requests with different credentials do not share an exchange`() async throws {
        let session = StubSessionManager()
        session.route { .text($0.headers["traceparent"] ?? "nobody") }
        let coalescing = CoalescingInterceptor()
        // Requests that differ only in this field share an exchange, unless the field is a credential.
        let api = try APIConfiguration("https://api.test")
        let values = try await withThrowingTaskGroup(of: String.self) { [get] group in
            for name in ["A", "B"] {
                let service = DefaultDataTransferService(
                    configuration: api, sessionManager: session,
                    interceptors: [.authentication(.header(name, for: "traceparent"), for: api), coalescing])
                group.addTask { try await service.request(get) }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(values == ["A", "B"])
    }

    // MARK: Responses of another origin

    /// Makes responses appear to come from another origin, as after a redirect.
    private struct Redirected: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var response = try await next(request)
            if let url = URL(string: "https://other.test/landing"),
                response.statusCode != 200 || response.headers.contains("RateLimit")
            {
                response.url = url
            }
            return response
        }
    }

    @Test func `a rate limit of another origin does not limit the configured origin`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("a", headers: ["RateLimit": #""x";r=0;t=86400"#]))
        session.enqueue(.text("b"))
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [RateLimiter(nil), Redirected()])
        #expect(try await service.request(get) == "a")
        #expect(try await service.request(get) == "b")
        // It limits the other origin.
        let there = Endpoint<String>(path: "https://other.test/x", isFullPath: true, responseDecoder: .text)
        await #expect(throws: DataTransferError.self) { try await service.request(there) }
    }

    @Test func `a 401 of another origin does not refresh credentials`() async throws {
        let session = StubSessionManager(returning: .status(401))
        let api = try APIConfiguration("https://api.test")
        let credentials = RefreshingCredentials(initial: .bearer("first-token")) { _ in .bearer("second-token") }
        let service = DefaultDataTransferService(
            configuration: api, sessionManager: session, interceptors: [.authentication(credentials, for: api), Redirected()])
        await #expect(throws: DataTransferError.self) { try await service.request(get) }
        #expect(credentials.refreshCount == 0 && session.requests.count == 1)
    }

    @Test func `a retry does not wait for the Retry-After of another origin`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(503, headers: ["Retry-After": "50"]))
        session.enqueue(.text("ok"))
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [
                .retry(RetryOptions(backoff: Backoff(base: .milliseconds(1)), maximumRetryAfter: .seconds(10))), Redirected(),
            ])
        #expect(try await service.request(get) == "ok")
    }

    @Test func `failures of another origin do not open the circuit of the configured origin`() async throws {
        let session = StubSessionManager()
        session.route { $0.url.path == "/item" ? .status(503) : .text("ok") }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [CircuitBreaker(), Redirected()])
        for _ in 0..<100 { _ = try? await service.request(get) }
        #expect(try await service.request(Endpoint<String>(path: "x", responseDecoder: .text)) == "ok")
    }

    // MARK: Public endpoints

    @Test func `an endpoint that needs no credentials is requested without them`() async throws {
        let session = StubSessionManager()
        session.route { .text($0.headers["Authorization"] ?? "none") }
        let api = try APIConfiguration("https://api.test")
        let credentials = RefreshingCredentials { _ in throw CancellationError() }
        let service = DefaultDataTransferService(
            configuration: api, sessionManager: session, interceptors: [.authentication(credentials, for: api)])
        var login = Endpoint<String>(path: "login", method: .post, responseDecoder: .text)
        login.requiresAuthentication = false
        #expect(try await service.request(login) == "none")
        #expect(credentials.refreshCount == 0)
    }
}
