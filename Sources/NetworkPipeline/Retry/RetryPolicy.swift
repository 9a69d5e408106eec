import Endpoints
import Foundation
import NetworkCore

/// Whether, and when, a request that failed is sent once more.
public struct RetryPolicy: Sendable {
    /// How often a request is sent in all. 3 unless given; 1 means never again.
    public var maximumAttempts: Int
    /// The pause before each further attempt, where the server names none.
    public var backoff: Backoff
    /// The longest pause a server may ask for by `Retry-After`; where it asks for more, its response is the result. 60 seconds unless given.
    public var maximumRetryAfter: Duration
    /// What is worth another attempt. ``RetryCause/standard`` unless given.
    public var causes: Set<RetryCause>

    /// A policy of these parts; the interceptor refuses every request where one makes no sense.
    public init(
        maximumAttempts: Int = 3, backoff: Backoff = Backoff(), maximumRetryAfter: Duration = .seconds(60),
        causes: Set<RetryCause> = RetryCause.standard
    ) {
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.maximumRetryAfter = maximumRetryAfter
        self.causes = causes
    }

    var flaw: String? {
        if !(1...100).contains(maximumAttempts) { return "maximumAttempts is \(maximumAttempts); it must be 1...100" }
        if maximumRetryAfter < .zero { return "maximumRetryAfter is \(maximumRetryAfter); it must not be negative" }
        return backoff.flaw
    }
}

/// What is decided after an attempt.
public enum RetryDecision: Sendable, Equatable {
    /// Another attempt, after a pause.
    case retry(after: Duration, because: String)
    /// The outcome stands.
    case stop(because: String)
}

/// What a decision rests on besides the policy.
struct RetryFacts {
    var request: NetworkRequest
    var outcome: Result<NetworkResponse, TransportError>
    /// 1 for the first.
    var attempt: Int
    /// Until the deadline of the call, if it has one.
    var remaining: Duration?
    /// Takes a place from the budget, and says whether there was one. Asked last.
    var takeFromBudget: () -> Bool = { true }
    /// In 0..<1.
    var random: Double
    var now: Date
}

extension RetryPolicy {
    func decision(_ facts: RetryFacts) -> RetryDecision {
        let cause = RetryCause(facts.outcome)
        guard causes.contains(cause) else { return .stop(because: "\(cause): \(cause.reason)") }
        guard facts.attempt < maximumAttempts else {
            return .stop(because: "\(cause), and \(facts.attempt) of \(maximumAttempts) attempts have been made")
        }
        // RFC 9110 §9.2.2: what may have been processed is not sent again, unless twice is as good as once.
        guard facts.request.isIdempotent || facts.wasNeverSent else {
            return .stop(because: "\(cause), but \(facts.request.method) is not idempotent and may have been processed")
        }
        guard facts.request.body?.isReplayable ?? true else {
            return .stop(because: "\(cause), but the body can be read only once")
        }
        var delay = backoff.delay(beforeAttempt: facts.attempt + 1, random: facts.random)
        // What another origin asks for after a redirect holds for that one.
        if case .success(let response) = facts.outcome, facts.request.isAnswered(by: response.url),
            case .delay(let asked) = RetryAfter(response.headers, now: facts.now)
        {
            guard asked <= maximumRetryAfter else {
                return .stop(because: "\(cause), and the server asks for a pause of \(asked), more than \(maximumRetryAfter)")
            }
            // Never sooner than asked, and not all at that same moment either.
            delay = delay.bounded + asked.bounded
        }
        if let remaining = facts.remaining, delay >= remaining {
            return .stop(because: "\(cause), and the deadline passes before the next attempt")
        }
        guard facts.takeFromBudget() else { return .stop(because: "\(cause), and the budget for retries is used up") }
        return .retry(after: delay, because: "\(cause): \(cause.reason)")
    }
}

extension RetryFacts {
    /// Whether it failed before a byte of it left.
    fileprivate var wasNeverSent: Bool {
        guard case .failure(let error) = outcome else { return false }
        switch error.phase {
        case .queued, .nameLookup, .connect, .tls: return true
        default: return false
        }
    }
}
