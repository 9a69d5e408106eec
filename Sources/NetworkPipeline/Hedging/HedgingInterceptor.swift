import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that sends a request a second time if the first attempt is slow, and returns the response that is received
/// first.
///
/// ```swift
/// let pipeline = RequestPipeline { $0.hedging = HedgingInterceptor() }
/// ```
///
/// The second attempt is started when the first one was sent and has had no response for longer than most of the latest ones of
/// the same origin: by default, longer than 95 % of them. For a stream, the latency ends with the head of the response, and for
/// other requests with its last byte. The time in a queue of this client before the request is sent is not counted.
///
/// There is at most one further attempt, and only for requests that a ``RetryInterceptor`` may repeat: idempotent ones
/// (``Endpoints/NetworkRequest/isIdempotent``) whose body can be sent again. The budget limits their share. The first response
/// that is not temporary (``RetryCause/standard``) is the result; after a failure, or a temporary response, the other attempt is
/// awaited. The other attempt is then cancelled, and has released its connection and its slot of a ``ConcurrencyGate`` when the
/// call ends. Deadline and cancellation apply to both. Progress and events of the second attempt are reported only if it takes
/// the place of the first.
///
/// Share one interceptor among all services that send requests to the same servers. At most 10,000 origins are measured.
public final class HedgingInterceptor: NetworkInterceptor {
    private enum Event: Sendable {
        /// The first attempt has taken longer than the delay; `false` if the measurement was cancelled.
        case late(Bool)
        case ended(isFirst: Bool, Result<NetworkResponse, TransportError>)
    }

    private let latencies = Locked(OriginTable<OriginLatencies>())
    private let options: HedgingOptions
    private let budget: RetryBudget?
    private let time: TimeSource
    private let configurationError: String?

    /// Creates an interceptor that has measured no latency.
    ///
    /// - Parameters:
    ///   - options: When a second attempt is started. An invalid value makes every request fail.
    ///   - budget: A limit on the share of second attempts; each request that may be sent twice adds to it. By default a separate
    ///     budget of 5 % of the requests, and 10 more at the beginning; `nil` means no limit.
    ///   - clock: The clock that measures latencies and delays.
    public init(
        options: HedgingOptions = HedgingOptions(), budget: RetryBudget? = RetryBudget(share: 0.05),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.options = options
        self.budget = budget
        time = TimeSource(clock)
        configurationError = options.configurationError ?? budget?.configurationError
    }

    /// Sends the request, and once more if it is slow.
    ///
    /// - Throws: What the attempt that ended last threw, if there was no response;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if the options or the budget is invalid.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError)
        -> NetworkResponse
    {
        if let configurationError {
            throw TransportError(.invalidConfiguration, "hedging: \(configurationError)", request: request)
        }
        // When the second attempt is started, the server may be processing the first.
        guard request.mayBeSentAgain(after: .unknown) else { return try await next(request) }
        budget?.deposit()
        let first = FirstAttempt(time)
        let known = latencies.withLock { latencies in
            latencies.updateExisting(request.origin) { options.delay($0[isStreamed: request.isStreamed]) }
        }
        if let delay = known ?? options.delay(nil), delay < request.deadline?.remaining ?? .seconds(1_000_000) {
            return try await race(request, first, delay, next).get()
        }
        let response = try await next(request.alsoObserved(by: first))
        if Self.isFinal(.success(response)) { record(first.latency, of: request) }
        return response
    }

    /// Sends the request, and once more after a delay, and returns the result when no attempt is running any more.
    private func race(
        _ request: NetworkRequest, _ first: FirstAttempt, _ delay: Duration, _ next: NetworkExchange
    ) async -> Result<NetworkResponse, TransportError> {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { await .ended(isFirst: true, Self.result(of: request.alsoObserved(by: first), next)) }
            group.addTask { .late(await first.exceeds(delay)) }
            var second: SecondAttempt?
            var isFirstOver = false
            var running = 1
            while let event = await group.next() {
                guard case .ended(let isFirst, let result) = event else {
                    guard case .late(true) = event, mayHedge(request) else { continue }
                    request.report(.noted("no response within \(delay): a second attempt was started"))
                    var request = request
                    second = SecondAttempt(&request, time)
                    running += 1
                    group.addTask { [request] in await .ended(isFirst: false, Self.result(of: request, next)) }
                    continue
                }
                running -= 1
                let isFinal = Self.isFinal(result)
                // A first attempt that failed or is cancelled after the delay would have taken at least as long.
                if !isFirstOver, isFinal || isFirst && second != nil, !Task.isCancelled { record(first.latency, of: request) }
                if !isFinal, running > 0 {
                    try? result.get().body.stop()
                    if isFirst { second?.takePlace() }
                    isFirstOver = isFirstOver || isFirst
                    continue
                }
                group.cancelAll()
                for await case .ended(_, .success(let unused)) in group { unused.body.stop() }
                if !isFirst, !isFirstOver { second?.takePlace() }
                return result
            }
            // Not reached: the group always contains the task of the first attempt, whose result ends the loop.
            return .failure(TransportError(.cancelled, "no attempt of the request has a result", request: request))
        }
    }

    /// Returns whether a second attempt of a slow request may be started now, and takes it from the budget.
    private func mayHedge(_ request: NetworkRequest) -> Bool {
        !Task.isCancelled && !(request.deadline?.hasPassed ?? false) && budget?.withdraw() ?? true
    }

    private func record(_ latency: Duration?, of request: NetworkRequest) {
        guard let latency else { return }
        let isIdle: (OriginLatencies) -> Bool = { [options] in $0.count < options.minimumLatencies }
        latencies.withLock { latencies in
            _ = latencies.update(request.origin, initial: OriginLatencies(), isIdle: isIdle) {
                $0[isStreamed: request.isStreamed].add(latency, capacity: options.window)
            }
        }
    }

    private static func result(
        of request: NetworkRequest, _ next: NetworkExchange
    ) async -> Result<NetworkResponse, TransportError> {
        await Result.from { () async throws(TransportError) in try await next(request) }
    }

    /// Returns whether a result ends the call although another attempt is running.
    private static func isFinal(_ result: Result<NetworkResponse, TransportError>) -> Bool {
        guard case .success(let response) = result else { return false }
        return !RetryCause.standard.contains(.status(response.statusCode))
    }
}

extension NetworkRequest {
    /// Returns the request with a further observer.
    fileprivate func alsoObserved(by observer: any CallObserver) -> NetworkRequest {
        var request = self
        request.addCallObserver(observer)
        return request
    }
}

extension HedgingInterceptor: RedactedStringConvertible {}
