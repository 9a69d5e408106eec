import Endpoints
import Foundation

/// One task of a `URLSession`: one request and its response, without redirects.
///
/// What arrives is collected here by the delegate; the engine takes it when the task has ended.
final class URLSessionHop: Sendable {
    /// What has arrived.
    struct Received: Sendable {
        var response: HTTPURLResponse?
        var body = Data()
        /// The server asked for credentials, and `URLSession` was told to give up: its cancellation is no failure.
        var wasChallenged = false
        /// A response that is not HTTP came.
        var isForeign = false
        /// Nobody wants the rest.
        var isClosed = false
        /// Where the time went, on platforms that tell.
        var timings = TransferTimings()
    }

    let task: URLSessionTask
    let transfer: URLSessionTransfer
    let request: NetworkRequest
    /// Asked about the server's certificate, on platforms where `URLSession` asks; without it, no server is trusted.
    let trust: URLSessionTrust?
    private let limits: SessionConfiguration
    private let received = Locked(Received())
    /// Whether the task was cancelled. Held while the task is cancelled and while a redirect or a challenge is answered: on
    /// Linux, an answer that follows a cancellation stops the process.
    private let isCancelled = Locked(false)

    init(_ task: URLSessionTask, transfer: URLSessionTransfer, limits: SessionConfiguration, trust: URLSessionTrust?) {
        self.task = task
        self.transfer = transfer
        self.limits = limits
        self.trust = trust
        request = transfer.request
    }

    /// Drops what comes from now on and cancels the task. Blocks while `URLSession` is busy.
    func tearDown() {
        close()
        isCancelled.withLock { isCancelled in
            isCancelled = true
            task.cancel()
        }
    }

    /// Answers a question of `URLSession`'s, unless the task was cancelled.
    func answer(_ reply: () -> Void) {
        isCancelled.withLock { isCancelled in
            if !isCancelled { reply() }
        }
    }

    /// Everything that arrived.
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

    // MARK: - What the delegate hears

    func receive(_ response: URLResponse) {
        transfer.move(to: .receive)
        guard let response = response as? HTTPURLResponse else { return update { $0.isForeign = true } }
        // Interim responses (RFC 9110 §15.2).
        guard response.statusCode >= 200 || response.statusCode == 101 else { return }
        guard HTTPHeaders.size(of: response) <= limits.maximumHeaderBytes else {
            return exceed(
                .headersTooLarge, "the response head is larger than \(limits.maximumHeaderBytes) bytes (maximumHeaderBytes)")
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
        transfer.progress?.report(at: monotonicNanoseconds()) { [received] progress in
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

extension URLSessionHop {
    /// What the events of this hop add up to.
    func response(_ received: Received, _ error: (any Error)?) throws(TransportError) -> NetworkResponse {
        let activity = transfer.activity.withLock { $0 }
        if let error {
            let code = (error as NSError).code
            guard received.wasChallenged, received.response != nil, code == URLError.Code.cancelled.rawValue else {
                throw URLSessionErrors.transportError(error, phase: activity.phase, request: request)
            }
        }
        // On Linux, a redirect that cannot be followed is no event.
        guard let response = received.response ?? task.response as? HTTPURLResponse else {
            let reason = received.isForeign ? "the response is not HTTP" : "it ended without a response"
            throw TransportError(.malformedResponse, reason, phase: .receive, request: request)
        }
        return NetworkResponse(
            statusCode: response.statusCode, headers: HTTPHeaders(response), body: received.body, url: request.url,
            timings: timings(received, activity))
    }

    private func timings(_ received: Received, _ activity: URLSessionActivity) -> TransferTimings {
        var timings = received.timings
        timings.queued = .nanoseconds(Int64(clamping: activity.queued))
        timings.total = .nanoseconds(Int64(URLSessionClock.now - activity.submitted))
        timings.redirects = transfer.redirects
        timings.bytesSent = Int64(request.body?.data?.count ?? 0)
        timings.bytesReceived = Int64(received.body.count)
        return timings
    }
}
