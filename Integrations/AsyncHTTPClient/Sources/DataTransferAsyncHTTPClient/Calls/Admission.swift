import NIOConcurrencyHelpers
import NIOCore
import NetworkCore

/// Admits as many exchanges as connections are permitted, per origin and in total. The others wait, in the order of their arrival.
///
/// The pool of async-http-client has no limit in total, and the time that a request waits for a connection is part of its connect timeout. Because of
/// this queue in front of it, requests do not wait in the pool: at most as many as there may be connections get there.
final class Admission: Sendable {
    private struct Origin {
        var active = 0
        var isHTTP2 = false
        /// The numbers of those that wait. One whose continuation is gone has given up.
        var waiting = CircularBuffer<UInt64>()
    }

    private struct State {
        var origins: [String: Origin] = [:]
        /// The origins for which an exchange waits; the first one's turn is next.
        var turns = CircularBuffer<String>()
        var continuations: [UInt64: CheckedContinuation<TransportError?, Never>] = [:]
        /// The number of connections that the active exchanges use.
        var total = 0
        var nextNumber: UInt64 = 0
    }

    /// The number of idle origins that are remembered with their version of HTTP.
    private static let maximumOrigins = 1_000

    private let perHost: Int
    private let streamsPerHost: Int
    private let maximum: Int
    private let state = NIOLockedValueBox(State())

    init(_ configuration: SessionConfiguration) {
        perHost = configuration.maximumConnectionsPerHost
        streamsPerHost = configuration.maximumStreamsPerHost
        maximum = configuration.maximumConnections
    }

    /// Waits for a place. Each call that returns needs one call of ``leave(_:)``.
    ///
    /// - Parameter mayBeHTTP2: Whether the origin counts as one that speaks HTTP/2 until its first response.
    /// - Throws: The failure of the call if it ends in the queue.
    func enter(_ origin: String, mayBeHTTP2: Bool, _ control: CallControl) async throws(TransportError) {
        let number = state.withLockedValue { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let failure: TransportError? = await withCheckedContinuation { continuation in
            state.withLockedValue { state in
                state.continuations[number] = continuation
                state.origins[origin, default: Origin(isHTTP2: mayBeHTTP2)].waiting.append(number)
                if !state.turns.contains(origin) { state.turns.append(origin) }
            }
            control.begin(.queued) { [weak self] error in self?.abandon(number, error) }
            admit()
        }
        if let failure { throw failure }
    }

    /// Gives a place back.
    func leave(_ origin: String) {
        state.withLockedValue { state in change(origin, in: &state) { $0.active -= 1 } }
        admit()
    }

    /// Records which version of HTTP an origin speaks: with HTTP/2, exchanges share connections.
    func learn(_ origin: String, isHTTP2: Bool) {
        let isNew = state.withLockedValue { state in
            guard state.origins[origin]?.isHTTP2 == !isHTTP2 else { return false }
            change(origin, in: &state) { $0.isHTTP2 = isHTTP2 }
            return true
        }
        if isNew { admit() }
    }

    private func abandon(_ number: UInt64, _ error: TransportError) {
        state.withLockedValue { $0.continuations.removeValue(forKey: number) }?.resume(returning: error)
    }

    /// Admits the next exchanges, as many as there are places.
    private func admit() {
        let admitted = state.withLockedValue { state in
            var admitted: [CheckedContinuation<TransportError?, Never>] = []
            var blocked = 0
            while blocked < state.turns.count, let name = state.turns.popFirst() {
                guard let next = next(of: name, in: &state) else { continue }
                state.turns.append(name)
                guard let next = next.continuation else {
                    blocked += 1
                    continue
                }
                blocked = 0
                admitted.append(next)
            }
            return admitted
        }
        for continuation in admitted { continuation.resume(returning: nil) }
    }

    /// Takes the next one that waits for an origin.
    ///
    /// - Returns: `nil` if none waits; no continuation if there is no place.
    private func next(of name: String, in state: inout State) -> (
        continuation: CheckedContinuation<TransportError?, Never>?, Void
    )? {
        while let number = state.origins[name]?.waiting.first {
            guard state.continuations[number] != nil else {
                state.origins[name]?.waiting.removeFirst()
                continue
            }
            guard let origin = state.origins[name], hasPlace(origin, total: state.total) else { return (nil, ()) }
            state.origins[name]?.waiting.removeFirst()
            change(name, in: &state) { $0.active += 1 }
            return (state.continuations.removeValue(forKey: number), ())
        }
        return nil
    }

    private func hasPlace(_ origin: Origin, total: Int) -> Bool {
        guard origin.active < (origin.isHTTP2 ? streamsPerHost : perHost) else { return false }
        var one = origin
        one.active += 1
        return total - connections(of: origin) + connections(of: one) <= maximum
    }

    /// With HTTP/2, each exchange counts as a connection, up to the number of connections per host.
    private func connections(of origin: Origin) -> Int {
        origin.isHTTP2 ? min(origin.active, perHost) : origin.active
    }

    private func change(_ name: String, in state: inout State, _ change: (inout Origin) -> Void) {
        var origin = state.origins[name] ?? Origin()
        state.total -= connections(of: origin)
        change(&origin)
        state.total += connections(of: origin)
        let isIdle = origin.active == 0 && origin.waiting.isEmpty
        state.origins[name] = isIdle && state.origins.count > Self.maximumOrigins ? nil : origin
    }
}
