import Endpoints
import Foundation
import NetworkSupport

/// Drives one call of a session manager, from the request to its only completion: redirects, cookies, hosts that are contacted over TLS
/// only, time limits, progress. An ``Exchange`` sends the single requests.
///
///     let driver = try rules.driver(for: request)
///     return try await driver.response(over: MyExchange(driver))
///
/// What follows a response is decided on the thread or the task that receives it, so closures of the caller run under no lock and on no thread
/// of the engine. The response that ends the call is passed on once.
@_spi(SessionManagers) public final class CallDriver: Sendable {
    /// What an exchange delivers.
    public typealias Outcome = Result<ExchangeResponse, TransportError>

    /// What receives the outcome of an exchange.
    @usableFromInline enum Receiver {
        case continuation(UnsafeContinuation<Outcome, Never>)
        case completion(@Sendable (Outcome) -> Void)
    }

    /// What the calls of the session manager share.
    public let rules: CallRules
    /// The request of the caller after the checks, before any redirect.
    public let original: NetworkRequest
    /// When the call began, in nanoseconds of the monotonic clock.
    package let submitted = monotonicNanoseconds()
    /// The pipe for the body of a streamed response; `nil` if the body is part of the response.
    package let download: ResponseBodyPipe?
    /// Calls the observers of the request; `nil` if it has none.
    package let notifier: CallNotifier?
    private let state: Locked<CallState<Receiver>>

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - request: The prepared request (``CallRules/prepared(_:)``).
    ///   - download: The pipe to which the exchange writes the body of a streamed response. Default: `nil` for a body that is part of the response.
    package init(_ request: NetworkRequest, rules: CallRules, download: ResponseBodyPipe? = nil) {
        self.rules = rules
        original = request
        let isObserved = request.progress != nil || request.observesInformationalResponses
        notifier = isObserved ? CallNotifier(request, submitted: submitted) : nil
        self.download = download
        state = Locked(CallState(request))
    }

    // MARK: For session managers

    // Inlinable, because each call of an asynchronous function costs two changes of the executor.
    /// Performs the call and returns its response: the complete one, or one whose body is still arriving if the request is streamed.
    ///
    /// - Throws: At once when the task is cancelled.
    @inlinable
    public func response(over exchange: any Exchange) async throws(TransportError) -> NetworkResponse {
        var step = Step.send(original)
        while true {
            let outcome = await withTaskCancellationHandler { [step] in
                await withUnsafeContinuation { perform(step, over: exchange, .continuation($0)) }
            } onCancel: {
                exchange.cancel()
            }
            step = self.step(after: outcome, of: exchange)
            guard case .end(let result) = step else { continue }
            if mustSettle { await settled() }
            return try result.get()
        }
    }

    @usableFromInline var mustSettle: Bool { notifier?.mustSettle == true }

    @usableFromInline func settled() async {
        await notifier?.settled()
    }

    /// Performs the call.
    ///
    /// - Parameter completion: Called exactly once, where ``Exchange/run(_:)`` runs it.
    package func start(
        over exchange: any Exchange, completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) {
        take(.send(original), over: exchange, completion)
    }

    private func take(
        _ step: Step, over exchange: any Exchange,
        _ completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) {
        guard case .end(let result) = step else {
            return perform(
                step, over: exchange,
                .completion { outcome in
                    exchange.run { self.take(self.step(after: outcome, of: exchange), over: exchange, completion) }
                })
        }
        guard let notifier else { return completion(result) }
        notifier.whenSettled { exchange.run { completion(result) } }
    }

    /// Cancels the call, unless its outcome was delivered before. Ends a streamed body.
    func cancel(_ exchange: any Exchange) {
        let wasOpen = stop(TransportError(.cancelled, "the request was cancelled", request: original))
        if download == nil || wasOpen { exchange.withdraw() }
    }

    /// Ends the call with an error, unless its outcome was delivered before. Ends a streamed body, whose bytes that were not read are dropped.
    ///
    /// - Returns: `false` if the outcome was delivered before, and the body of a streamed response had ended.
    @discardableResult
    public func stop(_ error: TransportError) -> Bool {
        let (receiver, wasOpen) = state.withLock { $0.fail(error) }
        if let receiver { hand(.failure(error), to: receiver) }
        guard let download else { return wasOpen }
        if receiver == nil { notifier?.finish() }
        return download.cancel(error)
    }

    // MARK: For exchanges

    /// Whether the call has begun, and was neither cancelled nor completed.
    public var isAwaited: Bool { state.withLock(\.isAwaited) }

    /// The current request: that of the caller, or of the latest redirect.
    public var request: NetworkRequest { state.withLock(\.request) }

    /// The number of redirects that were followed.
    public var redirectCount: Int { state.withLock(\.trail.count) }

    /// Delivers a response: the complete one, the head of a streamed one, or the head of a redirect that may be followed.
    public func receive(_ response: ExchangeResponse) {
        let receiver = state.withLock { $0.respond(isLast: !response.mayBeFollowed) }
        if let receiver { hand(.success(response), to: receiver) }
    }

    /// Ends the call: delivers the outcome, unless one was delivered before, and ends the body of a streamed response.
    public func end(_ outcome: Outcome) {
        let receiver: Receiver? = state.withLock { state in
            switch outcome {
            case .success(let response): state.respond(isLast: !response.mayBeFollowed)
            case .failure(let error): state.fail(error).receiver
            }
        }
        if let receiver { hand(outcome, to: receiver) }
        guard let download else { return }
        let end = outcome.map { StreamEnd(trailers: $0.response.trailers, timings: $0.response.timings) }
        guard receiver == nil, let notifier else { return download.finish(end) }
        notifier.finish { $0.complete(with: try? outcome.get().response.timings) }
        notifier.whenSettled { download.finish(end) }
    }

    private func hand(_ outcome: Outcome, to receiver: Receiver) {
        switch receiver {
        case .continuation(let continuation): continuation.resume(returning: outcome)
        case .completion(let completion): completion(outcome)
        }
    }

    // MARK: What follows

    /// What the driver does next.
    @usableFromInline enum Step {
        case send(NetworkRequest)
        /// Receives the body of a redirect that is returned.
        case receiveBody
        case end(Result<NetworkResponse, TransportError>)
    }

    @usableFromInline func perform(_ step: Step, over exchange: any Exchange, _ receiver: Receiver) {
        if let failure = state.withLock({ $0.await(receiver) }) { return hand(.failure(failure), to: receiver) }
        switch step {
        case .send(let request): exchange.send(request, cookies: storedCookies(for: request))
        case .receiveBody: exchange.receiveBody()
        case .end: break
        }
    }

    /// Decides what follows an outcome. Called on the thread or the task that receives it.
    @usableFromInline func step(after outcome: Outcome, of exchange: any Exchange) -> Step {
        // The thread sanitizer sees the synchronization by the lock of the state, but not that by the continuation.
        assert(!isAwaited)
        switch outcome {
        case .failure(let error): return end(with: error)
        case .success(let response):
            if rules.learnsFromResponses { learn(from: response) }
            if response.mayBeFollowed {
                var failure: TransportError?
                do throws(TransportError) {
                    if let next = try redirect(by: response) { return .send(next) }
                } catch {
                    failure = error
                    failure?.timings = response.response.timings
                }
                if failure == nil, response.isBodyPending, download == nil { return .receiveBody }
                failure = state.withLock { $0.settle() } ?? failure
                let isReceived = failure == nil && response.isBodyPending
                if isReceived { exchange.receiveBody() } else { exchange.withdraw() }
                if let failure { return end(with: failure) }
            }
            return end(with: response, exchange)
        }
    }

    /// Returns the request that a redirect leads to; `nil` if the response is returned.
    private func redirect(by received: ExchangeResponse) throws(TransportError) -> NetworkRequest? {
        let (request, trail) = state.withLock { ($0.request, $0.trail) }
        let response = received.response
        guard
            let next = try rules.redirects.next(
                after: request, status: response.statusCode, headers: response.headers, trail: trail)
        else { return nil }
        if next.body != nil, !received.canSendBodyAgain { throw .bodyNotReplayable(for: next) }
        next.report(.redirected(next))
        state.withLock { $0.follow(next) }
        return next
    }

    /// Returns the stored cookies for a request, except those whose names are in its own `Cookie` field; `nil` if there are none.
    private func storedCookies(for request: NetworkRequest) -> String? {
        guard let cookies = rules.cookieStore else { return nil }
        return cookies.added(to: request, after: state.withLock(\.trail))
    }

    /// Stores what the header fields of a response say about later requests: its cookies, and that its host is contacted over TLS only.
    private func learn(from received: ExchangeResponse) {
        let (request, headers) = (request, received.response.headers)
        if let cookies = rules.cookieStore, headers.contains("Set-Cookie"), let location = CookieLocation(request) {
            cookies.receive(headers.values(for: "Set-Cookie"), from: location)
        }
        // Only a verified connection may turn the protection on or off (RFC 6797 §8.1).
        if let strictTransport = rules.strictTransport, received.isVerified {
            strictTransport.receive(received.strictTransportFields, for: request)
        }
    }

    private func end(with error: TransportError) -> Step {
        notifier?.finish()
        return .end(.failure(error))
    }

    private func end(with received: ExchangeResponse, _ exchange: any Exchange) -> Step {
        var response = received.response
        if received.isDownload, let download {
            response.body = NetworkBody(next: download.next, end: { download.end }, stop: exchange.cancel)
        }
        // Otherwise the call ends with the body.
        if let notifier, response.isBodyInMemory { notifier.finish { $0.complete(with: response.timings) } }
        return .end(.success(response))
    }
}

extension CallDriver: RedactedStringConvertible {
    /// The request of the caller, with secrets redacted.
    public var description: String { "CallDriver(\(original))" }
}

extension TransferProgress {
    /// Sets the final numbers of bytes if the call has succeeded.
    fileprivate mutating func complete(with timings: TransferTimings?) {
        guard let timings else { return }
        bytesSent = timings.bytesSent
        totalBytesToSend = bytesSent
        bytesReceived = timings.bytesReceived
        totalBytesToReceive = bytesReceived
    }
}
