import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkObservation
import NetworkPipeline
import NetworkSupport
import NetworkTesting

extension DescribedValues {
    static func pipeline(_ m: Marks, in folder: URL) async throws -> [Any] {
        let aws = AWSCredentials(accessKeyID: m.name, secretAccessKey: m.secret, sessionToken: m.secret)
        let signature = AWSSignature(credentials: aws, region: m.name, service: m.name)
        let message = MessageSignature(keyID: m.name, key: m.data, tag: m.name)
        let tokens = OAuthTokens(accessToken: m.secret, refreshToken: m.secret, scope: m.text)
        let store = InMemoryCredentialStore(tokens)
        let options = OAuthOptions(
            deviceAuthorizationURL: "https://api.test/\(m.text)?token=\(m.secret)", parameters: ["key": m.secret])
        let client = try OAuthClient(
            tokenURL: "https://api.test/\(m.text)?token=\(m.secret)", clientID: m.text, secret: m.secret, options: options,
            session: m.session)
        let refreshing = RefreshingCredentials(initial: .bearer(m.secret)) { _ in .bearer(m.secret) }
        let challenge = ChallengeInterceptor(user: m.text, password: m.secret, origins: [m.url])
        let waterfall = Waterfall()
        let events = Locked<[ExchangeEvent]>([])
        let pipeline = RequestPipeline {
            $0.authentication = challenge
            $0.retry = .retry()
            $0.observation = .observation(waterfall)
        }
        // With a challenge, so that the state of its authentication contains a digest of the password.
        let session = StubSessionManager()
        session.enqueue(
            StubResponse(
                status: 401,
                headers: [
                    "WWW-Authenticate": #"Digest realm="\#(m.text)", nonce="\#(m.secret)", qop="auth", opaque="\#(m.secret)""#
                ]))
        session.route { _ in m.stub }
        let observed = ObservationInterceptor.observation { event in events.withLock { $0.append(event) } }
        let service = DefaultDataTransferService(
            configuration: m.api, sessionManager: session,
            interceptors: pipeline.interceptors + [observed, CoalescingInterceptor.coalescing()])
        _ = try? await service.response(for: m.endpoint)
        _ = try? await service.response(for: m.endpoint)
        let breaker = CircuitBreaker()
        _ = try await breaker.intercept(m.request, next: NetworkExchange { request in m.response })
        let credential = Credential(
            token: m.secret, refreshToken: m.secret, user: m.secret, password: m.secret, header: m.field
        ) { $0.headers["X"] = m.secret }
        let values: [Any] = [
            aws, signature, BodyCompressionInterceptor(), BodyCompressionOptions(mediaTypes: [m.name]), challenge,
            ChallengeInterceptor.Scheme(rawValue: m.name), breaker, CoalescingInterceptor.coalescing(), ConcurrencyGate(),
            credential,
            Credential.bearer(m.secret, refreshToken: m.secret), Credential.basic(user: m.text, password: m.secret),
            Credential.header(m.name, for: m.name), CredentialInterceptor(credential, origins: [m.url]),
            CredentialInterceptor(refreshing, origins: [m.url]), CredentialRecord(tokens),
            CredentialStoreError.Code(rawValue: m.name),
            DeadlineInterceptor.deadline(.seconds(1)), DevicePrompt(verificationURL: m.url, userCode: m.secret, expires: Date()),
            ExchangeEvent.Kind.adapted(attempt: 1, headers: m.headers), ExchangeEvent.Kind.noted(m.name),
            ExchangeEvent.Kind.retried(after: .zero, because: m.name), ExchangeEvent.Outcome.failure(.init(rawValue: m.name)),
            FileCredentialStore(m.file), HeaderInterceptor(origins: [m.url]) { _ in m.headers }, HedgingInterceptor(),
            IdempotencyKeyInterceptor { m.secret }, store, message,
            MessageSignature.Component.field(HeaderName(rawValue: m.name)), NetworkActivity(),
            client, client.refreshing(savedIn: store), OAuthError.Code(rawValue: m.name), options, tokens, observed,
            PauseField(rawValue: m.name), RateLimiter(nil),
            ReachabilityInterceptor(), refreshing, pipeline, RetryCause.failure(.init(rawValue: m.name)), RetryInterceptor(),
            RetryOptions(),
            SigningInterceptor(signature, origins: [m.url]), SigningInterceptor(message, origins: [m.url]), TraceContext(),
            TraceInterceptor.trace, waterfall, service,
        ]
        return values + events.withLock { $0 }
    }
}
