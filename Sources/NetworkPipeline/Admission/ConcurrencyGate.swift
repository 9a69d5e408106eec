import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that limits the number of concurrent exchanges, in total and per host. Further exchanges wait in a queue.
///
/// ```swift
/// let gate = ConcurrencyGate(maximumConcurrencyPerHost: 10)
/// let interceptors: [any NetworkInterceptor] = [.retry(), gate]
/// ```
///
/// Exchanges are admitted in the order of their ``Endpoints/RequestPriority`` for each host (scheme and port included), and of
/// arrival if it is the same; a long queue for one host does not delay requests to others. A slot is held until the response is
/// complete or its stream has ended. One gate can be shared by services with several session managers, whose connection limits
/// apply in addition.
public final class ConcurrencyGate: NetworkInterceptor {
    /// An exchange that waits in the queue.
    private final class WaitingExchange: Sendable {
        let origin: String
        let admission = Promise<Result<Void, TransportError>>()

        init(_ origin: String) { self.origin = origin }
    }

    /// The exchanges, and the limits that were found for hosts.
    private struct Queue {
        var gate: ObjectGate
        var limits = OriginTable<AdaptiveLimitState>()

        mutating func enterAtOnce(_ origin: String) -> Bool {
            // The gate forgets the limit of a host without exchanges, for which nothing waits.
            if !limits.states.isEmpty, gate.inside(of: origin) == 0, let limit = limits.updateExisting(origin, { $0.limit }) {
                _ = gate.limit(origin, to: limit)
            }
            return gate.enterAtOnce(origin)
        }
    }

    private let queue: Locked<Queue>
    private let adaptive: AdaptiveLimit?
    private let maximumWaiting: Int
    private let time: TimeSource
    private let configurationError: String?

    /// Creates a gate with these limits.
    ///
    /// An invalid limit makes every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - maximumConcurrency: The maximum number of concurrent exchanges, at least 1. Default: 256.
    ///   - maximumConcurrencyPerHost: The maximum number of concurrent exchanges with one host, at least 1. Default: 64.
    ///   - maximumWaiting: The maximum length of the queue. When it is reached, further requests fail at once. Default:
    ///     100,000.
    ///   - clock: The clock that measures the request's deadline while it waits.
    public convenience init(
        maximumConcurrency: Int = 256, maximumConcurrencyPerHost: Int = 64, maximumWaiting: Int = 100_000,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(nil, maximumConcurrency, maximumConcurrencyPerHost, maximumWaiting, clock)
    }

    /// Creates a gate that finds the limit for each host from the latencies of its responses.
    ///
    /// An invalid limit makes every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``. At most 10,000
    /// hosts are measured at a time; others have the initial limit.
    ///
    /// - Parameters:
    ///   - limitPerHost: The bounds of the limit of each host: ``AdaptiveLimit/adaptive(initial:minimum:maximum:)``.
    ///   - maximumConcurrency: The maximum number of concurrent exchanges, at least 1. Default: 256.
    ///   - maximumWaiting: The maximum length of the queue. When it is reached, further requests fail at once. Default:
    ///     100,000.
    ///   - clock: The clock that measures latencies, and the request's deadline while it waits.
    public convenience init(
        _ limitPerHost: AdaptiveLimit, maximumConcurrency: Int = 256, maximumWaiting: Int = 100_000,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(limitPerHost, maximumConcurrency, max(1, limitPerHost.initial), maximumWaiting, clock)
    }

    private init(
        _ adaptive: AdaptiveLimit?, _ maximumConcurrency: Int, _ maximumConcurrencyPerHost: Int, _ maximumWaiting: Int,
        _ clock: any Clock<Duration>
    ) {
        self.adaptive = adaptive
        if let error = adaptive?.configurationError {
            configurationError = error
        } else if maximumConcurrency < 1 {
            configurationError = "gate: maximumConcurrency is \(maximumConcurrency); it must be at least 1"
        } else if maximumConcurrencyPerHost < 1 {
            configurationError = "gate: maximumConcurrencyPerHost is \(maximumConcurrencyPerHost); it must be at least 1"
        } else if maximumWaiting < 0 {
            configurationError = "gate: maximumWaiting is \(maximumWaiting); it must be at least 0"
        } else {
            configurationError = nil
        }
        self.maximumWaiting = maximumWaiting
        time = TimeSource(clock)
        queue = Locked(
            Queue(
                gate: ObjectGate(
                    GateLimits(connectionsPerOrigin: max(1, maximumConcurrencyPerHost), connections: max(1, maximumConcurrency))))
        )
    }

    /// The number of exchanges that hold a slot.
    public var count: Int { queue.withLock(\.gate.count) }
    /// The number of exchanges in the queue.
    public var waitingCount: Int { queue.withLock(\.gate.waitingCount) }

    /// Waits for a slot and holds it until the response has arrived, including its body.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` if the queue is full;
    ///   ``NetworkCore/TransportError/Code/timedOut`` if the deadline passes in the queue;
    ///   ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled in the queue;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if a limit is invalid; otherwise what `next` throws.
    @inline(__always)
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        if let configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        let origin = request.origin
        if !queue.withLock({ $0.enterAtOnce(origin) }) { try await enter(origin, request) }
        let began = adaptive == nil ? .zero : time.elapsed.bounded
        do throws(TransportError) {
            var response = try await next(request)
            measure(since: began, origin, isOverload: response.statusCode == 429 || response.statusCode == 503)
            if response.isBodyInMemory {
                leave(origin)
            } else {
                response.observeEnd { _ in self.leave(origin) }
            }
            return response
        } catch {
            if error.code != .cancelled { measure(since: began, origin, isOverload: error.isOfConnection || error.isTimeout) }
            leave(origin)
            throw error
        }
    }

    // MARK: Adaptive limits

    /// Adapts the limit of a host to the latency of an exchange that has not left yet.
    private func measure(since began: Duration, _ origin: String, isOverload: Bool) {
        guard let adaptive else { return }
        let now = time.elapsed.bounded
        let admitted = queue.withLock { queue in
            let sample = AdaptiveLimitState.Sample(
                began: began, ended: now, inside: queue.gate.inside(of: origin), isOverload: isOverload)
            // A host without exchanges for a minute has no limit that is worth keeping.
            let limit = queue.limits.update(
                origin, initial: AdaptiveLimitState(adaptive), isIdle: { now - $0.latest > .seconds(60) }
            ) { state in
                state.add(sample)
                return state.limit
            }
            return limit.map { queue.gate.limit(origin, to: $0) } ?? []
        }
        resume(admitted)
    }

    // MARK: The queue

    /// Returns when a slot is free. ``leave(_:)`` frees it again.
    private func enter(_ origin: String, _ request: NetworkRequest) async throws(TransportError) {
        let exchange = WaitingExchange(origin)
        let (ticket, isFull): (UInt64?, Bool) = queue.withLock { queue in
            if queue.enterAtOnce(origin) { return (nil, false) }
            if queue.gate.waitingCount >= maximumWaiting { return (nil, true) }
            guard case .waiting(let ticket) = queue.gate.enter(origin, exchange, priority: request.priority) else {
                return (nil, false)
            }
            return (ticket, false)
        }
        if isFull {
            let message = "the queue of the gate is full: \(maximumWaiting) requests are waiting (maximumWaiting)"
            throw TransportError(.notAdmitted, message, phase: .queued, request: request)
        }
        guard let ticket else { return }
        do throws(TransportError) {
            try await exchange.admission.value("a slot of the gate", for: request, on: time)
        } catch {
            queue.withLock { $0.gate.stopWaiting(origin, ticket: ticket) }
            throw error
        }
    }

    private func leave(_ origin: String) {
        resume(queue.withLock { $0.gate.leave(origin) })
    }

    private func resume(_ admitted: [ObjectGate.Admission]) {
        var admitted = admitted
        // If the waiting exchange was cancelled concurrently, its slot goes to the next one.
        while !admitted.isEmpty {
            guard let exchange = admitted.removeFirst().member as? WaitingExchange, !exchange.admission.resolve(.success(()))
            else {
                continue
            }
            admitted += queue.withLock { $0.gate.leave(exchange.origin) }
        }
    }
}

extension ConcurrencyGate: RedactedStringConvertible {}
