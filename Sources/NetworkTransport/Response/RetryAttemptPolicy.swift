import Endpoints
import NetworkLogging

/// Decides whether a failed attempt is followed by another one, and when.
///
/// `RetryInterceptor` of NetworkPipeline is one. Code that continues with another request can ask it directly, such as a transfer whose body was
/// interrupted:
///
/// ```swift
/// let retry = RetryInterceptor(options: RetryOptions(maximumAttempts: 5))
/// var attempt = RetryAttempt(of: request, number: 1, outcome: .failure(error))
/// if try await retry.permitsRetry(after: &attempt) { … }
/// ```
public protocol RetryAttemptPolicy: Sendable {
    /// Waits until another attempt is due, and returns `true`; returns `false` at once if no other attempt follows.
    ///
    /// - Parameter attempt: The attempt that has failed. If no other one follows although the failure is one that is retried, the
    ///   description of its outcome says why.
    /// - Throws: ``TransportError/Code/cancelled`` if the task is cancelled during the pause.
    func permitsRetry(after attempt: inout RetryAttempt) async throws(TransportError) -> Bool
}

/// A failed attempt, as a ``RetryAttemptPolicy`` needs to know it.
public struct RetryAttempt: Sendable {
    /// The request.
    public var request: NetworkRequest
    /// The number of the attempt, counted from 1.
    public var number: Int
    /// The failure, or the response with a status that may be a failure.
    public var outcome: Result<NetworkResponse, TransportError>
    /// The time that is left for another attempt; `nil` without a limit. Default: that of the request's deadline.
    public var remaining: Duration?

    /// Creates the description of an attempt.
    public init(of request: NetworkRequest, number: Int, outcome: Result<NetworkResponse, TransportError>) {
        self.request = request
        self.number = number
        self.outcome = outcome
        remaining = request.deadline?.remaining
    }

    /// Adds the reason for which no other attempt follows to the outcome.
    package mutating func end(_ end: RetryEnd) {
        switch outcome {
        case .success(var response):
            response.timings.retryEnd = end
            outcome = .success(response)
        case .failure(var error):
            error.retryEnd = end
            outcome = .failure(error)
        }
    }
}

extension RetryAttempt: RedactedStringConvertible {
    /// The number of the attempt, and its request without query and secrets.
    public var description: String { "attempt \(number) of \(request)" }
}

/// A reason for which a failure that is retried was not followed by another attempt, other than the maximum number of them.
package enum RetryEnd: UInt8, Sendable, Hashable {
    case notIdempotent, bodyReadOnce, longPause, deadline, budget, notAdmitted

    /// The reason, to follow a description of the failure.
    package var text: String {
        switch self {
        case .notIdempotent: "the request may have been processed and is not idempotent"
        case .bodyReadOnce: "the body can be read only once"
        case .longPause: "the server asks for a longer pause than maximumRetryAfter"
        case .deadline: "the deadline passes before the next attempt"
        case .budget: "the budget for retries is used up"
        case .notAdmitted: "a circuit breaker, a gate or a rate limit did not admit another attempt"
        }
    }
}
