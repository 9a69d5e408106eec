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

    var configurationError: String? {
        if !(1...100).contains(maximumAttempts) { return "maximumAttempts is \(maximumAttempts); it must be 1...100" }
        if maximumRetryAfter < .zero { return "maximumRetryAfter is \(maximumRetryAfter); it must not be negative" }
        return backoff.configurationError
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

/// How long to wait before each further attempt: a random time below a bound that grows, so that clients that failed together do not come
/// back together ("full jitter").
public struct Backoff: Sendable, Hashable {
    /// The bound before the second attempt. 200 milliseconds unless given.
    public var base: Duration
    /// What the bound is multiplied by for each attempt after that. 2 unless given.
    public var factor: Double
    /// The bound never exceeds it. 20 seconds unless given.
    public var ceiling: Duration

    /// A backoff of these parts; checked by whoever uses it.
    public init(base: Duration = .milliseconds(200), factor: Double = 2, ceiling: Duration = .seconds(20)) {
        self.base = base
        self.factor = factor
        self.ceiling = ceiling
    }

    /// The bound before an attempt, at most 10^9 seconds; zero where the factor is not a number.
    ///
    /// - Parameter attempt: 2 for the first that is not the original.
    public func bound(beforeAttempt attempt: Int) -> Duration {
        var bound = base / .seconds(1)
        let limit = ceiling / .seconds(1)
        // Past 64 doublings any base has reached any ceiling; and a factor of 1 needs none.
        for _ in 0..<(attempt.clamped(to: 2...66) - 2) where bound < limit { bound *= factor }
        return .bounded(seconds: min(bound, limit))
    }

    /// The time to wait before an attempt.
    ///
    /// - Parameter random: In 0..<1.
    public func delay(beforeAttempt attempt: Int, random: Double) -> Duration {
        bound(beforeAttempt: attempt) * random.clamped(to: 0...1, nan: 0)
    }

    var configurationError: String? {
        if base < .zero || base > .seconds(86_400) { return "backoff.base is \(base); it must be 0...86400 s" }
        if !(factor >= 1 && factor <= 1000) { return "backoff.factor is \(factor); it must be 1...1000" }
        if ceiling < base || ceiling > .seconds(86_400) { return "backoff.ceiling is \(ceiling); it must be base...86400 s" }
        return nil
    }
}

/// The `Retry-After` field (RFC 9110 §10.2.3): seconds, or a date.
enum RetryAfter: Equatable {
    case none
    case delay(Duration)
    /// Neither of the two; to be ignored.
    case malformed

    /// - Parameters:
    ///   - now: What a date is measured from, where the response has no `Date` of its own: that one belongs to the same clock.
    init(_ headers: HTTPHeaders, now: Date) {
        guard let text = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces) else {
            self = .none
            return
        }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            // Longer than anybody waits, without overflow.
            self = .delay(.seconds(text.utf8.count > 9 ? 1_000_000_000 : Int64(text) ?? 0))
        } else if let date = HTTPDate(text, now: now) {
            let reference = headers["Date"].flatMap { HTTPDate($0, now: now) } ?? HTTPDate(now)
            self = .delay(.seconds(max(0, date.secondsSince1970 - reference.secondsSince1970)))
        } else {
            self = .malformed
        }
    }
}
