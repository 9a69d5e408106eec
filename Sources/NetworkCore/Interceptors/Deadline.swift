import Endpoints

/// The moment by which a whole call has to be answered: all attempts, pauses, lines and redirects together.
///
/// It travels in ``Endpoints/NetworkRequest/deadline``. Interceptors that wait ask it first; what is left of it bounds each attempt.
public struct Deadline: Sendable {
    /// From the call on.
    public let limit: Duration
    private enum End {
        case continuous(ContinuousClock.Instant)
        case other(left: @Sendable () -> Duration)
    }

    private let end: End

    /// That long from now on a clock.
    public init<Time: Clock<Duration>>(after limit: Duration, clock: Time) {
        self = Self.maker(of: limit, clock)()
    }

    private init(limit: Duration, end: End) {
        self.limit = limit
        self.end = end
    }

    /// Makes one for each call. For the continuous clock without the detour through its protocol.
    package static func maker<Time: Clock<Duration>>(of limit: Duration, _ clock: Time) -> @Sendable () -> Deadline {
        if clock is ContinuousClock {
            return { Deadline(limit: limit, end: .continuous(ContinuousClock.now.advanced(by: limit))) }
        }
        return {
            let end = clock.now.advanced(by: limit)
            return Deadline(limit: limit, end: .other { clock.now.duration(to: end) })
        }
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
}

private enum DeadlineKey: RequestContextKey {
    typealias Value = Deadline
}

extension NetworkRequest {
    /// By when the call has to be answered; `nil` where nobody said.
    public var deadline: Deadline? {
        get { context[DeadlineKey.self] }
        set { context[DeadlineKey.self] = newValue }
    }
}

extension NetworkRequest {
    /// The same request with what is left of its deadline as total timeout.
    ///
    /// - Throws: ``TransportError/Code/timedOut`` when nothing is left.
    func boundedByDeadline() throws(TransportError) -> NetworkRequest {
        guard let deadline else { return self }
        let remaining = deadline.remaining
        guard remaining > .zero else {
            throw TransportError(.timedOut, "no time was left to send the request", phase: .queued, request: self)
        }
        var request = self
        // Less than a session manager can measure.
        request.timeouts.total = max(.milliseconds(1), min(remaining, timeouts.total ?? remaining))
        return request
    }
}
