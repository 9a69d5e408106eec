import Endpoints

/// The moment by which a call has to be answered: all attempts, pauses, lines and redirects together.
///
/// It travels in ``Endpoints/NetworkRequest/deadline``. Interceptors that wait ask it first; what is left of it bounds each attempt.
public struct Deadline: Sendable {
    /// From the call on.
    public let limit: Duration
    /// Who set it, as errors show it: "set by the endpoint".
    public let source: String
    /// Whether the head of the response is what has to have come by then; a whole response otherwise. The body that follows the head
    /// may then take longer, as long as no more than ``limit`` passes without a byte.
    public let endsWithHead: Bool

    /// What session managers say of a head that has not come in time.
    static let headLateness = "the head of the response has not come"

    /// What session managers say when no byte moved, for the idle timeout or for a deadline that allows less.
    static func idleLateness(_ timeout: Duration, _ deadline: Deadline?) -> String {
        guard let deadline, deadline.limit < timeout else { return "no byte moved for the idle timeout" }
        return "no byte moved for \(deadline.limit), the deadline (\(deadline.source))"
    }

    private enum End {
        case continuous(ContinuousClock.Instant)
        case other(left: @Sendable () -> Duration)
    }

    private let end: End

    /// That long from now on a clock.
    ///
    /// - Parameters:
    ///   - limit: More than 10^9 seconds (some thirty years) counts as these, and less than zero as zero.
    ///   - source: Who set it, as errors show it.
    ///   - endsWithHead: Whether it is kept as soon as the head of the response has come.
    public init<Time: Clock<Duration>>(
        after limit: Duration, clock: Time, source: String = "set with the request", endsWithHead: Bool = false
    ) {
        if clock is ContinuousClock {
            self = .continuous(after: limit, source: source, endsWithHead: endsWithHead)
        } else {
            let end = clock.now.advanced(by: limit.bounded)
            self.init(limit: limit, source: source, endsWithHead: endsWithHead, end: .other { clock.now.duration(to: end) })
        }
    }

    private init(limit: Duration, source: String, endsWithHead: Bool, end: End) {
        self.limit = limit
        self.source = source
        self.endsWithHead = endsWithHead
        self.end = end
    }

    /// On the continuous clock, without the detour through its protocol.
    package static func continuous(after limit: Duration, source: String, endsWithHead: Bool) -> Deadline {
        let end = ContinuousClock.now.advanced(by: limit.bounded)
        return Deadline(limit: limit, source: source, endsWithHead: endsWithHead, end: .continuous(end))
    }

    /// Until then; zero or less once it has passed.
    public var remaining: Duration {
        switch end {
        case .continuous(let end): ContinuousClock.now.duration(to: end)
        case .other(let left): left()
        }
    }
    /// Whether it has passed.
    public var hasPassed: Bool { remaining <= .zero }

    /// For how much of the call it is, as errors show it.
    private var extent: String { endsWithHead ? "until the response's head" : "for the whole call" }

    /// The error of something that did not come in time; others, and those that came before it passed, as they are.
    package func named(in error: TransportError, of request: NetworkRequest) -> TransportError {
        guard error.isTimeout, hasPassed else { return error }
        return TransportError(
            .timedOut, "the deadline of \(limit) \(extent) ran out (\(source)): \(error.message)", phase: error.phase,
            request: request, engineCode: error.engineCode, underlying: error)
    }
}

private enum DeadlineKey: RequestContextKey {
    typealias Value = Deadline
}

private enum StreamedKey: RequestContextKey {
    typealias Value = Bool
}

extension NetworkRequest {
    /// By when the call has to be answered; `nil` where nobody said.
    public var deadline: Deadline? {
        get { context[DeadlineKey.self] }
        set { context[DeadlineKey.self] = newValue }
    }

    /// Whether its response is read while it arrives, as streams and downloads do, instead of being collected in memory.
    public package(set) var isStreamed: Bool {
        get { context[StreamedKey.self] == true }
        set { context[StreamedKey.self] = newValue ? true : nil }
    }
}

extension NetworkRequest {
    /// What bounds the time to the head of the response, and then the time without a byte.
    var headDeadline: Deadline? {
        guard let deadline, deadline.endsWithHead else { return nil }
        return deadline
    }

    /// The same request with what is left of its deadline as total timeout, unless that ends with the head, for which session managers look
    /// at it themselves.
    ///
    /// - Throws: ``TransportError/Code/timedOut`` when nothing is left.
    func boundedByDeadline() throws(TransportError) -> NetworkRequest {
        guard let deadline else { return self }
        let remaining = deadline.remaining
        guard remaining > .zero else {
            throw TransportError(.timedOut, "no time was left to send the request", phase: .queued, request: self)
        }
        if deadline.endsWithHead { return self }
        var request = self
        // Less than a session manager can measure.
        request.timeouts.total = max(.milliseconds(1), min(remaining, timeouts.total ?? remaining))
        return request
    }
}

/// An interceptor that sets a call's deadline, and heeds what the endpoint says of it.
package protocol DeadlineKeeper: NetworkInterceptor {}

/// Sets the deadline that an endpoint asks for, in services whose interceptors set none.
struct EndpointDeadline: DeadlineKeeper {
    func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard let limit = request.timeouts.deadline.limit else { return try await next(request) }
        return try await request.exchange(by: request.deadline(after: limit, clock: nil), next)
    }
}

extension NetworkRequest {
    /// A deadline that an endpoint, or whoever else is named, has set for this request.
    ///
    /// - Parameter clock: `nil` for the continuous one.
    package func deadline(
        after limit: Duration, clock: (any Clock<Duration>)?, source: String = "set by the endpoint"
    ) -> Deadline {
        guard let clock else { return .continuous(after: limit, source: source, endsWithHead: isStreamed) }
        return Deadline(after: limit, clock: clock, source: source, endsWithHead: isStreamed)
    }

    /// Sends the request with a deadline, or the earlier one that it has already; the error says that it ran out, and who had set it.
    package func exchange(
        by deadline: Deadline, _ next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        var request = self
        var deadline = deadline
        if let before = request.deadline, before.remaining <= deadline.remaining {
            deadline = before
        } else {
            request.deadline = deadline
        }
        do throws(TransportError) {
            return try await next(request)
        } catch {
            throw deadline.named(in: error, of: request)
        }
    }
}
