import Endpoints
import NetworkCore
import NetworkLogging

/// The built-in interceptors in the order in which they work together.
///
/// ```swift
/// let pipeline = RequestPipeline {
///     $0.authentication = .authentication(credentials, for: api)
///     $0.deadline = .seconds(20)
/// }
/// let service = DefaultDataTransferService(
///     configuration: api, interceptors: pipeline.interceptors)
/// ```
///
/// The closure may not use properties in an initializer before all of them have values, as it would capture `self`. There, a variable takes its place:
///
/// ```swift
/// var pipeline = RequestPipeline()
/// pipeline.authentication = .authentication(credentials, for: api)
/// service = DefaultDataTransferService(
///     configuration: api, interceptors: pipeline.interceptors)
/// ```
///
/// ```
/// service
///   once per call:     observation ─▶ deadline ─▶ activity ─▶ idempotency key
///                      ─▶ retry
///   once per attempt:  compression ─▶ headers ─▶ authentication ─▶ cache
///                      ─▶ coalescing ─▶ hedging ─▶ breaker ─▶ rate ─▶ gate
///                      ─▶ trace
/// session manager
/// ```
///
/// The order has these reasons. The observer observes all other interceptors, and the deadline limits everything except the
/// bodies of streams. The idempotency key is the same in all attempts. Bodies are compressed before
/// credentials and signatures are computed from them. Each attempt gets the newest credentials, and
/// responses are cached and shared only among requests with the same credentials. The circuit breaker counts single
/// attempts, and rejects a request before it is delayed or takes a slot. Both attempts of a slow request are counted and limited. A request that is delayed by the rate limit holds
/// no slot, nor does one that pauses before a retry. Instruments begin a call after the observer, and each attempt before the trace.
public struct RequestPipeline: Sendable {
    /// Reports events of all calls: `.observation(…)` of the product NetworkObservation. Default: `nil`.
    public var observation: (any NetworkInterceptor)?
    /// Follow calls and attempts for metrics and traces, in this order. Default: none.
    public var instruments: [any RequestInstrument] = []
    /// The maximum duration of a call.
    ///
    /// If the body is collected in memory, it limits the whole call; for streams and downloads, it limits the time until the
    /// head of the response, and then the time without a byte. `nil` means no limit. Default: 60 seconds. An endpoint can
    /// override it with ``Endpoints/RequestTimeouts/deadline``.
    public var deadline: Duration? = .seconds(60) {
        didSet { isDeadlineSet = true }
    }
    private var isDeadlineSet = false
    /// Counts calls in flight: a `NetworkActivity` of the product NetworkObservation. Default: `nil`.
    public var activity: (any NetworkInterceptor)?
    /// Makes POST and PATCH requests repeatable with servers that support `Idempotency-Key`. Default: `nil`.
    public var idempotencyKeys: IdempotencyKeyInterceptor?
    /// Retries requests after temporary failures; `nil` disables retries. Default: the defaults of ``RetryOptions``.
    public var retry: RetryInterceptor? = .retry()
    /// Compresses the bodies of requests. Default: only those of endpoints with ``Endpoints/BodyCompression/gzip``.
    public var compression: BodyCompressionInterceptor? = .compression(BodyCompressionOptions(mediaTypes: []))
    /// Adds header fields from a closure. Default: `nil`.
    public var headers: HeaderInterceptor?
    /// Adds credentials to requests: a ``CredentialInterceptor``, a ``ChallengeInterceptor``, or a
    /// `SigningInterceptor` of NetworkAuthorization. Default: `nil`.
    public var authentication: (any NetworkInterceptor)?
    /// Serves responses from a cache: a `CacheInterceptor` of NetworkCache, on which this module does not depend.
    ///
    /// Default: `nil`.
    public var cache: (any NetworkInterceptor)?
    /// Sends identical concurrent GET requests once. Default: `nil`.
    public var coalescing: CoalescingInterceptor?
    /// Sends a second attempt of a slow request. Default: `nil`.
    public var hedging: HedgingInterceptor?
    /// Rejects requests to hosts that fail; `nil` disables it. Default: the defaults of ``CircuitBreakerOptions``.
    public var breaker: CircuitBreaker? = CircuitBreaker()
    /// Delays or refuses requests beyond a rate for each host, and respects the `RateLimit` fields of servers. Default: `nil`, for which
    /// neither is done.
    public var rate: RateLimiter?
    /// Limits the number of concurrent exchanges; `nil` means no limit. Default: the defaults of ``ConcurrencyGate``.
    public var gate: ConcurrencyGate? = ConcurrencyGate()
    /// Sends `traceparent` and `tracestate`: `.trace` of the product NetworkObservation. Default: `nil`.
    public var trace: (any NetworkInterceptor)?

    /// Creates a pipeline and configures it in a closure.
    ///
    /// - Parameter configure: Sets properties of the pipeline. Called once, synchronously.
    public init(_ configure: (inout RequestPipeline) -> Void = { _ in }) {
        configure(&self)
    }

    /// The interceptors in order. Those that are `nil` are left out and cost nothing.
    public var interceptors: [any NetworkInterceptor] {
        let all: [(any NetworkInterceptor)?] = [
            observation, instruments.isEmpty ? nil : CallInstruments(instruments: instruments),
            deadline.map {
                DeadlineInterceptor($0, source: isDeadlineSet ? "set by RequestPipeline.deadline" : "RequestPipeline's default")
            },
            activity, idempotencyKeys, retry, compression, headers, authentication, cache, coalescing,
            hedging, breaker, rate, gate, instruments.isEmpty ? nil : AttemptInstruments(), trace,
        ]
        return all.compactMap { $0 }
    }
}

extension RequestPipeline: RedactedStringConvertible {}
