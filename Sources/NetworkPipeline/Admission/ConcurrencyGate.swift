import Endpoints
import Foundation
import NetworkCore

/// A limit on the number of concurrent exchanges, in total and per host. Further exchanges wait in a queue.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [.retry(), .gate(ConcurrencyGate(total: 100, perHost: 10))]
/// ```
///
/// Exchanges are admitted in the order of arrival for each host (scheme and port included); a long queue for one host does
/// not delay requests to others. A slot is held until the response is complete or its stream has ended. One gate can be
/// shared by services with several session managers, whose connection limits apply in addition.
public final class ConcurrencyGate: Sendable {
    /// An exchange that waits in the queue.
    private final class WaitingExchange: Sendable {
        let origin: String
        let waiter = Waiter<Void>()

        init(_ origin: String) { self.origin = origin }
    }

    private let gate: Locked<ObjectGate>
    private let maximumWaiting: Int
    let configurationError: String?

    /// Creates a gate with these limits.
    ///
    /// An invalid limit makes every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - total: The maximum number of concurrent exchanges, at least 1. Default: 256.
    ///   - perHost: The maximum number of concurrent exchanges with one host, at least 1. Default: 64.
    ///   - maximumWaiting: The maximum length of the queue. When it is reached, further requests fail at once. Default:
    ///     100,000.
    public init(total: Int = 256, perHost: Int = 64, maximumWaiting: Int = 100_000) {
        if total < 1 {
            configurationError = "gate: total is \(total); it must be at least 1"
        } else if perHost < 1 {
            configurationError = "gate: perHost is \(perHost); it must be at least 1"
        } else if maximumWaiting < 0 {
            configurationError = "gate: maximumWaiting is \(maximumWaiting); it must be at least 0"
        } else {
            configurationError = nil
        }
        self.maximumWaiting = maximumWaiting
        gate = Locked(ObjectGate(perOrigin: max(1, perHost), total: max(1, total)))
    }

    /// The number of exchanges that hold a slot.
    public var count: Int { gate.withLock(\.inside) }
    /// The number of exchanges in the queue.
    public var waitingCount: Int { gate.withLock(\.waiting) }

    /// Returns when a slot is free. ``leave(_:)`` frees it again.
    func enter(
        _ origin: String, _ request: NetworkRequest, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws(TransportError) {
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
            try await exchange.waiter.value("a slot of the gate", for: request, sleep: sleep)
        } catch {
            gate.withLock { $0.stopWaiting(origin, ticket: ticket) }
            throw error
        }
    }

    func leave(_ origin: String) {
        var admitted = gate.withLock { $0.leave(origin) }
        // If the waiting exchange was cancelled concurrently, its slot goes to the next one.
        while !admitted.isEmpty {
            guard let exchange = admitted.removeFirst() as? WaitingExchange, !exchange.waiter.resolve(.success(())) else {
                continue
            }
            admitted += gate.withLock { $0.leave(exchange.origin) }
        }
    }
}

/// An interceptor that limits concurrency with a ``ConcurrencyGate``.
public struct GateInterceptor: NetworkInterceptor {
    private let gate: ConcurrencyGate
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates an interceptor that uses a gate.
    ///
    /// - Parameters:
    ///   - gate: The gate that admits exchanges.
    ///   - clock: The clock that measures the request's deadline while it waits.
    public init(_ gate: ConcurrencyGate, clock: any Clock<Duration> = ContinuousClock()) {
        self.gate = gate
        sleep = { try await clock.sleep(bounded: $0) }
    }

    /// Waits for a slot and holds it until the response has arrived, including its body.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` if the queue is full;
    ///   ``NetworkCore/TransportError/Code/timedOut`` if the deadline passes in the queue;
    ///   ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled in the queue;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if a limit is invalid; otherwise what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError = gate.configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        let origin = request.origin
        try await gate.enter(origin, request, sleep: sleep)
        do throws(TransportError) {
            var response = try await next(request)
            if let stream = response.stream {
                response.stream = stream.observed { [gate] _ in gate.leave(origin) }
            } else {
                gate.leave(origin)
            }
            return response
        } catch {
            gate.leave(origin)
            throw error
        }
    }
}

extension NetworkInterceptor where Self == GateInterceptor {
    /// Limits the number of concurrent exchanges with a gate.
    public static func gate(_ gate: ConcurrencyGate) -> GateInterceptor { GateInterceptor(gate) }
}
