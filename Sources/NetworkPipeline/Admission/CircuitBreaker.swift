import Endpoints
import NetworkCore

/// Spares a host that fails: after too many failures, requests to it fail at once for a while, then one may try whether it is back.
///
/// Failures are no connection, a timeout, and statuses 500, 502, 503 and 504; what was called off says nothing. Share one among all that talk to
/// the same hosts.
public final class CircuitBreaker: Sendable {
    /// Hosts that are remembered. Past it, those without failures are forgotten.
    private static let maximumHosts = 10_000

    private let circuits = Locked<[String: Circuit]>([:])
    private let rule: CircuitRule
    private let elapsed: @Sendable () -> Duration
    let configurationError: String?

    /// - Parameter clock: What ``CircuitRule/openDuration`` is measured with.
    public init<Time: Clock<Duration>>(_ rule: CircuitRule = CircuitRule(), clock: Time = ContinuousClock()) {
        self.rule = rule
        configurationError = rule.configurationError
        elapsed = stopwatch(clock)
    }

    /// Hosts to which requests fail at once now, as `https://api.example.com:443`.
    public var openHosts: [String] {
        circuits.withLock { $0 }.filter { $0.value.state.withLock(\.isOpen) }.keys.sorted()
    }

    /// Lets a request pass, and tells what to say of it in the end.
    ///
    /// - Returns: `nil` where too many hosts fail for one more to be watched.
    func admit(_ request: NetworkRequest) throws(TransportError) -> Pass? {
        guard let circuit = circuit(of: request.origin) else { return nil }
        // The clock is the caller's, and so not asked under the lock.
        let now = elapsed()
        switch circuit.state.withLock({ $0.admit(now: now) }) {
        case .pass(let epoch): return Pass(circuit: circuit, epoch: epoch)
        case .refuse(let rest):
            let message = rest > .zero ? "it is open for another \(rest)" : "others try whether the host is back"
            throw TransportError(
                .notAdmitted, "the circuit breaker keeps requests from \(request.origin): \(message)", phase: .queued,
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

/// When a breaker opens, and when it closes again.
public struct CircuitRule: Sendable, Hashable {
    /// The share of failures that opens it. 0.5 unless given.
    public var failureRatio: Double
    /// Of the latest so many outcomes. 20 unless given.
    public var window: Int
    /// With fewer outcomes than that, it stays closed. 10 unless given.
    public var minimumOutcomes: Int
    /// How long it is open. 10 seconds unless given.
    public var openDuration: Duration
    /// Requests that may try after that; when all succeed it closes, and with the first failure it opens again. 1 unless given.
    public var probes: Int

    /// A rule of these parts; checked by whoever uses it.
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

/// What is known of one host.
final class Circuit: Sendable {
    let state: Locked<CircuitState>

    init(_ rule: CircuitRule) {
        state = Locked(CircuitState(rule))
    }
}

/// A request that was let pass, and in which life of the breaker that was.
struct Pass {
    let circuit: Circuit
    let epoch: Int
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
        if let configurationError = breaker.configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        let pass = try breaker.admit(request)
        do throws(TransportError) {
            let response = try await next(request)
            breaker.record(pass, failed: Self.isFailure(response.statusCode) && request.isAnswered(by: response.url))
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
    /// Has each exchange pass a breaker.
    public static func breaker(_ breaker: CircuitBreaker = CircuitBreaker()) -> BreakerInterceptor { BreakerInterceptor(breaker) }
}
