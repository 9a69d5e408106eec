import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkCore
import NetworkObservation
import NetworkPipeline
import NetworkTesting

/// Interceptors and their rules.
extension ExtremeCall {
    private static let api = APIConfiguration(baseURL: URL(string: "https://api.test")!)

    /// Sends a request to a stub that responds with 503 and a pause, then 200. Cancels the request while it waits.
    private static func send(_ interceptors: [any NetworkInterceptor], deadline: RequestDeadline = .default) async {
        let session = StubSessionManager()
        session.enqueue(.status(503, headers: ["Retry-After": "0", "RateLimit": "x;r=0;t=999999999999999"]))
        session.enqueue(.status(200, headers: ["RateLimit": "x;r=0;t=99"]))
        session.route { _ in .text("ok") }
        let service = DefaultNetworkService(configuration: api, sessionManager: session, interceptors: interceptors)
        var endpoint = Endpoint<String>(path: "a", responseDecoder: .text)
        endpoint.timeouts.deadline = deadline
        let sent = endpoint
        let task = Task { try await service.response(for: sent) }
        // Long enough for requests that do not wait. Requests that wait are cancelled during their pause.
        let watch = Task {
            try await ContinuousClock().sleep(for: .milliseconds(20))
            task.cancel()
        }
        _ = await task.result
        watch.cancel()
    }

    /// Advances the clock in each attempt, and reports the time in the response.
    private struct Timed: NetworkInterceptor {
        let clock: ManualClock
        let time: Duration
        let number: Int

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            clock.advance(by: time)
            var response = try await next(request)
            clock.advance(by: time)
            response.timings = TransferTimings(
                queued: time, nameLookup: time, connect: time, firstByte: time, total: time, bytesSent: Int64(number),
                attempt: number)
            return response
        }
    }

    static let pipeline: [ExtremeCall] = [
        ExtremeCall("Backoff.init(base:factor:maximumDelay:isRandom:)") {
            for (base, maximum) in Extreme.pairs(Extreme.durations, Extreme.durations, usual: (.seconds(1), .seconds(30))) {
                for factor in Extreme.doubles {
                    let backoff = Backoff(base: base, factor: factor, maximumDelay: maximum)
                    for attempt in Extreme.integers {
                        _ = backoff.bound(beforeAttempt: attempt)
                        _ = backoff.pause(afterFailures: attempt, requested: base, random: 0.5)
                        for random in Extreme.doubles { _ = backoff.delay(beforeAttempt: attempt, random: random) }
                    }
                }
            }
        },
        ExtremeCall(
            "RetryOptions.init(maximumAttempts:backoff:maximumRetryAfter:pauseFields:causes:)", "PauseField.init(rawValue:)"
        ) {
            await send([.retry(RetryOptions(pauseFields: Set(Extreme.texts.map { PauseField(rawValue: $0) })), budget: nil)])
            for number in Extreme.integers {
                describe(RetryCause.status(number))
                await send([.retry(RetryOptions(maximumAttempts: number, causes: [.status(number), .status(503)]), budget: nil)])
            }
            for time in Extreme.durations {
                await send([.retry(RetryOptions(maximumRetryAfter: time), budget: nil)])
                await send([.retry(RetryOptions(backoff: Backoff(base: time)), budget: nil)])
                await send([.retry(RetryOptions(backoff: Backoff(maximumDelay: time)), budget: nil)])
                await send([.retry(RetryOptions(backoff: Backoff(base: time, maximumDelay: time)), budget: nil)])
            }
        },
        ExtremeCall("RetryAttempt.init(of:number:outcome:)") {
            let retry = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero)), budget: nil)
            let lost = TransportError(.connectionLost, "")
            for (number, time) in Extreme.pairs(Extreme.integers, Extreme.durations, usual: (1, .seconds(1))) {
                var attempt = RetryAttempt(of: NetworkRequest(url: api.baseURL), number: number, outcome: .failure(lost))
                attempt.remaining = time
                _ = try? await retry.permitsRetry(after: &attempt)
                describe(attempt)
            }
        },
        ExtremeCall("BodyCompressionOptions.init(minimumBytes:mediaTypes:level:)") {
            for (bytes, level) in Extreme.pairs(Extreme.integers, Extreme.integers, usual: (0, 6)) {
                for types in [BodyCompressionOptions.compressibleMediaTypes, ["", "*", "/", "+"]] {
                    await send([.compression(BodyCompressionOptions(minimumBytes: bytes, mediaTypes: types, level: level))])
                }
            }
        },
        ExtremeCall("RetryBudget.init(share:reserve:)") {
            for (share, reserve) in Extreme.pairs(Extreme.doubles, Extreme.doubles, usual: (0.1, 10)) {
                let budget = RetryBudget(share: share, reserve: reserve)
                _ = budget.available
                await send([.retry(RetryOptions(backoff: Backoff(base: .zero)), budget: budget)])
                _ = budget.available
            }
        },
        ExtremeCall("HedgingOptions.init(percentile:window:minimumLatencies:initialDelay:minimumDelay:)") {
            var rules =
                Extreme.doubles.map { HedgingOptions(percentile: $0, minimumLatencies: 1) }
                + Extreme.durations.map { HedgingOptions(initialDelay: $0, minimumDelay: .zero) }
                + Extreme.durations.map { HedgingOptions(minimumLatencies: 1, minimumDelay: $0) }
            for number in Extreme.integers {
                rules += [
                    HedgingOptions(window: number), HedgingOptions(minimumLatencies: number),
                    HedgingOptions(window: number, minimumLatencies: number),
                ]
            }
            for rule in rules {
                let hedging = HedgingInterceptor(options: rule, budget: nil)
                for _ in 0..<3 { await send([hedging]) }
            }
        },
        ExtremeCall("CircuitBreakerOptions.init(failureRatio:window:minimumOutcomes:openDuration:probes:)") {
            var rules =
                Extreme.doubles.map { CircuitBreakerOptions(failureRatio: $0) }
                + Extreme.durations.map { CircuitBreakerOptions(openDuration: $0) }
            for number in Extreme.integers {
                rules += [
                    CircuitBreakerOptions(window: number), CircuitBreakerOptions(minimumOutcomes: number),
                    CircuitBreakerOptions(probes: number),
                    CircuitBreakerOptions(window: number, minimumOutcomes: number),
                ]
            }
            for rule in rules {
                let breaker = CircuitBreaker(options: rule)
                for _ in 0..<3 { await send([breaker]) }
                _ = breaker.openHosts
            }
        },
        ExtremeCall("ConcurrencyGate.init(maximumConcurrency:maximumConcurrencyPerHost:maximumWaiting:clock:)") {
            for number in Extreme.integers {
                await send([ConcurrencyGate(maximumConcurrency: number)])
                await send([ConcurrencyGate(maximumConcurrencyPerHost: number)])
                await send([ConcurrencyGate(maximumWaiting: number)])
            }
        },
        ExtremeCall(
            "AdaptiveLimit.adaptive(initial:minimum:maximum:)", "ConcurrencyGate.init(_:maximumConcurrency:maximumWaiting:clock:)"
        ) {
            for number in Extreme.integers {
                for limit in [
                    AdaptiveLimit.adaptive(initial: number), .adaptive(minimum: number), .adaptive(maximum: number),
                    .adaptive(initial: number, minimum: number, maximum: number),
                ] { await send([ConcurrencyGate(limit)]) }
                await send([ConcurrencyGate(.adaptive(), maximumConcurrency: number)])
                await send([ConcurrencyGate(.adaptive(), maximumWaiting: number)])
            }
            for time in Extreme.durations {
                let clock = ManualClock()
                let gate = ConcurrencyGate(.adaptive(), clock: clock)
                for _ in 0..<3 { await send([gate, Timed(clock: clock, time: time, number: 1)]) }
            }
        },
        ExtremeCall("RateLimit.init(_:per:burst:)", "RateLimiter.init(_:maximumDelay:clock:)") {
            for time in Extreme.durations {
                for limiter in [
                    RateLimiter(RateLimit(1, per: time)), RateLimiter(RateLimit(1, per: .seconds(1)), maximumDelay: time),
                    RateLimiter(nil, maximumDelay: time),
                ] { for _ in 0..<3 { await send([limiter]) } }
            }
            for number in Extreme.integers {
                for limit in [RateLimit(number, per: .seconds(1)), RateLimit(1, per: .seconds(1), burst: number)] {
                    let limiter = RateLimiter(limit)
                    for _ in 0..<3 { await send([limiter]) }
                }
            }
        },
        ExtremeCall("NetworkInterceptor.deadline(_:clock:)") {
            for time in Extreme.durations {
                await send([.deadline(time), .retry(budget: nil)])
                await send([.deadline(time, clock: ManualClock())])
                await send([.deadline(.seconds(1)), .retry(budget: nil)], deadline: .limit(time))
                await send(RequestPipeline { $0.deadline = time }.interceptors)
            }
        },
        ExtremeCall(
            "AWSCredentials.init(accessKeyID:secretAccessKey:sessionToken:)",
            "AWSSignature.init(credentials:region:service:payload:now:)",
            "AWSSignature.init(region:service:payload:now:credentials:)", "AWSSignature.presignedURL(for:validFor:)",
            "MessageSignature.init(keyID:key:components:label:lifetime:tag:addsNonce:now:)"
        ) {
            for text in Extreme.texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                let keys = AWSCredentials(accessKeyID: text, secretAccessKey: text, sessionToken: text)
                describe(keys)
                let signature = AWSSignature(credentials: keys, region: text, service: text)
                await send([.signing(signature, for: api)])
                _ = try? await signature.presignedURL(for: NetworkRequest(url: api.baseURL))
                let message = MessageSignature(
                    keyID: text, key: Data(text.utf8), components: [.field(HeaderName(rawValue: text))], label: text, tag: text)
                describe(message)
                await send([.signing(message, for: api)])
            }
            for duration in Extreme.durations {
                let signature = AWSSignature(region: "r", service: "s") { AWSCredentials(accessKeyID: "k", secretAccessKey: "s") }
                _ = try? await signature.presignedURL(for: NetworkRequest(url: api.baseURL), validFor: duration)
                await send([.signing(MessageSignature(keyID: "k", key: Data(), lifetime: duration), for: api)])
            }
            for date in Extreme.dates {
                let keys = AWSCredentials(accessKeyID: "k", secretAccessKey: "s")
                await send([.signing(AWSSignature(credentials: keys, region: "r", service: "s", now: { date }), for: api)])
                await send([.signing(MessageSignature(keyID: "k", key: Data(), lifetime: .seconds(1), now: { date }), for: api)])
            }
        },
        ExtremeCall(
            "ChallengeInterceptor.Scheme.init(rawValue:)", "ChallengeInterceptor.init(user:password:origins:schemes:minimum:)",
            "NetworkInterceptor.authenticationOnChallenge(user:password:for:schemes:minimum:)"
        ) {
            for text in Extreme.texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                describe(ChallengeInterceptor.Scheme(rawValue: text))
                await send([.authenticationOnChallenge(user: text, password: text, for: api, schemes: [.init(rawValue: text)])])
            }
        },
        ExtremeCall(
            "Credential.init(expires:token:refreshToken:user:password:header:authorize:)",
            "Credential.bearer(_:refreshToken:expires:)", "Credential.basic(user:password:)", "Credential.header(_:for:)",
            "RefreshingCredentials.init(initial:timeout:clock:now:refresh:)"
        ) {
            // These credentials are also redacted from texts in other tests, so they must not be part of those texts.
            for text in Extreme.texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                for credential in [
                    Credential.bearer(text, refreshToken: text), .basic(user: text, password: text), .header(text, for: text),
                    Credential(token: text, refreshToken: text, user: text, password: text) {
                        $0.setCredential(text, for: "X-Member")
                    },
                ] {
                    describe(credential)
                    await send([.authentication(credential, for: api)])
                }
            }
            for date in Extreme.dates {
                let credential = Credential.bearer("t", expires: date)
                describe(credential)
                describe(Credential(expires: date) { _ in })
                for now in [Date(), date] {
                    let credentials = RefreshingCredentials(initial: credential, now: { now }) { _ in credential }
                    await send([.authentication(credentials, for: api)])
                }
            }
            for time in Extreme.durations {
                let credentials = RefreshingCredentials(timeout: time) { _ in .bearer("t") }
                await send([.authentication(credentials, for: api)])
            }
        },
        ExtremeCall(
            "OAuthClient.init(tokenURL:clientID:secret:options:session:clock:now:)",
            "OAuthOptions.init(deviceAuthorizationURL:clientAuthentication:parameters:renewalMargin:requestTimeout:lockTimeout:resendsAfterLostResponse:allowsUnencrypted:)",
            "OAuthClient.clientCredentials(scope:savedIn:)", "OAuthClient.deviceFlow(scope:savedIn:isolation:prompt:)",
            "OAuthError.init(_:_:serverDescription:statusCode:underlying:)", "OAuthError.Code.init(rawValue:)",
            "DevicePrompt.init(verificationURL:completeVerificationURL:userCode:expires:)"
        ) {
            let session = StubSessionManager()
            session.route { _ in .json(#"{"access_token":"token of a test","token_type":"Bearer","expires_in":1e308}"#) }
            for text in Extreme.texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                let error = OAuthError(.init(rawValue: text), text, serverDescription: text)
                describe(error)
                describe(DevicePrompt(verificationURL: api.baseURL, userCode: text, expires: Date()))
                _ = try? OAuthClient(tokenURL: text, clientID: text, secret: text)
                _ = try? OAuthClient(
                    tokenURL: "https://auth.test/", clientID: "a",
                    options: OAuthOptions(deviceAuthorizationURL: text, parameters: [text: text]))
                let oauth = try OAuthClient(
                    tokenURL: "https://auth.test/", clientID: "a",
                    options: OAuthOptions(deviceAuthorizationURL: "https://auth.test/"), session: session)
                describe(oauth)
                await send([.authentication(oauth.clientCredentials(scope: [text]), for: api)])
                _ = try? await oauth.deviceFlow(scope: [text]) { _ in }
            }
            for number in Extreme.integers { describe(OAuthError(.invalidGrant, "", statusCode: number)) }
            for time in Extreme.durations {
                for options in [
                    OAuthOptions(renewalMargin: time), OAuthOptions(requestTimeout: time), OAuthOptions(lockTimeout: time),
                ] {
                    guard
                        let oauth = try? OAuthClient(
                            tokenURL: "https://auth.test/", clientID: "a", options: options, session: session)
                    else { continue }
                    await send([.authentication(oauth.clientCredentials(), for: api)])
                }
            }
            for date in Extreme.dates {
                describe(DevicePrompt(verificationURL: api.baseURL, userCode: "", expires: date))
                let oauth = try OAuthClient(tokenURL: "https://auth.test/", clientID: "a", session: session, now: { date })
                await send([.authentication(oauth.clientCredentials(), for: api)])
            }
        },
        ExtremeCall(
            "OAuthTokens.init(accessToken:refreshToken:issued:expires:scope:)", "CredentialStoreError.Code.init(rawValue:)",
            "CredentialStoreError.init(_:_:systemError:)", "CredentialStore.signIn(with:timeout:)",
            "CredentialStore.signOut(timeout:)",
            "InMemoryCredentialStore.withLock(timeout:_:)",
            "FileCredentialStore.withLock(timeout:_:)"
        ) {
            let session = StubSessionManager()
            func use(_ tokens: OAuthTokens) async throws {
                describe(tokens)
                _ = try? CredentialRecord(json: CredentialRecord(tokens).json())
                let oauth = try OAuthClient(tokenURL: "https://auth.test/", clientID: "a", session: session)
                await send([.authentication(oauth.refreshing(savedIn: InMemoryCredentialStore(tokens)), for: api)])
            }
            for text in Extreme.texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                try await use(OAuthTokens(accessToken: text, refreshToken: text, scope: text))
                describe(CredentialStoreError(.init(rawValue: text), text))
            }
            for date in Extreme.dates {
                try await use(OAuthTokens(accessToken: "a", refreshToken: "b", issued: date, expires: Date()))
                try await use(OAuthTokens(accessToken: "a", refreshToken: "b", issued: date, expires: date))
                try await use(OAuthTokens(accessToken: "a", refreshToken: "b", expires: date))
            }
            for number in Extreme.integers {
                describe(CredentialStoreError(.damaged, "", systemError: Int32(truncatingIfNeeded: number)))
            }
            let name = "extremes-\(UUID().uuidString)"
            let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(name)
            defer { try? FileManager.default.removeItem(at: folder) }
            for time in Extreme.durations {
                for store in [
                    InMemoryCredentialStore(), FileCredentialStore(folder.appendingPathComponent("a")),
                ] as [any CredentialStore] {
                    try? await store.signIn(with: OAuthTokens(accessToken: "a"), timeout: time)
                    try? await store.withLock(timeout: time) {
                        await cancelling { try await store.withLock(timeout: time) {} }
                    }
                    try? await store.signOut(timeout: time)
                }
            }
        },
        ExtremeCall("TraceContext.init?(traceparent:tracestate:)") {
            for text in Extreme.texts {
                _ = TraceContext(traceparent: text, tracestate: text)
                let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
                describe(TraceContext(traceparent: valid, tracestate: text)?.child as Any)
            }
        },
        ExtremeCall("Waterfall.init(maximumCalls:)", "Waterfall.html(title:)") {
            for text in Extreme.texts { _ = Waterfall().html(title: text) }
            for (number, time) in Extreme.pairs(Extreme.integers, Extreme.durations, usual: (10, .seconds(1))) {
                for waterfall in [Waterfall(maximumCalls: number), Waterfall()] {
                    let clock = ManualClock()
                    let timed = Timed(clock: clock, time: time, number: number)
                    let again = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero)), budget: nil)
                    await send([ObservationInterceptor(waterfall, clock: clock), again, timed])
                    _ = waterfall.html()
                }
            }
        },
    ]
}
