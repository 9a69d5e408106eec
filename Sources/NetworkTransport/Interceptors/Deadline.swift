import Endpoints
import NetworkSupport

/// The point in time by which a call must have its response, including all attempts, pauses, queues and redirects.
///
/// It is stored in `NetworkRequest.deadline`. Interceptors that wait check it first; the remaining time limits each
/// attempt.
public struct Deadline: Sendable {
    /// The duration of the deadline, measured from its creation.
    package var limit: Duration { terms.limit }
    /// The origin of the deadline, as errors show it, such as "set by the endpoint".
    package var source: String { terms.source }
    /// Whether the deadline applies to the head of the response only, instead of the whole response.
    ///
    /// If so, the body that follows the head may take longer, but no more than ``limit`` may pass without a byte.
    package let endsWithHead: Bool

    /// The message of session managers for a response head that did not arrive in time.
    static let headLateness = "the head of the response did not arrive"

    /// Returns the message of session managers when no byte was transferred within the idle timeout, or within a deadline that is
    /// shorter.
    package static func idleLateness(_ timeout: Duration, _ deadline: Deadline?) -> String {
        guard let deadline, deadline.limit < timeout else { return "no byte was transferred within the idle timeout" }
        return "no byte was transferred within \(deadline.limit), the deadline (\(deadline.source))"
    }

    private let terms: DeadlineTerms
    /// The end on the continuous clock, in nanoseconds. Not used if there is another clock.
    private let end: UInt64

    /// Creates a deadline that passes after a duration on a clock.
    ///
    /// - Parameters:
    ///   - limit: More than 10^9 seconds (about thirty years) counts as 10^9 seconds, and less than zero as zero.
    ///   - clock: The clock on which the deadline is measured.
    ///   - source: The origin of the deadline, as errors show it.
    ///   - endsWithHead: Whether the deadline is met as soon as the head of the response was received.
    public init<Time: Clock<Duration>>(
        after limit: Duration, clock: Time, source: String = "set with the request", endsWithHead: Bool = false
    ) {
        if clock is ContinuousClock {
            self.init(DeadlineTerms(limit, source: source), clock: nil, endsWithHead: endsWithHead)
        } else {
            let end = clock.now.advanced(by: limit.bounded)
            let terms = DeadlineTerms(limit, source: source, left: { clock.now.duration(to: end) })
            self.init(terms: terms, endsWithHead: endsWithHead, end: 0)
        }
    }

    /// Creates a deadline that passes after the duration of the terms.
    ///
    /// - Parameter clock: The clock on which the deadline is measured; `nil` for the continuous clock, without the overhead of the `Clock` protocol.
    package init(_ terms: DeadlineTerms, clock: (any Clock<Duration>)?, endsWithHead: Bool) {
        if let clock {
            self.init(after: terms.limit, clock: clock, source: terms.source, endsWithHead: endsWithHead)
        } else {
            self.init(terms: terms, endsWithHead: endsWithHead, end: continuousNanoseconds() + terms.nanoseconds)
        }
    }

    private init(terms: DeadlineTerms, endsWithHead: Bool, end: UInt64) {
        self.terms = terms
        self.endsWithHead = endsWithHead
        self.end = end
    }

    /// The remaining time; zero or negative once the deadline has passed.
    public var remaining: Duration { terms.left?() ?? .nanoseconds(Int64(end) - Int64(continuousNanoseconds())) }
    /// The remaining time in nanoseconds; 0 once the deadline has passed.
    fileprivate var remainingNanoseconds: UInt64 {
        if let left = terms.left { return left().boundedNanoseconds }
        let now = continuousNanoseconds()
        return end - min(end, now)
    }
    /// Whether the deadline has passed.
    package var hasPassed: Bool { remaining <= .zero }

    /// The part of the call to which the deadline applies, as errors show it.
    private var extent: String { endsWithHead ? "until the response's head" : "for the whole call" }

    /// Adds this deadline to the message of an error.
    ///
    /// - Returns: The same error if it is not a timeout or the deadline has not passed.
    package func named(in error: TransportError, of request: NetworkRequest) -> TransportError {
        guard error.isTimeout, hasPassed else { return error }
        var named = TransportError(
            .timedOut, "the deadline of \(limit) \(extent) ran out (\(source)): \(error.message)", phase: error.phase,
            request: request, engineCode: error.engineCode, underlying: error)
        named.countedAttempt = error.countedAttempt
        return named
    }
}

/// What the deadlines of one source have in common, so that a call copies a reference.
package final class DeadlineTerms: Sendable {
    let limit: Duration
    /// The limit in nanoseconds.
    let nanoseconds: UInt64
    let source: String
    /// Returns the time that is left on another clock than the continuous one, which is that of one call.
    let left: (@Sendable () -> Duration)?

    package convenience init(_ limit: Duration, source: String) { self.init(limit, source: source, left: nil) }

    /// Returns the terms of the deadline that an endpoint sets.
    package static func ofEndpoint(_ limit: Duration) -> DeadlineTerms { DeadlineTerms(limit, source: "set by the endpoint") }

    fileprivate init(_ limit: Duration, source: String, left: (@Sendable () -> Duration)?) {
        self.limit = limit
        nanoseconds = limit.boundedNanoseconds
        self.source = source
        self.left = left
    }
}

private enum DeadlineKey: ContextKey { typealias Value = Deadline }

extension NetworkRequest {
    /// The deadline of the call; `nil` if none is set.
    public var deadline: Deadline? {
        get { context[DeadlineKey.self] }
        set { context[DeadlineKey.self] = newValue }
    }
}

extension NetworkRequest {
    /// The deadline, if it applies to the head of the response and then to the time without a byte; otherwise `nil`.
    var headDeadline: Deadline? {
        guard let deadline, deadline.endsWithHead else { return nil }
        return deadline
    }

    /// Sets the remaining time of the deadline as the total timeout.
    ///
    /// A deadline that ends with the head is left unchanged, since session managers apply it themselves.
    ///
    /// - Throws: ``TransportError/Code/timedOut`` when no time remains.
    mutating func limitToDeadline() throws(TransportError) {
        guard let deadline else { return }
        let remaining = deadline.remainingNanoseconds
        guard remaining > 0 else {
            throw TransportError(.timedOut, "no time was left to send the request", phase: .queued, request: self)
        }
        if deadline.endsWithHead { return }
        limitTotal(toNanoseconds: remaining)
    }
}

/// An interceptor that sets a call's deadline and applies the deadline that the endpoint requests.
package protocol DeadlineKeeper: NetworkInterceptor {}

/// Sets the deadline that an endpoint requests, for services without an interceptor that sets deadlines.
package struct EndpointDeadline: DeadlineKeeper {
    package init() {}

    package func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        guard let limit = request.timeouts.deadline.time else { return try await next(request) }
        request.limit(to: Deadline(.ofEndpoint(limit), clock: nil, endsWithHead: request.isStreamed))
        do throws(TransportError) {
            return try await next(copy request)
        } catch {
            throw request.namingDeadline(in: error)
        }
    }
}

extension NetworkRequest {
    /// Adds the deadline to the message of an error, if it has passed. An interceptor after the one that sets it may have set an earlier one.
    package func namingDeadline(in error: TransportError) -> TransportError {
        deadline?.named(in: error, of: self) ?? error
    }

    /// Sets a deadline, unless the request has an earlier one.
    package mutating func limit(to deadline: Deadline) {
        if let present = self.deadline, present.remaining <= deadline.remaining { return }
        self.deadline = deadline
    }
}
