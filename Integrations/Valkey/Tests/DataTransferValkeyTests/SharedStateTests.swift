import DataTransferValkey
import Foundation
import NetworkTesting
import Testing
import ValkeyTesting

@Suite struct CircuitTests {
    let server: TestServer
    let origin = StubSessionManager()
    private let endpoint = Endpoint<Data>(path: "item", responseDecoder: .rawData)

    init() throws {
        server = try TestServer()
    }

    private func service(
        _ options: CircuitBreakerOptions, _ session: (any NetworkSessionManager)? = nil
    ) throws -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: try APIConfiguration("https://api.example.com"), sessionManager: session ?? origin,
            interceptors: [ValkeyCircuitBreaker(ValkeyClient(server.patient), options: options)])
    }

    /// Whether a request was sent.
    private func sends(_ service: DefaultNetworkService) async -> Bool {
        let before = origin.requests.count
        _ = try? await service.response(for: endpoint)
        return origin.requests.count > before
    }

    @Test func `failures of all processes open the circuit for all`() async throws {
        let options = CircuitBreakerOptions(window: 10, minimumOutcomes: 6, openDuration: .seconds(600))
        let services = try (0..<3).map { _ in try service(options) }
        origin.route { _ in StubResponse(status: 503) }
        for number in 0..<6 { #expect(await sends(services[number % 3])) }
        let deadline = ContinuousClock.now + .seconds(300)
        for service in services { while await sends(service), ContinuousClock.now < deadline {} }
        for service in services { #expect(await sends(service) == false) }
    }

    @Test func `one probe of the fleet closes the circuit or opens it again`() async throws {
        let options = CircuitBreakerOptions(window: 10, minimumOutcomes: 2, openDuration: .seconds(4))
        let services = try (0..<3).map { _ in try service(options) }
        let isBroken = Shared(true)
        origin.route { _ in StubResponse(status: isBroken.value ? 500 : 200) }
        let deadline = ContinuousClock.now + .seconds(300)
        while await sends(services[0]), ContinuousClock.now < deadline {}
        let sent = origin.requests.count
        while origin.requests.count == sent, ContinuousClock.now < deadline {
            // Not after the probe: on a busy machine, its end could be that of the next pause.
            for service in services where origin.requests.count == sent { _ = await sends(service) }
        }
        #expect(origin.requests.count == sent + 1)
        _ = isBroken.update { $0 = false }
        while await !sends(services[1]), ContinuousClock.now < deadline {}
        for service in services { #expect(await sends(service)) }
    }

    @Test func `while one process sends a probe, the others send none`() async throws {
        let options = CircuitBreakerOptions(window: 10, minimumOutcomes: 2, openDuration: .seconds(12))
        let others = try (0..<3).map { _ in try service(options) }
        let sent = Shared<[Bool]>([])
        let slow = SlowOrigin(origin: origin) {
            for other in others {
                let isSent = await sends(other)
                _ = sent.update { $0.append(isSent) }
            }
        }
        origin.route { _ in StubResponse(status: 500) }
        let deadline = ContinuousClock.now + .seconds(300)
        while await sends(others[0]), ContinuousClock.now < deadline {}
        let prober = try service(options, slow)
        while sent.value.isEmpty, ContinuousClock.now < deadline { _ = try? await prober.response(for: endpoint) }
        #expect(sent.value == [false, false, false])
    }

    @Test func `without the server, requests are sent`() async throws {
        let service = try service(CircuitBreakerOptions(minimumOutcomes: 1))
        server.stop()
        origin.route { _ in StubResponse(status: 503) }
        for _ in 0..<5 { #expect(await sends(service)) }
    }
}

@Suite struct CredentialTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
    }

    private func store(leaseTime: Duration = .seconds(10)) -> ValkeyCredentialStore {
        ValkeyCredentialStore(ValkeyClient(server.patient), name: "api", leaseTime: leaseTime)
    }

    @Test func `one refresh serves the fleet`() async throws {
        let origin = StubSessionManager()
        let count = Shared(0)
        origin.route { _ in
            let number = count.update { $0 += 1 }
            let text =
                #"{"access_token":"access-\#(number)","token_type":"Bearer","expires_in":3600,"refresh_token":"refresh-\#(number)"}"#
            return StubResponse(headers: ["Content-Type": "application/json"], body: Data(text.utf8))
        }
        try await store().signIn(
            with: OAuthTokens(accessToken: "old-access", refreshToken: "old-refresh", expires: Date(timeIntervalSinceNow: -1)))
        let received = Shared<Set<String>>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    guard
                        let client = try? OAuthClient(
                            tokenURL: "https://auth.example.com/token", clientID: "app", session: origin),
                        let url = URL(string: "https://api.example.com")
                    else { return }
                    let interceptor = CredentialInterceptor(client.refreshing(savedIn: store()), origins: [url])
                    let response: NetworkResponse? = try? await interceptor.intercept(
                        NetworkRequest(url: url),
                        next: NetworkExchange { request in
                            let field = request.headers["Authorization"] ?? "none"
                            _ = received.update { $0.insert(field) }
                            return NetworkResponse(statusCode: 200, url: request.url)
                        })
                    #expect(response != nil)
                }
            }
        }
        #expect(count.value == 1)
        #expect(received.value == ["Bearer access-1"])
        #expect(try await store().load()?.tokens.refreshToken == "refresh-1")
    }

    @Test func `a holder that is killed loses the lease`() async throws {
        let worker = try WorkerProcess(["lease", server.path])
        let client = ValkeyClient(server.patient)
        let deadline = ContinuousClock.now + .seconds(300)
        while try await client.send("GET", "dt:tokens:api:lease") == .null, ContinuousClock.now < deadline {}
        let error = await #expect(throws: CredentialStoreError.self) {
            // The lease is extended, so that it is kept for longer than its time.
            try await store().withLock(timeout: .seconds(15)) {}
        }
        #expect(error?.code == .lockTimedOut)
        worker.kill()
        try await store().withLock(timeout: .seconds(120)) {}
    }

    @Test func `a holder whose lease was taken cannot save`() async throws {
        let tokens = [1, 2].map { OAuthTokens(accessToken: "token-\($0)") }
        let error = await #expect(throws: CredentialStoreError.self) {
            try await store().withLock(timeout: .seconds(30)) {
                // As if it was suspended for longer than its lease.
                _ = try await ValkeyClient(server.patient).send("DEL", "dt:tokens:api:lease")
                let record = CredentialRecord(tokens[1])
                try await store().withLock(timeout: .seconds(30)) { try await store().save(record) }
                try await store().save(CredentialRecord(tokens[0]))
            }
        }
        #expect(error?.code == .leaseLost)
        #expect(try await store().load()?.tokens.accessToken == "token-2")
        let outside = await #expect(throws: CredentialStoreError.self) { try await store().save(nil) }
        #expect(outside?.code == .leaseLost)
    }

    @Test func `a holder whose lease has ended does not release that of the next one`() async throws {
        let client = ValkeyClient(server.patient)
        try await store().withLock(timeout: .seconds(30)) {
            _ = try await client.send("SET", "dt:tokens:api:lease", "another")
        }
        #expect(try await client.send("GET", "dt:tokens:api:lease") == .bytes(Data("another".utf8)))
    }

    @Test func `damaged records and an absent server are errors`() async throws {
        _ = try await ValkeyClient(server.patient).send("SET", "dt:tokens:api", "nonsense")
        let error = await #expect(throws: CredentialStoreError.self) { try await store().load() }
        #expect(error?.code == .damaged)
        server.stop()
        let other = await #expect(throws: CredentialStoreError.self) { try await store().load() }
        #expect(other?.code == .unavailable)
        let third = await #expect(throws: CredentialStoreError.self) {
            try await store().withLock(timeout: .milliseconds(100)) {}
        }
        #expect(third?.code == .unavailable)
    }
}
