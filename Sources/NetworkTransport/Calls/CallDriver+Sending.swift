import Endpoints
import NetworkLogging
import NetworkSupport

// What an exchange sends and reports, for session managers of other packages.
extension CallDriver {
    /// The time limit for name lookup, TCP connect and TLS handshake together.
    public var connectTimeout: Duration { original.timeouts.connect ?? rules.configuration.connectTimeout }

    /// The maximum time without a byte in either direction. It does not run while the exchange waits for the reader of a streamed response or
    /// for the sequence that produces the body.
    public var idleTimeout: Duration {
        let idle = original.timeouts.idle ?? rules.configuration.idleTimeout
        return min(idle, original.headDeadline?.limit ?? idle)
    }

    /// The time limit for everything, from the call on; `nil` for no limit.
    public var totalTimeout: Duration? { original.timeouts.total(rules.configuration.totalTimeout) }

    /// The time that is left until the head of the final response must arrive, because of a deadline; `nil` for no limit.
    public var headTimeout: Duration? { original.headDeadline?.remaining }

    /// Returns the header fields to send: those of a request, the stored cookies in the same field as its own (RFC 6265 §5.4), and `User-Agent`.
    /// Fields that frame the body, and `Host`, are up to the exchange.
    ///
    /// - Parameter cookies: The cookies that were passed to ``Exchange/send(_:cookies:)``.
    public func fields(of request: NetworkRequest, cookies: String?) -> HeaderFields {
        var fields = request.headers
        if let cookies {
            let own = fields.values(for: "Cookie").filter { !$0.isEmpty }
            fields.set((own + [cookies]).joined(separator: "; "), for: "Cookie")
        }
        if let agent = rules.configuration.userAgent, !fields.contains("User-Agent") { fields.add(agent, for: "User-Agent") }
        return fields
    }

    /// Whether the response to ``request`` may be followed: it is a redirect (RFC 9110 §15.4), and neither the configuration nor the request rules
    /// that out. The exchange then waits for a decision before it delivers the body.
    ///
    /// - Parameters:
    ///   - status: The status of a final response.
    ///   - hasLocation: Whether there is a `Location` field.
    public func mayFollow(status: Int, hasLocation: @autoclosure () -> Bool) -> Bool {
        rules.redirects.mayFollow(status: status, request) && hasLocation()
    }

    /// Checks the number of header fields of a response.
    ///
    /// - Throws: ``TransportError/Code/headersTooLarge`` for more than ``SessionConfiguration/maximumHeaderFields``.
    public func check(_ headers: HeaderFields) throws(TransportError) {
        let maximum = rules.configuration.maximumHeaderFields
        guard headers.count <= maximum else {
            throw TransportError(.headersTooLarge, TransportError.tooManyFields(maximum), phase: .receive, request: request)
        }
    }

    /// Reports progress to the observer of the request, at most 20 times per second.
    ///
    /// - Parameter measure: Sets the counts of bytes. Called before the method returns, if there is an observer and a report is due. Calls from
    ///   several threads must not overlap.
    public func reportProgress(_ measure: (inout TransferProgress) -> Void) {
        notifier?.report(at: monotonicNanoseconds(), measure)
    }

    /// Reports the end of a call whose body the exchange itself provides, when that body has ended or was released. It returns when the observer
    /// has processed that. Further calls have no effect.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the method runs. Default: that of the caller, so that `measure` can use its state.
    ///   - measure: Adds what has changed since the last report. Called at most once, on the caller's task and actor.
    public func finishProgress(
        isolation: isolated (any Actor)? = #isolation, _ measure: (inout TransferProgress) -> Void = { _ in }
    ) async {
        notifier?.finish(measure)
        await notifier?.settled()
    }
}
