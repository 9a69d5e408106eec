import Endpoints
import NetworkCore

/// The built-in interceptors in the one order in which they work together.
///
/// ```swift
/// let pipeline = RequestPipeline {
///     $0.authentication = .authentication(credentials, for: api)
///     $0.deadline = .seconds(20)
/// }
/// let service = DefaultDataTransferService(configuration: api, interceptors: pipeline.interceptors)
/// ```
///
/// ```
/// service ─▶ observation ─▶ deadline ─▶ activity ─▶ idempotency key ─▶ retry ─▶ headers ─▶ authentication ─▶ cache ─▶ coalescing ─▶ breaker ─▶ rate ─▶ gate ─▶ trace ─▶ session
///            └──────────── once per call ────────────────────────────┘         └─────────────────────────────── once per attempt ─────────────────────────────┘
/// ```
///
/// Why so: the observer hears of everything, and the deadline bounds everything but the bodies of streams. A key is the same in all attempts. Each attempt gets the newest
/// credentials, and what is kept or shared is so among the same credentials only. The breaker sees single attempts, and refuses before a turn or a place is
/// taken; a turn is waited for without a place, and nobody holds a place in the pause before a retry.
public struct RequestPipeline: Sendable {
    /// Hears of everything. Nobody unless set.
    public var observation: ObservationInterceptor?
    /// Bounds each call: as a whole where the body is collected in memory; in streams and downloads, the time to the head of the
    /// response, and then the time without a byte. 60 seconds unless set; `nil` for no bound. An endpoint has its own with
    /// ``Endpoints/RequestTimeouts/deadline``.
    public var deadline: Duration? = .seconds(60) {
        didSet { isDeadlineSet = true }
    }
    private var isDeadlineSet = false
    /// Counts what is under way. Nothing unless set.
    public var activity: NetworkActivity?
    /// Makes POST and PATCH repeatable, on servers that heed `Idempotency-Key`. No unless set.
    public var idempotencyKeys: IdempotencyKeyInterceptor?
    /// Sends again what failed in passing. ``RetryPolicy``'s defaults unless set; `nil` for never.
    public var retry: RetryInterceptor? = .retry()
    /// Asks for header fields. None unless set.
    public var headers: HeaderInterceptor?
    /// Whose requests they are. Nobody's unless set.
    public var authentication: AuthenticationInterceptor?
    /// Answers from responses that were kept: a `CacheInterceptor` of NetworkCache, which this module does not know. No unless set.
    public var cache: (any NetworkInterceptor)?
    /// Shares identical GETs. No unless set.
    public var coalescing: CoalescingInterceptor?
    /// Spares hosts that fail. ``CircuitRule``'s defaults unless set; `nil` for never.
    public var breaker: BreakerInterceptor? = .breaker()
    /// Keeps to a rate. None unless set.
    public var rate: RateInterceptor?
    /// Bounds what is under way. ``ConcurrencyGate``'s defaults unless set; `nil` for no bound.
    public var gate: GateInterceptor? = .gate(ConcurrencyGate())
    /// Sends `traceparent`. No unless set.
    public var trace: TraceInterceptor?

    /// - Parameter configure: Runs once, at once.
    public init(_ configure: (inout RequestPipeline) -> Void = { _ in }) {
        configure(&self)
    }

    /// In order; what is not set is not in it, and costs nothing.
    public var interceptors: [any NetworkInterceptor] {
        let all: [(any NetworkInterceptor)?] = [
            observation,
            deadline.map {
                DeadlineInterceptor($0, source: isDeadlineSet ? "set by RequestPipeline.deadline" : "RequestPipeline's default")
            },
            activity.map { NetworkActivityInterceptor($0) }, idempotencyKeys, retry, headers, authentication, cache, coalescing,
            breaker,
            rate,
            gate, trace,
        ]
        return all.compactMap { $0 }
    }
}
