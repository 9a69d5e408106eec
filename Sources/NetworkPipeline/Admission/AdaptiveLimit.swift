import Endpoints
import NetworkCore
import NetworkSupport

/// A limit on the number of concurrent exchanges with a host that a ``ConcurrencyGate`` finds from their latencies.
///
/// ```swift
/// let gate = ConcurrencyGate(.adaptive(initial: 20, minimum: 4, maximum: 200))
/// ```
///
/// A server that works on as many requests as it can at a time queues further ones, so that latencies become longer and the
/// throughput stays the same. The limit is raised while latencies are like those without a queue, and lowered when they are longer:
/// the algorithm is that of the gradient controller of Envoy (its adaptive concurrency filter), which follows Netflix's
/// concurrency-limits. After each round of exchanges, the limit is multiplied by 1.25 × the latency without a queue ÷ the median
/// latency of the round, at least by 0.5, and its square root is added, so that the server always has a short queue. After a round
/// with a timeout, a lost connection, or the status 429 or 503, it is lowered by a tenth.
///
/// The latency without a queue is the median of a round in which at most half of the limit was in use. If there is none for 30
/// seconds, one round is limited to a half. The latency of a stream ends with the head of its response.
public struct AdaptiveLimit: Sendable, Hashable {
    /// The limit until the first latencies are known, from ``minimum`` to ``maximum``.
    public var initial: Int
    /// The least limit, at least 1.
    public var minimum: Int
    /// The greatest limit, from ``minimum`` to 10,000.
    public var maximum: Int

    /// Returns a limit for each host that is found from latencies.
    ///
    /// The values are checked when a request passes the gate; an invalid one is
    /// ``NetworkCore/TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - initial: The limit until the first latencies are known. Default: 20.
    ///   - minimum: The least limit. Default: 4.
    ///   - maximum: The greatest limit. Default: 200.
    public static func adaptive(initial: Int = 20, minimum: Int = 4, maximum: Int = 200) -> AdaptiveLimit {
        AdaptiveLimit(initial: initial, minimum: minimum, maximum: maximum)
    }

    var configurationError: String? {
        if minimum < 1 { return "gate: minimum is \(minimum); it must be at least 1" }
        if maximum < minimum || maximum > 10_000 { return "gate: maximum is \(maximum); it must be minimum...10000" }
        if initial < minimum || initial > maximum { return "gate: initial is \(initial); it must be minimum...maximum" }
        return nil
    }
}

/// The adaptive limit of one host: a pure state machine that gets the current time as a parameter.
struct AdaptiveLimitState: Sendable {
    /// The exchange that is measured.
    struct Sample {
        var began: Duration
        var ended: Duration
        /// The number of exchanges with the host at its end, including itself.
        var inside: Int
        /// Whether it failed in a way that a host does that has too much to do.
        var isOverload = false
    }

    /// The time after which the latency without a queue is measured again.
    static var baseLifetime: Duration { .seconds(30) }

    private let range: ClosedRange<Double>
    /// The limit outside of rounds that are limited to a half.
    private var estimate: Double
    /// Whether the present round is limited to a half.
    private var isHalved = false
    /// The latency without a queue, in seconds.
    private var base: Double?
    private var baseExpires = Duration.zero
    private var latencies: [Double] = []
    private var mostInside = 0
    private var hasOverload = false
    private var roundBegan = Duration.zero
    /// The time of the last sample.
    private(set) var latest = Duration.zero

    init(_ options: AdaptiveLimit) {
        range = Double(options.minimum)...Double(options.maximum)
        estimate = Double(options.initial)
    }

    var limit: Int { Int((isHalved ? estimate / 2 : estimate).clamped(to: range)) }

    /// Adds the latency of an exchange, and adapts the limit at the end of a round.
    mutating func add(_ sample: Sample) {
        // If the clock was set back, the round starts again.
        if sample.ended < latest { startRound(now: sample.ended) }
        latest = sample.ended
        // An exchange that began in an earlier round says nothing about the present limit.
        guard sample.began >= roundBegan else { return }
        mostInside = max(mostInside, sample.inside)
        if sample.isOverload {
            hasOverload = true
        } else {
            latencies.append(max((sample.ended - sample.began) / .seconds(1), 1e-6))
        }
        // Failures without any response end the round too.
        guard latencies.count >= limit.clamped(to: 20...200) || hasOverload && latencies.isEmpty else { return }
        adapt(now: sample.ended)
        startRound(now: sample.ended)
    }

    private mutating func adapt(now: Duration) {
        let median = latencies.isEmpty ? nil : latencies.sorted()[latencies.count / 2]
        let isHalfUsed = isHalved || Double(mostInside) <= estimate / 2
        let wasLower = isHalfUsed && median.map { $0 < (base ?? .infinity) * 0.8 } ?? false
        if isHalfUsed, let median {
            base = median
            baseExpires = now + Self.baseLifetime
        }
        if hasOverload {
            estimate = (estimate * 0.9).clamped(to: range)
        } else if !isHalfUsed, let median, let base {
            let gradient = (1.25 * base / median).clamped(to: 0.5...1.25)
            estimate = (estimate * gradient + estimate.squareRoot()).clamped(to: range)
        }
        // If even half the limit had a queue before, a quarter may have had one too.
        isHalved = base == nil || now >= baseExpires || isHalved && wasLower
        if isHalved, wasLower { estimate = max(estimate / 2, range.lowerBound) }
    }

    private mutating func startRound(now: Duration) {
        latencies.removeAll(keepingCapacity: true)
        mostInside = 0
        hasOverload = false
        roundBegan = now
    }
}
