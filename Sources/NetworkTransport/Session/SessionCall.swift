import Endpoints
import NetworkLogging
import NetworkSupport

/// One call of a session manager, from the request to the last of its redirects: see ``SessionRules``.
public struct SessionCall: Sendable {
    let rules: SessionRules
    private var trail = RedirectTrail()
    private let progress: ProgressReporter?
    /// The next request to send: that of the caller after the checks, or that of a redirect.
    public private(set) var request: NetworkRequest

    init(_ request: NetworkRequest, rules: SessionRules) {
        self.request = request
        self.rules = rules
        progress = ProgressReporter(request.progress, submitted: monotonicNanoseconds())
        let bound = request.headDeadline
        headTimeout = bound?.remaining
        let idle = request.timeouts.idle ?? rules.configuration.idleTimeout
        idleTimeout = min(idle, bound?.limit ?? idle)
        connectTimeout = request.timeouts.connect ?? rules.configuration.connectTimeout
        totalTimeout = request.timeouts.total(rules.configuration.totalTimeout)
    }

    /// The time limit for name lookup, TCP connect and TLS handshake together.
    public let connectTimeout: Duration
    /// The maximum time without a byte in either direction. It does not run while the session manager waits for the reader of a streamed
    /// response or for the sequence that produces the body.
    public let idleTimeout: Duration
    /// The time limit for everything, from the call on; `nil` for no limit.
    public let totalTimeout: Duration?
    /// The time from the call on in which the head of the final response must arrive, because of a deadline; `nil` for no limit.
    public let headTimeout: Duration?

    /// The scheme, host and port of the next request (RFC 6454 §4), such as `https://api.example.com:443`.
    public var origin: String { request.origin }
    /// The number of redirects that were followed.
    public var redirectCount: Int { trail.count }

    /// The header fields to send: those of the request, the stored cookies in the same field as its own (RFC 6265 §5.4), and `User-Agent`.
    /// Fields that frame the body, and `Host`, are up to the session manager.
    public var fields: HeaderFields {
        var fields = request.headers
        if let added = rules.cookieStore?.added(to: request, after: trail) {
            let own = fields.values(for: "Cookie").filter { !$0.isEmpty }
            fields.set((own + [added]).joined(separator: "; "), for: "Cookie")
        }
        if let agent = rules.configuration.userAgent, !fields.contains("User-Agent") { fields.add(agent, for: "User-Agent") }
        return fields
    }

    /// Receives the head of a response, and decides whether a redirect is followed (RFC 9110 §15.4). Stores its cookies.
    ///
    /// - Parameters:
    ///   - status: The status of a final response, 200 or more.
    ///   - headers: Its header fields.
    ///   - isVerified: Whether it was received over TLS from a server whose certificate was verified: only then is
    ///     `Strict-Transport-Security` followed.
    /// - Returns: `true` if ``request`` is now that of a redirect and has to be sent; credentials are left out of it if its origin is another.
    ///   `false` if this response is the result.
    /// - Throws: ``TransportError/Code/headersTooLarge`` for more fields than ``SessionConfiguration/maximumHeaderFields``,
    ///   ``TransportError/Code/tooManyRedirects``, ``TransportError/Code/redirectRefused``, or
    ///   ``TransportError/Code/bodyNotReplayable`` if the redirect needs a body that can be read only once.
    public mutating func receive(status: Int, headers: HeaderFields, isVerified: Bool) throws(TransportError) -> Bool {
        let maximum = rules.configuration.maximumHeaderFields
        guard headers.count <= maximum else {
            throw TransportError(
                .headersTooLarge, TransportError.tooManyFields(maximum), phase: .receive, request: request)
        }
        if let store = rules.cookieStore, let location = CookieLocation(request) {
            store.receive(headers.values(for: "Set-Cookie"), from: location)
        }
        if isVerified { rules.strictTransport?.receive(headers.values(for: "Strict-Transport-Security"), for: request) }
        guard RedirectRules.isRedirect(status),
            let next = try rules.redirects.next(after: request, status: status, headers: headers, trail: trail)
        else { return false }
        if let body = next.body, !body.isReplayable { throw .bodyNotReplayable(for: next) }
        next.report(.redirected(next))
        trail.append(request)
        request = next
        return true
    }

    /// Reports progress to the request's observer, at most 20 times per second.
    ///
    /// - Parameter measure: Sets the counts of bytes. Called before the method returns, if there is an observer and a report is due. Calls from
    ///   several threads must not overlap.
    public func reportProgress(_ measure: (inout TransferProgress) -> Void) {
        progress?.report(at: monotonicNanoseconds(), measure)
    }

    /// Reports the end of the call to the request's observer, and returns when it has processed that. Further calls have no effect.
    ///
    /// A session manager calls it exactly once it has nothing more to report: before it throws, before it returns a body in memory, and at the end
    /// of a streamed body.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the method runs. Default: that of the caller, so that `measure` can use its state.
    ///   - measure: Adds what has changed since the last report. Called at most once, on the caller's task and actor.
    public func reportEnd(
        isolation: isolated (any Actor)? = #isolation, _ measure: (inout TransferProgress) -> Void = { _ in }
    ) async {
        progress?.finish(measure)
        await request.progress.settled()
    }
}

extension SessionCall: RedactedStringConvertible {
    /// The next request to send, with secrets redacted.
    public var description: String { "SessionCall(\(request))" }
}
