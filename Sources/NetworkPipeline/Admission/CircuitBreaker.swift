import Endpoints
import NetworkCore

/// A circuit breaker for each host.
///
/// After too many failures, requests to the host fail at once for a while; then a few requests are let through as probes.
///
/// Connection errors, incomplete bodies, timeouts and the statuses 500, 502, 503 and 504 count as failures. Cancelled requests are not counted.
/// Share one breaker among all services that send requests to the same hosts.
public final class CircuitBreaker: Sendable {
    /// The maximum number of hosts in memory. Above it, hosts without failures are removed.
    private static let maximumHosts = 10_000

    private let circuits = Locked<[String: Circuit]>([:])
    private let rule: CircuitRule
    private let elapsed: @Sendable () -> Duration
    let configurationError: String?

    /// Creates a breaker that follows the same rule for all hosts.
    ///
    /// - Parameters:
    ///   - rule: When a circuit opens and closes. An invalid rule makes every request fail.
    ///   - clock: The clock that measures ``CircuitRule/openDuration``.
    public init<Time: Clock<Duration>>(_ rule: CircuitRule = CircuitRule(), clock: Time = ContinuousClock()) {
        self.rule = rule
        configurationError = rule.configurationError
        elapsed = stopwatch(clock)
    }

    /// The origins of the hosts to which requests currently fail at once, such as `https://api.example.com:443`.
    public var openHosts: [String] {
        circuits.withLock { $0 }.filter { $0.value.state.withLock(\.isOpen) }.keys.sorted()
    }

    /// Admits a request, or throws if the circuit of its host is open.
    ///
    /// - Returns: What to pass to ``record(_:failed:)`` when the exchange has ended; `nil` if the maximum number of hosts is
    ///   in memory, so that the exchange is not counted.
    func admit(_ request: NetworkRequest) throws(TransportError) -> Pass? {
        guard let circuit = circuit(of: request.origin) else { return nil }
        // The clock is supplied by the caller and is therefore not read while the lock is held.
        let now = elapsed()
        switch circuit.state.withLock({ $0.admit(now: now) }) {
        case .pass(let epoch): return Pass(circuit: circuit, epoch: epoch)
        case .refuse(let rest):
            let message = rest > .zero ? "retry after \(rest)" : "its probes have not ended yet"
            throw TransportError(
                .notAdmitted, "the circuit breaker for \(request.origin) is open: \(message)", phase: .queued,
                request: request)
        }
    }

    func record(_ pass: Pass?, failed: Bool?) {
        guard let pass else { return }
        let now = elapsed()
        pass.circuit.state.withLock { $0.record(failed: failed, epoch: pass.epoch, now: now) }
    }

    private func circuit(of origin: String) -> Circuit? {
        let (known, isFull): (Circuit?, Bool) = circuits.withLock { ($0[origin], $0.count >= Self.maximumHosts) }
        if let known { return known }
        if isFull { forgetClear() }
        return circuits.withLock { circuits in
            if let circuit = circuits[origin] { return circuit }
            if circuits.count >= Self.maximumHosts { return nil }
            let circuit = Circuit(rule)
            circuits[origin] = circuit
            return circuit
        }
    }

    private func forgetClear() {
        let clear = circuits.withLock { $0 }.filter { $0.value.state.withLock(\.isClear) }.keys
        circuits.withLock { circuits in
            for origin in clear { circuits[origin] = nil }
        }
    }
}

/// The rule that decides when a circuit breaker opens and when it closes again.
public struct CircuitRule: Sendable, Hashable {
    /// The share of failures among the latest outcomes that opens the circuit, above 0 and at most 1. Default: 0.5.
    public var failureRatio: Double
    /// The number of latest outcomes that are counted, 1 to 10,000. Default: 20.
    public var window: Int
    /// The number of outcomes below which the circuit stays closed, at most ``window``. Default: 10.
    public var minimumOutcomes: Int
    /// The duration for which the circuit is open, at most 24 hours. Default: 10 seconds.
    public var openDuration: Duration
    /// The number of requests that are let through as probes afterwards, 1 to 1,000.
    ///
    /// If all of them succeed, the circuit closes; the first failure opens it again. Default: 1.
    public var probes: Int

    /// Creates a rule from these parameters.
    ///
    /// The values are checked when a request passes the interceptor; an invalid one is
    /// ``NetworkCore/TransportError/Code/invalidConfiguration``.
    public init(
        failureRatio: Double = 0.5, window: Int = 20, minimumOutcomes: Int = 10, openDuration: Duration = .seconds(10),
        probes: Int = 1
    ) {
        self.failureRatio = failureRatio
        self.window = window
        self.minimumOutcomes = minimumOutcomes
        self.openDuration = openDuration
        self.probes = probes
    }

    var configurationError: String? {
        if !(failureRatio > 0 && failureRatio <= 1) {
            return "breaker: failureRatio is \(failureRatio); it must be above 0, to 1"
        }
        if !(1...10_000).contains(window) { return "breaker: window is \(window); it must be 1...10000" }
        if !(1...window).contains(minimumOutcomes) {
            return "breaker: minimumOutcomes is \(minimumOutcomes); it must be 1...\(window), the window"
        }
        if openDuration <= .zero || openDuration > .seconds(86_400) {
            return "breaker: openDuration is \(openDuration); it must be above 0, to 86400 s"
        }
        if !(1...1000).contains(probes) { return "breaker: probes is \(probes); it must be 1...1000" }
        return nil
    }
}

/// The state of one host.
final class Circuit: Sendable {
    let state: Locked<CircuitState>

    init(_ rule: CircuitRule) {
        state = Locked(CircuitState(rule))
    }
}

/// An admitted request, with the epoch of the circuit in which it was admitted.
struct Pass {
    let circuit: Circuit
    let epoch: Int
}

/// An interceptor that sends requests through a ``CircuitBreaker``.
public struct BreakerInterceptor: NetworkInterceptor {
    private let breaker: CircuitBreaker

    /// Creates an interceptor that uses a circuit breaker.
    ///
    /// - Parameter breaker: The breaker that admits or rejects requests.
    public init(_ breaker: CircuitBreaker) {
        self.breaker = breaker
    }

    /// Sends the request unless the circuit of its host is open, and reports the outcome to the breaker.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` while the circuit is open;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if the rule is invalid; otherwise what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError = breaker.configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        let pass = try breaker.admit(request)
        do throws(TransportError) {
            let response = try await next(request)
            breaker.record(pass, failed: Self.isFailure(response.statusCode) && request.hasOrigin(of: response.url))
            return response
        } catch {
            let isFailure = error.isConnectivity || error.isTimeout || error.code == .incompleteBody
            breaker.record(pass, failed: isFailure ? true : nil)
            throw error
        }
    }

    private static func isFailure(_ status: Int) -> Bool {
        status == 500 || (502...504).contains(status)
    }
}

extension NetworkInterceptor where Self == BreakerInterceptor {
    /// Sends requests through a circuit breaker, by default a new one with the default rule.
    public static func breaker(_ breaker: CircuitBreaker = CircuitBreaker()) -> BreakerInterceptor { BreakerInterceptor(breaker) }
}
