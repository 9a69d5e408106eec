import Endpoints
import Foundation
import NetworkCore

/// Lets so many exchanges in at a time, and so many to one host; the others wait in line.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [.retry(), .gate(ConcurrencyGate(total: 100, perHost: 10))]
/// ```
///
/// First come, first served, for each host (scheme and port included): one with a thousand in line does not keep the others waiting. A place is
/// held until the response is whole, or its stream has ended. It can be shared by several session managers, whose limits of connections hold
/// beside it.
public final class ConcurrencyGate: Sendable {
    /// One in line.
    private final class WaitingExchange: Sendable {
        let origin: String
        let waiter = Waiter<Void>()

        init(_ origin: String) { self.origin = origin }
    }

    private let gate: Locked<ObjectGate>
    private let maximumWaiting: Int
    let configurationError: String?

    /// - Parameters:
    ///   - total: Exchanges at a time. 256 unless given.
    ///   - perHost: Exchanges with one host at a time. 64 unless given.
    ///   - maximumWaiting: With so many in line, a further request fails at once. 100,000 unless given.
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

    /// Exchanges inside.
    public var count: Int { gate.withLock(\.inside) }
    /// Exchanges in line.
    public var waitingCount: Int { gate.withLock(\.waiting) }

    /// Returns when there is a place, which ``leave(_:)`` gives back.
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
            let message = "\(maximumWaiting) requests wait at the gate already (maximumWaiting)"
            throw TransportError(.notAdmitted, message, phase: .queued, request: request)
        }
        guard let ticket else { return }
        do throws(TransportError) {
            try await exchange.waiter.value("a place at the gate", for: request, sleep: sleep)
        } catch {
            gate.withLock { $0.stopWaiting(origin, ticket: ticket) }
            throw error
        }
    }

    func leave(_ origin: String) {
        var admitted = gate.withLock { $0.leave(origin) }
        // Who has gone at this very moment leaves its place to the next.
        while !admitted.isEmpty {
            guard let exchange = admitted.removeFirst() as? WaitingExchange, !exchange.waiter.resolve(.success(())) else {
                continue
            }
            admitted += gate.withLock { $0.leave(exchange.origin) }
        }
    }
}

/// Has each exchange pass a ``ConcurrencyGate``.
public struct GateInterceptor: NetworkInterceptor {
    private let gate: ConcurrencyGate
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter clock: What deadlines are measured with in line.
    public init(_ gate: ConcurrencyGate, clock: any Clock<Duration> = ContinuousClock()) {
        self.gate = gate
        sleep = { try await clock.sleep(bounded: $0) }
    }

    /// Waits for a place, and holds it until the response, with its body, has come.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` where too many wait; ``NetworkCore/TransportError/Code/timedOut`` when the
    ///   deadline passes in line; else what `next` throws.
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
    /// Has each exchange pass a gate.
    public static func gate(_ gate: ConcurrencyGate) -> GateInterceptor { GateInterceptor(gate) }
}
