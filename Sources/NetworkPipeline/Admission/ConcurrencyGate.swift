import Endpoints
import Foundation
import NetworkCore

/// An interceptor that limits the number of concurrent exchanges, in total and per host. Further exchanges wait in a queue.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [.retry(), ConcurrencyGate(maximumConcurrency: 100, maximumConcurrencyPerHost: 10)]
/// ```
///
/// Exchanges are admitted in the order of arrival for each host (scheme and port included); a long queue for one host does
/// not delay requests to others. A slot is held until the response is complete or its stream has ended. One gate can be
/// shared by services with several session managers, whose connection limits apply in addition.
public final class ConcurrencyGate: NetworkInterceptor {
    /// An exchange that waits in the queue.
    private final class WaitingExchange: Sendable {
        let origin: String
        let admission = Promise<Result<Void, TransportError>>()

        init(_ origin: String) { self.origin = origin }
    }

    private let gate: Locked<ObjectGate>
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
    public init(
        maximumConcurrency: Int = 256, maximumConcurrencyPerHost: Int = 64, maximumWaiting: Int = 100_000,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        if maximumConcurrency < 1 {
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
        gate = Locked(ObjectGate(perOrigin: max(1, maximumConcurrencyPerHost), total: max(1, maximumConcurrency)))
    }

    /// The number of exchanges that hold a slot.
    public var count: Int { gate.withLock(\.inside) }
    /// The number of exchanges in the queue.
    public var waitingCount: Int { gate.withLock(\.waiting) }

    /// Waits for a slot and holds it until the response has arrived, including its body.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` if the queue is full;
    ///   ``NetworkCore/TransportError/Code/timedOut`` if the deadline passes in the queue;
    ///   ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled in the queue;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if a limit is invalid; otherwise what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        let origin = request.origin
        try await enter(origin, request)
        do throws(TransportError) {
            var response = try await next(request)
            response.observeEnd { _ in self.leave(origin) }
            return response
        } catch {
            leave(origin)
            throw error
        }
    }

    /// Returns when a slot is free. ``leave(_:)`` frees it again.
    private func enter(_ origin: String, _ request: NetworkRequest) async throws(TransportError) {
        if gate.withLock({ $0.enterAtOnce(origin) }) { return }
        let exchange = WaitingExchange(origin)
        let (ticket, isFull): (UInt64?, Bool) = gate.withLock { gate in
            if gate.enterAtOnce(origin) { return (nil, false) }
            return gate.waiting >= maximumWaiting ? (nil, true) : (gate.enter(origin, exchange), false)
        }
        if isFull {
            let message = "the queue of the gate is full: \(maximumWaiting) requests are waiting (maximumWaiting)"
            throw TransportError(.notAdmitted, message, phase: .queued, request: request)
        }
        guard let ticket else { return }
        do throws(TransportError) {
            try await exchange.admission.value("a slot of the gate", for: request, on: time)
        } catch {
            gate.withLock { $0.stopWaiting(origin, ticket: ticket) }
            throw error
        }
    }

    private func leave(_ origin: String) {
        var admitted = gate.withLock { $0.leave(origin) }
        // If the waiting exchange was cancelled concurrently, its slot goes to the next one.
        while !admitted.isEmpty {
            guard let exchange = admitted.removeFirst() as? WaitingExchange, !exchange.admission.resolve(.success(())) else {
                continue
            }
            admitted += gate.withLock { $0.leave(exchange.origin) }
        }
    }
}
