import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct AuthenticationTests {
    private let session = StubSessionManager()
    private let api = try! APIConfiguration("https://api.test")
    private let get = Endpoint<String>(path: "a", responseDecoder: .text)

    private func service(_ interceptors: any NetworkInterceptor...) -> DefaultDataTransferService {
        DefaultDataTransferService(configuration: api, sessionManager: session, interceptors: interceptors)
    }

    /// Routes all requests to a stub that accepts only the token `good`.
    private func acceptOnly(_ good: @escaping @Sendable () -> String) {
        session.route { $0.headers["Authorization"] == "Bearer " + good() ? .text("ok") : .status(401) }
    }

    @Test func `static credentials are added to every request`() async throws {
        session.route { .text($0.headers["Authorization"] ?? "none") }
        #expect(try await service(.authentication(.bearer("t"), for: api)).request(get) == "Bearer t")
        // RFC 7617 §2
        let basic = Credential.basic(user: "Aladdin", password: "open sesame")
        #expect(try await service(.authentication(basic, for: api)).request(get) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func `the closure that provides credentials is called for each request`() async throws {
        session.route { .text($0.headers["Authorization"] ?? "none") }
        let count = Locked(0)
        let interceptor = CredentialInterceptor(origins: [api.baseURL]) { _ in
            count.withLock { $0 += 1 }
            return count.withLock { $0 } == 2 ? nil : .bearer("\(count.withLock { $0 })")
        }
        var texts: [String] = []
        for _ in 0..<3 { texts.append(try await service(interceptor).request(get)) }
        #expect(texts == ["Bearer 1", "none", "Bearer 3"])
    }

    @Test(arguments: [
        "https://other.test/a", "http://api.test/a", "https://api.test:8443/a", "https://api.test.evil/a",
        "https://sub.api.test/a",
    ])
    func `a cross-origin request carries no credentials, RFC 6454 §5`(url: String) async throws {
        session.route { .text($0.headers["Authorization"] ?? "none") }
        let endpoint = Endpoint<String>(path: url, isFullPath: true, responseDecoder: .text)
        #expect(try await service(.authentication(.bearer("t"), for: api)).request(endpoint) == "none")
    }

    @Test func `a URL with the default port or in upper case has the same origin`() async throws {
        session.route { .text($0.headers["Authorization"] ?? "none") }
        let endpoint = Endpoint<String>(path: "HTTPS://API.test:443/a", isFullPath: true, responseDecoder: .text)
        #expect(try await service(.authentication(.bearer("t"), for: api)).request(endpoint) == "Bearer t")
    }

    @Test func `an Authorization header set by the endpoint is kept`() async throws {
        session.route { .text($0.headers["Authorization"] ?? "none") }
        var endpoint = get
        endpoint.headerParameters["Authorization"] = "Own"
        #expect(try await service(.authentication(.bearer("t"), for: api)).request(endpoint) == "Own")
    }

    @Test func `a request rejected with 401 is retried once with refreshed credentials`() async throws {
        acceptOnly { "new" }
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in .bearer("new") }
        let service = service(.authentication(credentials, for: api))
        #expect(try await service.request(get) == "ok")
        #expect(try await service.request(get) == "ok")
        #expect(session.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new", "Bearer new"])
    }

    @Test func `a second 401 is returned without another refresh`() async throws {
        session.route { _ in .status(401) }
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in .bearer("new") }
        let error = await #expect(throws: DataTransferError.self) {
            try await service(.authentication(credentials, for: api)).request(get)
        }
        #expect(error?.statusCode == 401)
        #expect(session.requests.count == 2)
        #expect(credentials.refreshCount == 1)
    }

    @Test func `a request with a body that is not replayable is not retried after a 401`() async throws {
        session.route { _ in .status(401) }
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in .bearer("new") }
        let post = Endpoint<Void>(path: "a", method: .post, body: .stream(AsyncStream<Data> { $0.finish() }))
        let error = await #expect(throws: DataTransferError.self) {
            try await service(.authentication(credentials, for: api)).request(post)
        }
        #expect(error?.statusCode == 401)
        #expect(session.requests.count == 1)
    }

    @Test func `a thousand concurrent 401 responses cause one refresh`() async throws {
        let good = Locked("new")
        acceptOnly { good.withLock { $0 } }
        let started = Locked(0)
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in
            // Waits until all other requests have started during the refresh.
            while started.withLock({ $0 }) < 1000, !Task.isCancelled { await Task.yield() }
            return .bearer(good.withLock { $0 })
        }
        let service = service(.authentication(credentials, for: api))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    started.withLock { $0 += 1 }
                    let text = try await service.request(get)
                    #expect(text == "ok")
                }
            }
            try await group.waitForAll()
        }
        #expect(credentials.refreshCount == 1)
    }

    @Test func `a late 401 for credentials that were already refreshed causes no second refresh`() async throws {
        let gate = AsyncGate()
        session.route { $0.headers["Authorization"] == "Bearer new" ? .text("ok") : .status(401) }
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in .bearer("new") }
        struct Holding: NetworkInterceptor {
            let gate: AsyncGate
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                let response = try await next(request)
                if request.url.path == "/late", response.statusCode == 401 { await gate.wait() }
                return response
            }
        }
        let service = service(.authentication(credentials, for: api), Holding(gate: gate))
        let late = Task { try await service.request(Endpoint<String>(path: "late", responseDecoder: .text)) }
        await gate.waitForArrival()
        #expect(try await service.request(get) == "ok")
        #expect(credentials.refreshCount == 1)
        gate.open()
        #expect(try await late.value == "ok")
        #expect(credentials.refreshCount == 1)
    }

    @Test func `requests sent by a refresh carry no credentials`() async throws {
        let credentials = Locked<RefreshingCredentials?>(nil)
        session.route { request in
            if request.url.path == "/token" { return .text(request.headers["Authorization"] ?? "fresh") }
            return request.headers["Authorization"] == "Bearer fresh" ? .text("ok") : .status(401)
        }
        let currentService = Locked<DefaultDataTransferService?>(nil)
        let refreshing = RefreshingCredentials { _ in
            let service = try #require(currentService.withLock { $0 })
            return .bearer(try await service.request(Endpoint<String>(path: "token", responseDecoder: .text)))
        }
        credentials.withLock { $0 = refreshing }
        let service = service(.authentication(refreshing, for: api))
        currentService.withLock { $0 = service }
        #expect(try await service.request(get) == "ok")
        #expect(session.requests.map(\.url.path) == ["/token", "/a"])
        currentService.withLock { $0 = nil }
    }

    @Test func `a failed refresh fails all waiting requests, and the next request starts another one`() async throws {
        struct Denied: Error {}
        acceptOnly { "new" }
        let attempts = Locked(0)
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in
            attempts.withLock { $0 += 1 }
            if attempts.withLock({ $0 }) == 1 { throw Denied() }
            return .bearer("new")
        }
        let service = service(.authentication(credentials, for: api))
        let error = await #expect(throws: DataTransferError.self) { try await service.request(get) }
        let transport = error?.networkError?.transportError
        #expect(transport?.code == .authenticationFailed && transport?.underlying is Denied)
        #expect(try await service.request(get) == "ok")
    }

    @Test func `cancelling the request that started a refresh does not affect the others`() async throws {
        acceptOnly { "new" }
        let gate = AsyncGate()
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in
            await gate.wait()
            try Task.checkCancellation()
            return .bearer("new")
        }
        let service = service(.authentication(credentials, for: api))
        let first = Task { try await service.request(get) }
        await gate.waitForArrival()
        let second = Task { try await service.request(get) }
        first.cancel()
        let error = await #expect(throws: DataTransferError.self) { try await first.value }
        #expect(error?.isCancelled == true)
        gate.open()
        #expect(try await second.value == "ok")
        #expect(credentials.refreshCount == 1)
    }

    @Test func `a refresh that never returns fails after its time limit`() async throws {
        let clock = ManualClock()
        acceptOnly { "new" }
        let gate = AsyncGate()
        let credentials = RefreshingCredentials(initial: .bearer("old"), clock: clock) { _ in
            await gate.wait()
            return .bearer("new")
        }
        let service = service(.authentication(credentials, for: api))
        let task = Task { try await service.request(get) }
        await gate.waitForArrival()
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: DataTransferError.self) { try await task.value }
        #expect(error?.networkError?.transportError?.code == .authenticationFailed)
        gate.open()
    }

    @Test func `a deadline ends the wait of a request for a refresh, but not the refresh`() async throws {
        let clock = ManualClock()
        acceptOnly { "new" }
        let gate = AsyncGate()
        let credentials = RefreshingCredentials(initial: .bearer("old"), clock: clock) { _ in
            await gate.wait()
            return .bearer("new")
        }
        let service = service(DeadlineInterceptor(.seconds(5), clock: clock), .authentication(credentials, for: api))
        let task = Task { try await service.request(get) }
        await gate.waitForArrival()
        await clock.waitForSleepers(count: 2)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: DataTransferError.self) { try await task.value }
        #expect(error?.isTimeout == true)
        #expect(error?.description.contains("deadline") == true)
        gate.open()
        #expect(try await service.request(get) == "ok")
        #expect(credentials.refreshCount == 1)
    }

    @Test func `an expired credential is refreshed before a request is sent`() async throws {
        acceptOnly { "new" }
        let end = Date(timeIntervalSince1970: 1000)
        let credentials = RefreshingCredentials(initial: .bearer("old", expires: end), now: { end }) { _ in .bearer("new") }
        #expect(try await service(.authentication(credentials, for: api)).request(get) == "ok")
        #expect(session.requests.count == 1)
    }

    @Test func `the description of a credential contains no secret`() {
        let texts = [Credential.bearer("s3cr3t"), .basic(user: "u", password: "s3cr3t"), .header("s3cr3t", for: "X-Key")]
        for credential in texts {
            var dumped = ""
            dump(credential, to: &dumped)
            #expect(!"\(credential) \(String(reflecting: credential)) \(dumped)".contains("s3cr3t"))
        }
    }
}
