import Endpoints
import Foundation
import NetworkCore
import NetworkAuthorization
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// The device flow of RFC 8628, on a manual clock.
@Suite(.timeLimit(.minutes(10))) struct DeviceFlowTests {
    private let session = StubSessionManager()
    private let clock = ManualClock()
    private let store = InMemoryCredentialStore()

    private func client(secret: String? = nil, _ authentication: OAuthOptions.ClientAuthentication = .basic) throws -> OAuthClient
    {
        try OAuthClient(
            tokenURL: "https://auth.test/token", clientID: "app", secret: secret,
            options: OAuthOptions(deviceAuthorizationURL: "https://auth.test/device", clientAuthentication: authentication),
            session: session, clock: clock, now: { TestTime.start })
    }

    private func enqueueDevice(_ more: String = #","interval":5"#, expires: Int = 900) {
        session.enqueue(
            .json(
                #"{"device_code":"device-code-1","user_code":"WDJB-MJHT","verification_uri":"https://auth.test/d","expires_in":\#(expires)\#(more)}"#
            ), for: "/device")
    }

    private func error(_ code: String, status: Int = 400) -> StubResponse { .json(#"{"error":"\#(code)"}"#, status: status) }

    private let tokens = StubResponse.json(
        #"{"access_token":"access-1","token_type":"bearer","refresh_token":"refresh-1","expires_in":3600}"#)

    private func form(_ number: Int) -> String { String(decoding: session.requests[number].body?.data ?? Data(), as: UTF8.self) }

    /// Runs the flow, and advances the clock by each of the pauses in turn.
    ///
    /// - Parameter pauses: The expected pauses in seconds. Before the end of each, no request for tokens may be sent.
    private func run(_ oauth: OAuthClient, _ pauses: [Int]) async -> Result<OAuthTokens, any Error> {
        let flow = Task { try await oauth.deviceFlow(savedIn: store) { _ in } }
        for (number, pause) in pauses.enumerated() {
            await clock.waitForSleepers(count: 1)
            clock.advance(by: .milliseconds(pause * 1000 - 1))
            #expect(clock.sleeperCount == 1 && session.requests.count == number + 1, "pause \(number) is shorter than \(pause) s")
            clock.advance(by: .milliseconds(1))
        }
        return await flow.result
    }

    private func code(_ result: Result<OAuthTokens, any Error>) -> OAuthError.Code? {
        if case .failure(let error as OAuthError) = result { error.code } else { nil }
    }

    // RFC 8628 §3.1 to §3.5
    @Test func `the server is asked at its interval, and more slowly after slow_down, until the user has signed in`() async throws
    {
        enqueueDevice()
        for name in ["authorization_pending", "slow_down", "authorization_pending", "slow_down"] {
            session.enqueue(error(name), for: "/token")
        }
        session.enqueue(tokens, for: "/token")
        let result = await run(try client(), [5, 5, 10, 10, 15])
        #expect(try result.get().accessToken == "access-1")
        #expect(store.load()?.tokens.refreshToken == "refresh-1")
        #expect(form(0) == "client_id=app")
        #expect(
            form(1)
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=device-code-1&client_id=app")
    }

    @Test func `the prompt has the page, the code and the expiration date`() async throws {
        enqueueDevice(#","verification_uri_complete":"https://auth.test/d?user_code=WDJB-MJHT""#)
        session.enqueue(error("access_denied"), for: "/token")
        let seen = Locked<DevicePrompt?>(nil)
        let oauth = try client(secret: "secret-of-app")
        let flow = Task { try await oauth.deviceFlow(scope: ["read"]) { prompt in seen.withLock { $0 = prompt } } }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(5))
        await #expect(throws: OAuthError.self) { try await flow.value }
        let prompt = try #require(seen.withLock { $0 })
        #expect(prompt.userCode == "WDJB-MJHT" && prompt.verificationURL.absoluteString == "https://auth.test/d")
        #expect(prompt.completeVerificationURL?.absoluteString == "https://auth.test/d?user_code=WDJB-MJHT")
        #expect(prompt.expires == TestTime.start.addingTimeInterval(900))
        #expect(form(0) == "scope=read&client_id=app" && session.requests[0].headers.contains("Authorization"))
    }

    @Test(arguments: [
        ("access_denied", OAuthError.Code.accessDenied), ("authorization_declined", .accessDenied),
        ("Expired_Token", .expiredToken),
    ]) func `a refusal and an expired code end the flow`(name: String, expected: OAuthError.Code) async throws {
        enqueueDevice()
        session.enqueue(error(name), for: "/token")
        #expect(try await code(run(client(), [5])) == expected)
    }

    @Test func `an interval in slow_down and a Retry-After are awaited, and codes may be numbers`() async throws {
        session.enqueue(
            .json(
                #"{"device_code":1234567,"user_code":123456,"verification_url":"https://auth.test/d","expires_in":"900","interval":{},"verification_uri_complete":"x:"}"#
            ), for: "/device")
        session.enqueue(.json(#"{"error":"slow_down","interval":30}"#, status: 400), for: "/token")
        session.enqueue(.json(#"{"error":"authorization_pending"}"#), for: "/token")
        session.enqueue(.status(429, headers: ["Retry-After": "90"]), for: "/token")
        session.enqueue(.status(503), for: "/token")
        session.enqueue(tokens, for: "/token")
        let result = await run(try client(), [5, 30, 30, 90, 120])
        #expect(try result.get().accessToken == "access-1" && form(1).contains("device_code=1234567&"))
    }

    /// It compiles only if the closures of the public methods can use the state of an actor.
    @MainActor private final class Screen {
        var shown: [String] = []

        func signIn(_ client: OAuthClient) async throws -> OAuthTokens {
            try await client.deviceFlow { prompt in
                shown.append(prompt.userCode)
                await Task.yield()
                shown.append(prompt.verificationURL.absoluteString)
            }
        }

        /// Closures that are stored run on the actor.
        func interceptors(for api: APIConfiguration) -> [any NetworkInterceptor] {
            let credentials = RefreshingCredentials { _ in await .bearer(self.token()) }
            return [
                .authentication(credentials, for: api), .headers(for: api) { _ in await ["X-Count": "\(self.shown.count)"] },
                CredentialInterceptor(origins: []) { _ in await .bearer(self.token()) },
                ReachabilityInterceptor { _ in await self.shown.isEmpty },
                .signing(
                    AWSSignature(region: "r", service: "s") {
                        await AWSCredentials(accessKeyID: "a", secretAccessKey: self.token())
                    },
                    for: api),
            ]
        }

        private func token() -> String { "token of the screen" }
    }

    @Test func `the prompt runs on the actor of the caller`() async throws {
        enqueueDevice()
        session.enqueue(tokens, for: "/token")
        let oauth = try client()
        let screen = Screen()
        let flow = Task { try await screen.signIn(oauth) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(5))
        #expect(try await flow.value.accessToken == "access-1")
        #expect(await screen.shown == ["WDJB-MJHT", "https://auth.test/d"])
        #expect(await screen.interceptors(for: try APIConfiguration("https://api.test")).count == 5)
    }

    @Test func `the code expires while the server says that the user has not responded`() async throws {
        enqueueDevice(expires: 12)
        session.enqueue(error("authorization_pending"), for: "/token")
        session.enqueue(error("authorization_pending"), for: "/token")
        #expect(try await code(run(client(), [5, 5])) == .expiredToken)
        #expect(store.load() == nil)
    }

    // §3.5: an exponential backoff after timeouts
    @Test func `after failures without a response the interval is doubled, and the flow continues`() async throws {
        enqueueDevice("")
        session.enqueue(.failure(.cannotConnect, phase: .connect), for: "/token")
        session.enqueue(.status(503), for: "/token")
        session.enqueue(tokens, for: "/token")
        #expect(try await run(client(), [5, 10, 20]).get().accessToken == "access-1")
    }

    @Test func `a lost response with the tokens is reported as such`() async throws {
        enqueueDevice()
        session.enqueue(.failure(.connectionLost, phase: .receive), for: "/token")
        session.enqueue(error("invalid_grant"), for: "/token")
        #expect(try await code(run(client(), [5, 10])) == .responseLost)
    }

    @Test func `cancellation ends the flow at once`() async throws {
        enqueueDevice()
        let oauth = try client()
        let flow = Task { try await oauth.deviceFlow { _ in } }
        await clock.waitForSleepers(count: 1)
        flow.cancel()
        let error = await #expect(throws: OAuthError.self) { try await flow.value }
        #expect(error?.code == .cancelled)
    }

    /// A store whose lock another process has until the gate opens.
    private struct LockedStore: CredentialStore {
        let store = InMemoryCredentialStore()
        let gate = AsyncGate()

        func load() -> CredentialRecord? { store.load() }
        func save(_ record: CredentialRecord?) { store.save(record) }
        func withLock<Value: Sendable>(timeout: Duration, _ body: @Sendable () async throws -> Value) async throws -> Value {
            await gate.wait()
            if Task.isCancelled { throw CredentialStoreError(.cancelled, "cancelled") }
            return try await store.withLock(timeout: timeout, body)
        }
    }

    @Test func `tokens that were issued are saved although the task was cancelled`() async throws {
        enqueueDevice()
        session.enqueue(tokens, for: "/token")
        let store = LockedStore()
        let oauth = try client()
        let flow = Task { try await oauth.deviceFlow(savedIn: store) { _ in } }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(5))
        await store.gate.waitForArrival()
        flow.cancel()
        store.gate.open()
        #expect(try await flow.value.accessToken == "access-1")
        #expect(store.load()?.tokens.refreshToken == "refresh-1")
    }

    @Test(arguments: [
        (#"{}"#, "device_code is missing"), (#"{"device_code":"a b","user_code":"u"}"#, "device_code is not"),
        (#"{"device_code":"device-code-1"}"#, "user_code is missing"),
        (#"{"device_code":"device-code-1","user_code":"a\nb"}"#, "user_code is not 1 to 100"),
        (#"{"device_code":"device-code-1","user_code":"\#(String(repeating: "a", count: 101))"}"#, "user_code is not 1 to 100"),
        (#"{"device_code":"device-code-1","user_code":"u"}"#, "verification_uri is missing"),
        (#"{"device_code":"device-code-1","user_code":"u","verification_uri":"javascript:x"}"#, "verification_uri is not"),
        (#"{"device_code":"device-code-1","user_code":"u","verification_uri":"https://a.test/"}"#, "expires_in is missing"),
        (
            #"{"device_code":"device-code-1","user_code":"u","verification_uri":"https://a.test/","expires_in":0}"#,
            "expires_in is"
        ),
    ]) func `a response that cannot be used names the field`(body: String, message: String) async throws {
        session.enqueue(.json(body), for: "/device")
        let oauth = try client()
        let error = await #expect(throws: OAuthError.self) { try await oauth.deviceFlow { _ in } }
        #expect(error?.code == .malformedResponse && error?.message.contains(message) == true, "\(error as Any)")
        #expect(error?.description.contains("device-code-1") == false)
    }

    @Test func `an interval outside the limits is replaced by the nearest one`() async throws {
        for (interval, pause) in [("0", 1), ("-5", 1), ("1e300", 300), ("\"7\"", 7)] {
            let test = DeviceFlowTests()
            test.enqueueDevice(#","interval":\#(interval)"#)
            test.session.enqueue(tokens, for: "/token")
            #expect(try await test.run(test.client(), [pause]).get().accessToken == "access-1")
        }
    }
}
