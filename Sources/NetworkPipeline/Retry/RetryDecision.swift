import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The decision after an attempt, with its reason.
enum RetryDecision: Sendable, Equatable {
    /// Another attempt follows after a pause.
    case retry(after: Duration, because: String)
    /// No further attempt follows, and the outcome is returned.
    case stop
    /// No further attempt follows, and the outcome is returned with the reason.
    case end(RetryEnd)
}

/// The input of a decision, in addition to the options.
struct RetryFacts {
    var attempt: RetryAttempt
    /// Takes a retry from the budget, and returns whether there was one. Called last.
    var takeFromBudget: () -> Bool = { true }
    /// A random number in 0..<1 for the jitter.
    var random: Double
    var now: Date
}

extension RetryOptions {
    func decision(_ facts: RetryFacts) -> RetryDecision {
        let attempt = facts.attempt
        let cause = RetryCause(attempt.outcome)
        guard causes.contains(cause), attempt.number < maximumAttempts else { return .stop }
        guard attempt.request.mayBeSentAgain(after: attempt.outcome.fate) else {
            return .end(attempt.request.hasReplayableBody ? .notIdempotent : .bodyReadOnce)
        }
        var delay = backoff.delay(beforeAttempt: attempt.number + 1, random: facts.random)
        switch requestedPause(facts).pause {
        case .none: break
        case .delay(let asked):
            guard asked <= maximumRetryAfter else { return .end(.longPause) }
            // The random backoff is added to the requested pause, so that clients do not all return at the same time.
            delay = delay.bounded + asked.bounded
        case .malformed:
            // The server asks for some pause, which a small random number must not end at once.
            delay = backoff.bound(beforeAttempt: attempt.number + 1)
        }
        if let remaining = attempt.remaining, delay >= remaining { return .end(.deadline) }
        guard facts.takeFromBudget() else { return .end(.budget) }
        return .retry(after: delay, because: "\(cause): \(cause.reason)")
    }

    /// Returns the pause for which the server asks, and the names of the fields that are not understood.
    func requestedPause(_ facts: RetryFacts) -> (pause: RetryAfter, malformed: [String]) {
        // After a redirect to another origin, the fields apply to that origin.
        guard case .success(let response) = facts.attempt.outcome, facts.attempt.request.hasOrigin(of: response.lazyURL) else {
            return (.none, [])
        }
        let pauses = pauseFields.map { ($0.rawValue, $0.pause(response.headers, now: facts.now)) }
        return (pauses.reduce(.none) { $0.or($1.1) }, pauses.filter { $0.1 == .malformed }.map { $0.0 }.sorted())
    }
}
