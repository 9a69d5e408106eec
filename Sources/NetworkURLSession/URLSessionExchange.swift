import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One task of a `URLSession`: one request and its response, without redirects.
///
/// It collects what the delegate receives; the engine takes it when the task has ended.
final class URLSessionExchange: Sendable {
    /// The parts of the response that were received.
    struct Received: Sendable {
        var response: HTTPURLResponse?
        var body = Data()
        /// Whether the server requested credentials and the challenge was cancelled. The task's cancellation is then not a
        /// failure.
        var wasChallenged = false
        /// Whether a response arrived that is not HTTP.
        var isNotHTTP = false
        /// Whether further data is dropped.
        var isClosed = false
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
    private let received = Locked(Received())
    /// The WebSocket that was opened, and its subprotocol.
    let webSocket = Locked<(socket: URLSessionWebSocket, subprotocol: String?)?>(nil)
    /// Whether the task was cancelled. The lock is held while the task is cancelled and while a redirect or a challenge is
    /// completed: on Linux, completing one after a cancellation stops the process.
    private let isCancelled = Locked(false)

    init(_ task: URLSessionTask, transfer: URLSessionTransfer, limits: SessionConfiguration, trust: URLSessionTrust?) {
        self.task = task
        self.transfer = transfer
        self.limits = limits
        self.trust = trust
        request = transfer.request
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

    /// Removes and returns what was received.
    func take() -> Received {
        received.withLock { received in
            defer { received.body = Data() }
            return received
        }
    }

    func update(_ change: (inout Received) -> Void) {
        received.withLock { change(&$0) }
    }

    private func close() {
        received.withLock { received in
            received.isClosed = true
            received.body = Data()
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
        update { $0.response = response }
    }

    func receive(_ data: Data) {
        transfer.move(to: .receive)
        let fits = received.withLock { received in
            if received.isClosed { return true }
            guard data.count <= limits.maximumBodyBytes - received.body.count else { return false }
            received.body.append(data)
            return true
        }
        guard !fits else { return reportProgress() }
        exceed(.bodyTooLarge, "the body is larger than \(limits.maximumBodyBytes) bytes (maximumBodyBytes)")
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
    /// Returns the response from what was received and the task's error.
    func response(_ received: Received, _ error: (any Error)?) throws(TransportError) -> NetworkResponse {
        let activity = transfer.activity.withLock { $0 }
        if let error, !isRefusal(error, received.response ?? task.response as? HTTPURLResponse) {
            let code = (error as NSError).code
            guard received.wasChallenged, received.response != nil, code == URLError.Code.cancelled.rawValue else {
                throw URLSessionErrors.transportError(error, phase: activity.phase, request: request)
            }
        }
        // On Linux, a redirect that cannot be followed causes no event.
        guard let response = received.response ?? task.response as? HTTPURLResponse else {
            let reason = received.isNotHTTP ? "the response is not HTTP" : "the task ended without a response"
            throw TransportError(.malformedResponse, reason, phase: .receive, request: request)
        }
        return NetworkResponse(
            statusCode: response.statusCode, headers: HeaderFields(response), body: .data(received.body), url: request.url,
            timings: timings(received, activity))
    }

    func timings(_ received: Received, _ activity: URLSessionActivity) -> TransferTimings {
        var timings = received.timings
        timings.queued = .nanoseconds(Int64(clamping: activity.queued))
        timings.total = .nanoseconds(Int64(URLSessionClock.now - activity.submitted))
        timings.redirects = transfer.redirects
        timings.bytesSent = Int64(request.body?.data?.count ?? 0)
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
            progress.totalBytesToSend = Int64(exchange.request.body?.data?.count ?? 0)
        }
        exchange.transfer.move(to: totalBytesSent < Int64(exchange.request.body?.data?.count ?? 0) ? .send : .firstByte)
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
