import DataTransfer
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkAuthorization

/// Refreshes of the tokens in a store (RFC 6749 §6).
@Suite(.timeLimit(.minutes(10))) struct SharedTokensTests {
    private let session = StubSessionManager()
    private let api = try! APIConfiguration("https://api.test")
    private let get = Endpoint<String>(path: "a", responseDecoder: .text)
    private let store = InMemoryCredentialStore(
        OAuthTokens(accessToken: "access-0", refreshToken: "refresh-0", expires: .distantPast))

    /// A store of which some saves fail.
    private struct FailingStore: CredentialStore {
        let store: InMemoryCredentialStore
        /// The numbers of the saves that fail.
        let failing: Set<Int>
        /// Whether these save the record nevertheless.
        let savesAll: Bool
        private let count = Locked(0)

        init(_ store: InMemoryCredentialStore, failing: Set<Int>, savesAll: Bool = false) {
            self.store = store
            self.failing = failing
            self.savesAll = savesAll
        }

        func load() -> CredentialRecord? { store.load() }

        func save(_ record: CredentialRecord?) throws(CredentialStoreError) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if failing.contains(number), savesAll { store.save(record) }
            if failing.contains(number) { throw CredentialStoreError(.fileFailed, "no space") }
            store.save(record)
        }

        func withLock<Value: Sendable>(timeout: Duration, _ body: @Sendable () async throws -> Value) async throws -> Value {
            try await store.withLock(timeout: timeout, body)
        }
    }

    private func service(
        _ options: OAuthOptions = OAuthOptions(), savedIn other: (any CredentialStore)? = nil
    ) throws -> DefaultNetworkService {
        let oauth = try OAuthClient(tokenURL: "https://auth.test/token", clientID: "app", options: options, session: session)
        return service(oauth.refreshing(savedIn: other ?? store))
    }

    private func service(_ credentials: RefreshingCredentials) -> DefaultNetworkService {
        session.route { $0.url.host == "api.test" ? .text($0.headers["Authorization"] ?? "none") : nil }
        return DefaultNetworkService(
            configuration: api, sessionManager: session, interceptors: [.authentication(credentials, for: api)])
    }

    private func enqueue(_ number: Int, hasRefreshToken: Bool = true) {
        let refresh = hasRefreshToken ? #","refresh_token":"refresh-\#(number)""# : ""
        session.enqueue(
            .json(#"{"access_token":"access-\#(number)","token_type":"Bearer","expires_in":3600\#(refresh)}"#), for: "/token")
    }

    private func text(_ service: DefaultNetworkService) async throws -> String {
        String(decoding: try await service.response(for: get).data, as: UTF8.self)
    }

    private func failure(_ service: DefaultNetworkService) async -> OAuthError? {
        let error = await #expect(throws: NetworkError.self) { try await service.response(for: get) }
        return error?.transportError?.underlying as? OAuthError
    }

    /// The refresh tokens that were sent.
    private var sent: [String] {
        session.requests.filter { $0.method == .post }.map { request in
            let form = String(decoding: request.body?.data ?? Data(), as: UTF8.self)
            return form.split(separator: "&").first { $0.hasPrefix("refresh_token=") }.map { String($0.dropFirst(14)) } ?? ""
        }
    }

    @Test func `the new refresh token is saved before the new access token is used`() async throws {
        session.route { [store] request in
            if request.url.host == "api.test" {
                #expect(store.load()?.tokens.refreshToken == "refresh-1")
                return nil
            }
            #expect(store.load()?.pendingSince != nil)
            return .json(#"{"access_token":"access-1","token_type":"Bearer","expires_in":3600,"refresh_token":"refresh-1"}"#)
        }
        #expect(try await text(service()) == "Bearer access-1")
        let record = try #require(store.load())
        #expect(record.tokens.refreshToken == "refresh-1" && record.generation == 1 && record.pendingSince == nil)
    }

    @Test func `a response without a refresh token keeps the previous one`() async throws {
        enqueue(1, hasRefreshToken: false)
        #expect(try await text(service()) == "Bearer access-1")
        #expect(store.load()?.tokens.refreshToken == "refresh-0")
    }

    @Test func `a lost response is survived if the server permits the previous token`() async throws {
        session.enqueue(.failure(.connectionLost, phase: .firstByte), for: "/token")
        let service = try service()
        #expect(await failure(service)?.code == .transportFailed)
        #expect(store.load()?.pendingSince != nil)
        enqueue(2)
        #expect(try await text(service) == "Bearer access-2")
        #expect(store.load()?.pendingSince == nil)
        #expect(sent == ["refresh-0", "refresh-0"])
    }

    @Test(arguments: [true, false]) func `a lost response is reported if the previous token is refused or not sent again`(
        resends: Bool
    ) async throws {
        session.enqueue(.failure(.timedOut, phase: .receive), for: "/token")
        let service = try service(OAuthOptions(resendsAfterLostResponse: resends))
        #expect(await failure(service)?.code == .transportFailed)
        session.enqueue(.json(#"{"error":"invalid_grant"}"#, status: 400), for: "/token")
        for _ in 0..<3 {
            let error = try #require(await failure(service))
            #expect(error.code == .responseLost && error.requiresSignIn && error.message.contains("sign in again"))
        }
        #expect(sent.count == (resends ? 2 : 1))
        try await store.signIn(with: OAuthTokens(accessToken: "access-9", refreshToken: "refresh-9"))
        #expect(try await text(service) == "Bearer access-9")
    }

    @Test(arguments: [
        StubResponse.failure(.cannotConnect, phase: .connect), .failure(.nameLookupFailed), .status(503), .status(429),
        .status(302),
        .json(#"{"error":"invalid_client"}"#, status: 401),
    ]) func `a refresh that the server did not process is not a lost response`(response: StubResponse) async throws {
        session.enqueue(response, for: "/token")
        let service = try service()
        #expect(await failure(service) != nil)
        #expect(store.load()?.pendingSince == nil)
        session.enqueue(.json(#"{"error":"invalid_grant"}"#, status: 400), for: "/token")
        #expect(await failure(service)?.code == .invalidGrant)
        // It is not sent again.
        #expect(await failure(service)?.code == .signInRequired)
        #expect(sent.count == 2)
    }

    @Test(arguments: [StubResponse.status(500), .status(502), .text("{"), .failure(.connectionLost)])
    func `a response without tokens after which the server may have replaced the token leaves a mark`(
        response: StubResponse
    ) async throws {
        session.enqueue(response, for: "/token")
        let service = try service()
        #expect(await failure(service) != nil)
        #expect(store.load()?.pendingSince != nil)
    }

    @Test func `tokens that cannot be saved are not used, and saved later without another request`() async throws {
        enqueue(1)
        // The second save is that of the new tokens.
        let service = try service(savedIn: FailingStore(store, failing: [2, 3]))
        for _ in 0..<2 {
            #expect(await failure(service)?.code == .storeFailed)
            #expect(store.load()?.tokens.refreshToken == "refresh-0" && store.load()?.pendingSince != nil)
        }
        #expect(try await text(service) == "Bearer access-1")
        #expect(sent == ["refresh-0"] && store.load()?.tokens.refreshToken == "refresh-1")
    }

    @Test func `tokens that cannot be saved are saved before other tokens of the same user are used`() async throws {
        enqueue(1)
        let service = try service(savedIn: FailingStore(store, failing: [2]))
        #expect(await failure(service)?.code == .storeFailed)
        // The stored access token is valid again, for example because the clock was set back.
        let record = try #require(store.load())
        let tokens = OAuthTokens(accessToken: "access-0", refreshToken: "refresh-0", expires: .distantFuture)
        store.save(CredentialRecord(tokens, signIn: record.signIn, generation: record.generation))
        #expect(try await text(service) == "Bearer access-1")
        #expect(store.load()?.tokens.refreshToken == "refresh-1")
    }

    @Test func `a save that fails after it has changed the store leaves no mark`() async throws {
        let service = try service(savedIn: FailingStore(store, failing: [1], savesAll: true))
        #expect(await failure(service)?.code == .storeFailed)
        #expect(sent.isEmpty && store.load()?.pendingSince == nil)
    }

    @Test func `nothing is sent if that cannot be saved`() async throws {
        let service = try service(savedIn: FailingStore(store, failing: [1]))
        #expect(await failure(service)?.code == .storeFailed)
        #expect(sent.isEmpty)
    }

    @Test func `tokens that another client has renewed are used without a request`() async throws {
        let service = try service()
        let record = try #require(store.load())
        store.save(record.refreshed(OAuthTokens(accessToken: "access-5", refreshToken: "refresh-5")))
        #expect(try await text(service) == "Bearer access-5")
        #expect(sent.isEmpty)
    }

    @Test func `a request of the previous user is not sent with the tokens of another one`() async throws {
        store.save(CredentialRecord(OAuthTokens(accessToken: "access-a", refreshToken: "refresh-a")))
        session.route { [store] request in
            guard request.headers["Authorization"] == "Bearer access-a" else { return nil }
            store.save(CredentialRecord(OAuthTokens(accessToken: "access-b", refreshToken: "refresh-b")))
            return .status(401)
        }
        let service = try service()
        await #expect(throws: NetworkError.self) { try await service.response(for: get) }
        #expect(session.requests.map { $0.headers["Authorization"] } == ["Bearer access-a"])
        #expect(try await text(service) == "Bearer access-b")
    }

    @Test func `a sign-in and a sign-out take effect with the next request`() async throws {
        let oauth = try OAuthClient(tokenURL: "https://auth.test/token", clientID: "app", session: session)
        let credentials = oauth.refreshing(savedIn: store)
        let service = service(credentials)
        for user in ["a", "b"] {
            try await store.signIn(with: OAuthTokens(accessToken: user))
            #expect(try await text(service) == "Bearer \(user)")
        }
        try await store.signOut()
        #expect(await failure(service)?.code == .signInRequired)
        try await store.signIn(with: OAuthTokens(accessToken: "c"))
        #expect(try await text(service) == "Bearer c")
        // Another store concerns other credentials.
        try await InMemoryCredentialStore().signIn(with: OAuthTokens(accessToken: "d"))
        #expect(try await text(service) == "Bearer c")
        // What was removed is not read from the store again, also if it was never read before.
        for credentials in [credentials, oauth.refreshing(savedIn: store)] {
            credentials.set(nil)
            try await InMemoryCredentialStore().signIn(with: OAuthTokens(accessToken: "f"))
            let service = self.service(credentials)
            for _ in 0..<2 { #expect(await failure(service)?.code == .signInRequired) }
        }
        let unread = oauth.refreshing(savedIn: store)
        unread.set(nil)
        try await store.signIn(with: OAuthTokens(accessToken: "g"))
        #expect(try await text(self.service(unread)) == "Bearer g")
        store.save(CredentialRecord(OAuthTokens(accessToken: "e")))
        #expect(try await text(service) == "Bearer e")
        #expect(sent.isEmpty)
    }

    @Test func `a refresh that fails says whether the network failed, or the task was cancelled`() async throws {
        let service = try service()
        session.enqueue(.failure(.cannotConnect, phase: .connect), for: "/token")
        let offline = await #expect(throws: NetworkError.self) { try await service.response(for: get) }
        #expect(
            offline?.isConnectivity == true && offline?.isRetryable == true && offline?.transportError?.isOfConnection == false)
        for error in [OAuthError(.cancelled, ""), CredentialStoreError(.cancelled, "")] as [any Error] {
            #expect(error.isCancelled)
        }
        let refused = await failure(service)
        #expect(refused?.isConnectivity == false)
    }

    @Test func `without tokens or without a refresh token, the user has to sign in`() async throws {
        let service = try service()
        try await store.signOut()
        #expect(await failure(service)?.code == .signInRequired)
        try await store.signIn(with: OAuthTokens(accessToken: "access-1", expires: .distantPast))
        #expect(await failure(service)?.code == .signInRequired)
        #expect(sent.isEmpty)
    }

    @Test func `a refresh that has begun is completed and saved after the request was cancelled`() async throws {
        let gate = AsyncGate()
        let server = try LoopbackServer { (_: LoopbackRequest) async throws -> LoopbackResponse in
            await gate.wait()
            return .json(#"{"access_token":"access-1","token_type":"Bearer","refresh_token":"refresh-1"}"#)
        }
        let oauth = try OAuthClient(tokenURL: server.url("/token").absoluteString, clientID: "app")
        let tokens = SharedTokens(oauth, store, .refreshToken)
        let task = Task { try await tokens.credential(replacing: nil) }
        await gate.waitForArrival()
        task.cancel()
        gate.open()
        _ = await task.result
        #expect(store.load()?.tokens.refreshToken == "refresh-1")
    }
}
