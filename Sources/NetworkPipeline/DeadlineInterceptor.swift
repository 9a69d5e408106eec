import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that limits the duration of a call: all attempts, pauses, queues and redirects together.
///
/// ```swift
/// DefaultDataTransferService(
///     configuration: api, interceptors: [.deadline(.seconds(10)), .retry()])
/// ```
///
/// `.deadline(_:clock:)` creates it; a test can pass its own clock.
///
/// Interceptors after this one can read the remaining time from `NetworkRequest.deadline`: the built-in ones
/// check it before each pause and in each queue, and the session manager uses it as the total timeout of each attempt. The
/// timeouts of the single phases apply in addition. A request that already has a deadline keeps the earlier one.
///
/// For streams and downloads, the head of the response has to arrive before the deadline. After that, the limit is the
/// maximum time without a byte of the body, and the duration of the body is not limited. To limit it too, use
/// ``Endpoints/RequestTimeouts/total``. An endpoint can lengthen, shorten or remove the deadline with
/// ``Endpoints/RequestTimeouts/deadline``.
public struct DeadlineInterceptor: DeadlineKeeper {
    private let terms: DeadlineTerms
    private let configurationError: String?
    /// `nil` for the continuous clock.
    private let clock: (any Clock<Duration>)?

    /// Creates an interceptor that limits the duration of calls.
    package init<Time: Clock<Duration>>(_ limit: Duration, clock: Time = ContinuousClock()) {
        self.init(limit, source: "set by DeadlineInterceptor", clock: clock)
    }

    init(_ limit: Duration, source: String, clock: any Clock<Duration> = ContinuousClock()) {
        terms = DeadlineTerms(limit, source: source)
        self.clock = clock is ContinuousClock ? nil : clock
        let isValid = limit >= .milliseconds(1) && limit <= .seconds(1_000_000)
        configurationError = isValid ? nil : "deadline is \(limit); it must be 1 ms...1000000 s"
    }

    /// Sets the deadline of the request. If it expires, the error contains the deadline and where it was set.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/timedOut`` with the phase in which the deadline expired;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if the limit is out of range; otherwise what `next`
    ///   throws.
    @inline(__always)
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        if let configurationError { throw TransportError(.invalidConfiguration, configurationError, request: request) }
        let terms: DeadlineTerms
        switch request.timeouts.deadline {
        case .limit(let limit): terms = .ofEndpoint(limit)
        case .default: terms = self.terms
        case .unlimited: return try await next(request)
        }
        request.limit(to: Deadline(terms, clock: clock, endsWithHead: request.isStreamed))
        do throws(TransportError) {
            return try await next(copy request)
        } catch {
            throw request.namingDeadline(in: error)
        }
    }
}

extension NetworkInterceptor where Self == DeadlineInterceptor {
    /// Limits the duration of a call: all attempts, pauses, queues and redirects together.
    ///
    /// For streams and downloads, limits the time until the head of the response.
    ///
    /// - Parameters:
    ///   - limit: The maximum duration of a call, from 1 millisecond to 10^6 seconds.
    ///   - clock: The clock that measures it. The limits of the session manager always follow the clock of the machine.
    public static func deadline<Time: Clock<Duration>>(_ limit: Duration, clock: Time = ContinuousClock()) -> DeadlineInterceptor
    {
        DeadlineInterceptor(limit, clock: clock)
    }
}

extension Promise {
    /// Waits for the result, as long as the deadline of a request allows.
    ///
    /// - Parameters:
    ///   - what: The noun in error messages: "a slot of the gate".
    ///   - time: Measures the request's deadline.
    /// - Throws: The failure that was set; ``NetworkCore/TransportError/Code/cancelled`` or
    ///   ``NetworkCore/TransportError/Code/timedOut``.
    func value<Success>(
        _ what: StaticString, for request: NetworkRequest, on time: TimeSource
    ) async throws(TransportError) -> Success where Value == Result<Success, TransportError> {
        let cancellation: @Sendable () -> Value = {
            .failure(TransportError(.cancelled, "cancelled while waiting for \(what)", request: request))
        }
        guard let deadline = request.deadline else { return try await value(cancellation: cancellation).get() }
        let lateness: @Sendable () -> Value = {
            let message = "the deadline expired while waiting for \(what)"
            return .failure(TransportError(.timedOut, message, phase: .queued, request: request))
        }
        return try await value(
            within: { max(.zero, deadline.remaining) }, on: time, lateness: lateness, cancellation: cancellation
        ).get()
    }
}

extension DeadlineInterceptor: RedactedStringConvertible {}
