import Endpoints
import NetworkCore

/// Bounds a call: all attempts, pauses, lines and redirects together.
///
/// ```swift
/// DefaultDataTransferService(configuration: api, interceptors: [.deadline(.seconds(10)), .retry()])
/// ```
///
/// What stands behind it in the list asks how much time is left (``Endpoints/NetworkRequest/deadline``): the built-in interceptors before each pause
/// and in each line, the session manager for each attempt, as its total timeout. The per-phase limits hold beside it. A request that has a
/// deadline already keeps the earlier one.
///
/// A stream or a download has to have the head of its response by then, and then, no more than the limit may pass without a byte of its body;
/// how long the body takes is not bounded. Where that is not wanted, ``Endpoints/RequestTimeouts/total`` bounds it too. An endpoint lengthens,
/// shortens or lifts the deadline with ``Endpoints/RequestTimeouts/deadline``.
public struct DeadlineInterceptor: DeadlineKeeper {
    private let limit: Duration
    private let source: String
    private let configurationError: String?
    /// `nil` for the continuous one.
    private let clock: (any Clock<Duration>)?

    /// - Parameters:
    ///   - limit: From 1 millisecond to 10^6 seconds.
    ///   - clock: What it is measured with. The session manager's own limits follow the machine's clock in any case.
    public init<Time: Clock<Duration>>(_ limit: Duration, clock: Time = ContinuousClock()) {
        self.init(limit, source: "set by DeadlineInterceptor", clock: clock)
    }

    init(_ limit: Duration, source: String, clock: any Clock<Duration> = ContinuousClock()) {
        self.limit = limit
        self.source = source
        self.clock = clock is ContinuousClock ? nil : clock
        let isValid = limit >= .milliseconds(1) && limit <= .seconds(1_000_000)
        configurationError = isValid ? nil : "deadline is \(limit); it must be 1 ms...1000000 s"
    }

    /// Sets the deadline, and says so in the error when it was what ran out, with who set it.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/timedOut`` with the phase it ran out in; else what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError { throw TransportError(.invalidConfiguration, configurationError, request: request) }
        let rule = request.timeouts.deadline
        if let limit = rule.limit { return try await request.exchange(by: request.deadline(after: limit, clock: clock), next) }
        guard rule.isDefault else { return try await next(request) }
        return try await request.exchange(by: request.deadline(after: limit, clock: clock, source: source), next)
    }
}

extension NetworkInterceptor where Self == DeadlineInterceptor {
    /// Bounds a call: all attempts, pauses, lines and redirects together, until the head of the response for streams and downloads.
    public static func deadline(_ limit: Duration) -> DeadlineInterceptor {
        DeadlineInterceptor(limit)
    }
}
