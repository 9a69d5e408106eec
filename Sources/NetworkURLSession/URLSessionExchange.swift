import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One task of a `URLSession`: one request and its response, without redirects.
///
/// It collects what the delegate receives, and the engine takes that when the task has ended. The head of a streamed response is delivered at once,
/// and its body passed to the reader.
final class URLSessionExchange: Sendable {
    /// The parts of the response that were received.
    struct Received: Sendable {
        var response: HTTPURLResponse?
        var body: URLSessionBody
        /// Whether the server requested credentials and the challenge was cancelled. The task's cancellation is then not a
        /// failure.
        var wasChallenged = false
        /// Whether the response is a redirect that is followed without asking the caller: what follows its head does not matter.
        var isFollowed = false
        /// Whether a response arrived that is not HTTP.
        var isNotHTTP = false
        /// Delivers the end of the task, after what waits for the reader.
        var deliverEnd: (@Sendable () -> Void)?
        /// The durations of the phases, on platforms that measure them.
        var timings = TransferTimings()
    }

    let task: URLSessionTask
    let transfer: URLSessionTransfer
    let request: NetworkRequest
    /// Decides on the server's certificate, on platforms where `URLSession` asks for a decision; without it, no server is
    /// trusted.
    let trust: URLSessionTrust?
    private let limits: SessionConfiguration
    /// The number of redirects that have led to this request.
    private let redirects: Int
    /// The number of bytes of the request's body; `nil` if it is not known.
    let bodyCount: Int64?
    /// Writes the body that is produced while it is sent.
    private let bodyWriter = Locked<BodyWriter?>(nil)
    private let received: Locked<Received>
    /// Whether `URLSession` is paused.
    private let isSuspended = Locked(false)
    /// The WebSocket that was opened, and its subprotocol.
    let webSocket = Locked<(socket: URLSessionWebSocket, subprotocol: String?)?>(nil)
    /// Whether the task was cancelled. The lock is held while the task is cancelled and while a redirect or a challenge is
    /// completed: on Linux, completing one after a cancellation stops the process.
    private let isCancelled = Locked(false)

    init(
        _ task: URLSessionTask, transfer: URLSessionTransfer, limits: SessionConfiguration, trust: URLSessionTrust?,
        backlog: BodyBacklog = BodyBacklog()
    ) {
        self.task = task
        self.transfer = transfer
        self.limits = limits
        self.trust = trust
        received = Locked(Received(body: URLSessionBody(maximumBytes: limits.maximumBodyBytes, backlog: backlog)))
        request = transfer.request
        redirects = transfer.redirects
        bodyCount = transfer.currentUpload.map(\.count) ?? 0
    }

    /// Drops further data and cancels the task. Blocks while `URLSession` is busy.
    func tearDown() {
        close()
        isCancelled.withLock { isCancelled in
            isCancelled = true
            task.cancel()
        }
    }

    /// Calls a completion handler of `URLSession`, unless the task was cancelled.
    func unlessCancelled(_ complete: () -> Void) {
        isCancelled.withLock { isCancelled in
            if !isCancelled { complete() }
        }
    }

    /// Removes and returns what was received, and the collected body.
    func take() -> (parts: Received, body: Data) {
        received.withLock { received in
            let body = received.body.takeCollected()
            return (received, body)
        }
    }

    func update(_ change: (inout Received) -> Void) {
        received.withLock { change(&$0) }
    }

    private func close() {
        received.withLock { received in
            received.body.close()
            received.deliverEnd = nil
        }
        stopWriting()
    }

    /// Writes the body of the request into a sink, again each time that `URLSession` asks for it.
    ///
    /// - Returns: Whether it is written. If not, the transfer has failed.
    func writeBody(to sink: any BodySink) -> Bool {
        do throws(TransportError) {
            guard let chunks = try transfer.currentUpload?.chunks() else { return false }
            let writer = BodyWriter(chunks, length: bodyCount, to: sink) { [weak self] error in
                guard let self else { return }
                transfer.fail(TransportError(like: error, request: request))
            }
            bodyWriter.withLock { current in
                current?.stop()
                current = writer
            }
            return true
        } catch {
            transfer.fail(TransportError(like: error, request: request))
            return false
        }
    }

    private func stopWriting() {
        bodyWriter.withLock { writer in
            writer?.stop()
            writer = nil
        }
    }

    // MARK: - Events of the delegate

    func receive(_ response: URLResponse) {
        transfer.move(to: .receive)
        guard let response = response as? HTTPURLResponse else { return update { $0.isNotHTTP = true } }
        // Ignores interim responses (RFC 9110 §15.2).
        guard response.statusCode >= 200 || response.statusCode == 101 else { return }
        guard HeaderFields.size(of: response) <= limits.maximumHeaderBytes else {
            return exceed(
                .headersTooLarge, "the response head is larger than \(limits.maximumHeaderBytes) bytes (maximumHeaderBytes)")
        }
        guard response.allHeaderFields.count <= limits.maximumHeaderFields else {
            return exceed(.headersTooLarge, TransportError.tooManyFields(limits.maximumHeaderFields))
        }
        if !RedirectRules.isRedirect(response.statusCode) { transfer.endHeadBound() }
        let mayBeFollowed = mayBeFollowed(response)
        let isFollowed = mayBeFollowed && request.redirects.followsAll
        update { ($0.response, $0.isFollowed) = (response, isFollowed) }
        if !mayBeFollowed { stream(response) }
    }

    /// Delivers the head of a streamed response. Its body follows through the pipe.
    private func stream(_ response: HTTPURLResponse) {
        guard let pipe = transfer.driver.download else { return }
        let isFirst = received.withLock { received in
            if received.body.isStreaming { return false }
            received.body.stream(to: pipe)
            return true
        }
        guard isFirst else { return }
        transfer.reader?.exchange = self
        let parts = received.withLock { $0 }
        transfer.driver.receive(outcome(response, parts, .download))
    }

    func receive(_ data: Data) {
        transfer.move(to: .receive)
        let action = received.withLock { received in
            let action = received.body.receive(data)
            return received.isFollowed && action == .refuse ? .nothing : action
        }
        perform(action)
        reportProgress()
    }

    /// Whether bytes wait for the reader of a streamed response.
    var isPaused: Bool { received.withLock(\.body.isPaused) }

    /// Passes what waits to the reader, which has room again.
    func continueReading() {
        if received.withLock(\.body.isInFiles) {
            // The reader's thread does not wait for a disk.
            BackgroundThreads.files.run { self.perform(self.received.withLock { $0.body.continueReading() }) }
        } else {
            perform(received.withLock { $0.body.continueReading() })
        }
    }

    /// Calls a closure after the last byte was passed to the reader; at once if none waits.
    func end(_ deliver: @escaping @Sendable () -> Void) {
        let action = received.withLock { received in
            received.deliverEnd = deliver
            return received.body.receiveEnd()
        }
        perform(action)
    }

    private func perform(_ action: URLSessionBody.Action) {
        switch action {
        case .nothing: break
        case .adjustFlow: adjustFlow()
        case .end:
            let deliver = received.withLock { received in
                defer { received.deliverEnd = nil }
                return received.deliverEnd
            }
            deliver?()
        case .refuse: exceed(.bodyTooLarge, "the body is larger than \(limits.maximumBodyBytes) bytes (maximumBodyBytes)")
        case .fail(.tooManyBytes(let maximum)):
            exceed(.bodyTooLarge, "more than \(maximum) bytes of the body wait for the reader: URLSession does not pause")
        case .fail(.file(let error)):
            close()
            let message = "the bytes of the body that wait for the reader cannot be kept in a temporary file: \(error.message)"
            transfer.fail(TransportError(.outOfResources, message, phase: .receive, request: request, underlying: error))
        }
    }

    /// Pauses `URLSession` while bytes wait for the reader, where that is possible.
    private func adjustFlow() {
        isSuspended.withLock { isSuspended in
            let isPaused = self.isPaused
            guard isPaused != isSuspended else { return }
            isSuspended = isPaused
            transfer.pauseIdleTimeout(isPaused)
            task.setReceivingPaused(isPaused)
        }
    }

    private func reportProgress() {
        transfer.driver.notifier?.report(at: monotonicNanoseconds()) { [received] progress in
            received.withLock { received in
                progress.bytesReceived = Int64(received.body.count)
                progress.totalBytesToReceive = received.response.flatMap {
                    $0.expectedContentLength >= 0 ? $0.expectedContentLength : nil
                }
            }
        }
    }

    private func exceed(_ code: TransportError.Code, _ message: String) {
        close()
        transfer.fail(TransportError(code, message, phase: .receive, request: request))
    }
}

extension URLSessionExchange {
    /// Returns the outcome of the task, from what was received and its error. That of a streamed response ends its body.
    func outcome(_ error: (any Error)?) throws(TransportError) -> ExchangeResponse {
        let (parts, body) = take()
        let activity = transfer.activity.withLock { $0 }
        if let error, !parts.isFollowed, !isRefusal(error, parts.response ?? task.response as? HTTPURLResponse) {
            let code = (error as NSError).code
            guard parts.wasChallenged, parts.response != nil, code == URLError.Code.cancelled.rawValue else {
                throw URLSessionErrors.transportError(error, phase: activity.phase, request: request)
            }
        }
        // On Linux, a redirect that cannot be followed causes no event.
        guard let response = parts.response ?? task.response as? HTTPURLResponse else {
            let reason = parts.isNotHTTP ? "the response is not HTTP" : "the task ended without a response"
            throw TransportError(.malformedResponse, reason, phase: .receive, request: request)
        }
        return outcome(response, parts, parts.body.isStreaming ? .download : .body(.data(body)))
    }

    /// Returns a response, or the head of one.
    private func outcome(
        _ response: HTTPURLResponse, _ parts: Received, _ content: ExchangeResponse.ResponseContent
    ) -> ExchangeResponse {
        ExchangeResponse(
            status: response.statusCode, fields: .joined(HeaderFields(of: response)), content: content, lazyURL: request.lazyURL,
            timings: timings(parts, transfer.activity.withLock { $0 }), isVerified: trust?.isVerified(request) == true,
            mayBeFollowed: mayBeFollowed(response))
    }

    /// Whether a response is a redirect that may be followed.
    private func mayBeFollowed(_ response: HTTPURLResponse) -> Bool {
        transfer.driver.rules.redirects.mayFollow(status: response.statusCode, request)
            && response.value(forHTTPHeaderField: "Location") != nil
    }

    func timings(_ received: Received, _ activity: URLSessionActivity) -> TransferTimings {
        var timings = received.timings
        timings.queued = .nanoseconds(Int64(clamping: activity.queued))
        timings.total = .nanoseconds(Int64(URLSessionClock.now - activity.submitted))
        timings.redirects = redirects
        timings.bytesSent = bodyCount ?? task.countOfBytesSent
        timings.bytesReceived = Int64(received.body.count)
        return timings
    }
}

/// The delegate of a session, which passes each event to the exchange of its task.
///
/// `URLSession` retains it until the session is invalidated; it retains only the current exchanges. It is called on a serial
/// queue.
final class URLSessionDelegateBridge: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Locked<[Int: URLSessionExchange]>([:])
    private let whenOpened: @Sendable (URLSessionExchange) -> Void
    private let whenEnded: @Sendable (URLSessionExchange, (any Error)?) -> Void

    /// - Parameters:
    ///   - whenOpened: Called on the delegate's queue when the WebSocket of an exchange was opened, before its end.
    ///   - whenEnded: Called once for each exchange, on the delegate's queue, after its last event.
    init(
        whenOpened: @escaping @Sendable (URLSessionExchange) -> Void = { _ in },
        whenEnded: @escaping @Sendable (URLSessionExchange, (any Error)?) -> Void
    ) {
        self.whenOpened = whenOpened
        self.whenEnded = whenEnded
    }

    func add(_ exchange: URLSessionExchange) {
        exchanges.withLock { $0[exchange.task.taskIdentifier] = exchange }
    }

    func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard let exchange = exchange(of: task) else { return }
        exchange.transfer.driver.notifier?.report(at: monotonicNanoseconds()) { progress in
            progress.bytesSent = totalBytesSent
            progress.totalBytesToSend = exchange.bodyCount
        }
        exchange.transfer.move(to: totalBytesSent < exchange.bodyCount ?? .max ? .send : .firstByte)
    }

    /// Never follows a redirect; the engine does. `URLSession` would send credentials to another origin, and on Linux lose the
    /// body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return }
        exchange.receive(response)
        exchange.unlessCancelled { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return }
        // Decides without the lock: to verify a certificate, the system may load others from the network.
        let (disposition, credential) = exchange.disposition(of: challenge)
        exchange.unlessCancelled { completionHandler(disposition, credential) }
    }

    /// A WebSocket was opened. Called by the delegate's method of Apple platforms.
    func open(_ task: URLSessionTask, _ socket: any WebSocketTask, subprotocol: String?) {
        guard let exchange = exchange(of: task) else { return }
        exchange.open(socket, subprotocol: subprotocol)
        whenOpened(exchange)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        whenEnded(exchange, error)
    }
}
