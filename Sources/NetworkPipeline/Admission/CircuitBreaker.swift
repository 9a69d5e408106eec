import Endpoints
import NetworkCore

/// Spares a host that fails: after too many failures, requests to it fail at once for a while, then one may try whether it is back.
///
/// Failures are no connection, a timeout, and statuses 500, 502, 503 and 504; what was called off says nothing. Share one among all that talk to
/// the same hosts.
public final class CircuitBreaker: Sendable {
    /// Hosts that are remembered. Past it, those without failures are forgotten.
    private static let maximumHosts = 10_000

    private let state = Locked<[String: CircuitState]>([:])
    private let rule: CircuitRule
    private let elapsed: @Sendable () -> Duration
    let flaw: String?

    /// - Parameter clock: What ``CircuitRule/openDuration`` is measured with.
    public init<Time: Clock<Duration>>(_ rule: CircuitRule = CircuitRule(), clock: Time = ContinuousClock()) {
        self.rule = rule
        flaw = rule.flaw
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// Hosts to which requests fail at once now, as `https://api.example.com:443`.
    public var openHosts: [String] {
        state.withLock { hosts in hosts.filter { $0.value.isOpen }.keys.sorted() }
    }

    func ask(_ origin: String, _ request: NetworkRequest) throws(TransportError) -> Int {
        let verdict: CircuitState.Verdict = state.withLock { hosts in
            if hosts.count >= Self.maximumHosts, hosts[origin] == nil {
                hosts = hosts.filter { !$0.value.isClear }
                // All of them fail: one more is not watched.
                if hosts.count >= Self.maximumHosts { return .pass(epoch: 0) }
            }
            return hosts[origin, default: CircuitState(rule)].ask(now: elapsed())
        }
        switch verdict {
        case .pass(let epoch): return epoch
        case .refuse(let rest):
            let message = rest > .zero ? "it is open for another \(rest)" : "others try whether the host is back"
            throw TransportError(
                .notAdmitted, "the circuit breaker keeps requests from \(origin): \(message)", phase: .queued, request: request)
        }
    }

    func note(_ origin: String, failed: Bool?, epoch: Int) {
        state.withLock { $0[origin]?.note(failed: failed, epoch: epoch, now: elapsed()) }
    }
}

/// Has each exchange pass a ``CircuitBreaker``.
public struct BreakerInterceptor: NetworkInterceptor {
    private let breaker: CircuitBreaker

    /// - Parameter breaker: What decides.
    public init(_ breaker: CircuitBreaker) {
        self.breaker = breaker
    }

    /// Sends the request unless the breaker of its host is open, and tells it what came of that.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` while it is open; else what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let flaw = breaker.flaw { throw TransportError(.invalidConfiguration, flaw, request: request) }
        let origin = request.origin
        let epoch = try breaker.ask(origin, request)
        do throws(TransportError) {
            let response = try await next(request)
            breaker.note(origin, failed: [500, 502, 503, 504].contains(response.statusCode), epoch: epoch)
            return response
        } catch {
            let isFailure = error.isConnectivity || error.isTimeout || error.code == .incompleteBody
            breaker.note(origin, failed: isFailure ? true : nil, epoch: epoch)
            throw error
        }
    }
}

extension NetworkInterceptor where Self == BreakerInterceptor {
    /// Has each exchange pass a breaker.
    public static func breaker(_ breaker: CircuitBreaker = CircuitBreaker()) -> BreakerInterceptor { BreakerInterceptor(breaker) }
}
