import Endpoints
import NetworkCore

/// Bounds a whole call: all attempts, pauses, lines and redirects together.
///
/// ```swift
/// DefaultDataTransferService(configuration: api, interceptors: [.deadline(.seconds(10)), .retry()])
/// ```
///
/// What stands behind it in the list asks how much time is left (``Endpoints/NetworkRequest/deadline``): the built-in interceptors before each pause
/// and in each line, the session manager for each attempt, as its total timeout. The per-phase limits hold beside it. A request that has a
/// deadline already keeps the earlier one.
///
/// In a streamed exchange it bounds the body too.
public struct DeadlineInterceptor: NetworkInterceptor {
    private let limit: Duration
    private let flaw: String?
    private let makeDeadline: @Sendable () -> Deadline

    /// - Parameters:
    ///   - limit: From 1 millisecond to 10^6 seconds.
    ///   - clock: What it is measured with. The session manager's own limits follow the machine's clock in any case.
    public init<Time: Clock<Duration>>(_ limit: Duration, clock: Time = ContinuousClock()) {
        self.limit = limit
        let isSound = limit >= .milliseconds(1) && limit <= .seconds(1_000_000)
        flaw = isSound ? nil : "deadline is \(limit); it must be 1 ms...1000000 s"
        makeDeadline = Deadline.maker(of: limit, clock)
    }

    /// Sets the deadline, and says so in the error when it was what ran out.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/timedOut`` with the phase it ran out in; else what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let flaw { throw TransportError(.invalidConfiguration, flaw, request: request) }
        var request = request
        let deadline: Deadline
        if let before = request.deadline, before.remaining < limit {
            deadline = before
        } else {
            deadline = makeDeadline()
            request.deadline = deadline
        }
        do throws(TransportError) {
            return try await next(request)
        } catch {
            guard error.isTimeout, deadline.hasPassed else { throw error }
            throw TransportError(
                .timedOut, "the deadline of \(deadline.limit) for the whole call ran out (\(error.message))", phase: error.phase,
                request: request, engineCode: error.engineCode, underlying: error)
        }
    }
}

extension NetworkInterceptor where Self == DeadlineInterceptor {
    /// Bounds a whole call: all attempts, pauses, lines and redirects together.
    public static func deadline(_ limit: Duration) -> DeadlineInterceptor {
        DeadlineInterceptor(limit)
    }
}
