import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor with a circuit breaker for each host.
///
/// After too many failures, requests to the host fail at once for a while; then a few requests are let through as probes.
///
/// Connection errors, incomplete bodies, timeouts and the statuses 500, 502, 503 and 504 count as failures. Cancelled requests are not counted.
/// Share one breaker among all services that send requests to the same hosts.
public final class CircuitBreaker: NetworkInterceptor {
    private let circuits = Locked(OriginTable<CircuitState>())
    private let options: CircuitBreakerOptions
    private let time: TimeSource
    private let configurationError: String?

    /// Creates a breaker with the same options for all hosts.
    ///
    /// - Parameters:
    ///   - options: When a circuit opens and closes. An invalid value makes every request fail.
    ///   - clock: The clock that measures ``CircuitBreakerOptions/openDuration``.
    public init(options: CircuitBreakerOptions = CircuitBreakerOptions(), clock: any Clock<Duration> = ContinuousClock()) {
        self.options = options
        configurationError = options.configurationError
        time = TimeSource(clock)
    }

    /// The origins whose circuits have opened and have not been probed yet, such as `https://api.example.com:443`.
    ///
    /// An origin stays in the list after ``CircuitBreakerOptions/openDuration`` until its next request, and is not in it while probes are
    /// under way.
    public var openHosts: [String] {
        circuits.withLock { $0.states.filter(\.value.isOpen).keys }.sorted()
    }

    /// Sends the request unless the circuit of its host is open, and records the outcome.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` while the circuit is open;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if an option is invalid; otherwise what `next` throws.
    @inline(__always)
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        if let configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        let origin = request.origin
        guard let epoch = try admit(request, to: origin) else { return try await next(request) }
        do throws(TransportError) {
            let response = try await next(request)
            record(origin, epoch, failed: Self.isFailure(response.statusCode) && response.lazyURL.origin == origin)
            return response
        } catch {
            let isFailure = error.isOfConnection || error.isTimeout || error.code == .incompleteBody
            record(origin, epoch, failed: isFailure ? true : nil)
            throw error
        }
    }

    /// Admits a request, or throws if the circuit of its host is open.
    ///
    /// - Returns: The epoch of the circuit, to record the outcome; `nil` if too many hosts are in memory, so that the exchange is
    ///   not counted.
    func admit(_ request: NetworkRequest, to origin: String) throws(TransportError) -> Int? {
        let atOnce = circuits.withLock { $0.updateExisting(origin) { $0.admitIfClosed() } ?? nil }
        if let atOnce { return atOnce }
        // The clock is supplied by the caller and is therefore not read while the lock is held.
        let now = time.elapsed
        let decision = circuits.withLock { circuits in
            circuits.update(origin, initial: CircuitState(options), isIdle: \.isClear) { $0.admit(now: now) }
        }
        switch decision {
        case nil: return nil
        case .pass(let epoch): return epoch
        case .refuse(let rest):
            let message = rest > .zero ? "retry after \(rest)" : "its probes have not ended yet"
            throw TransportError(
                .notAdmitted, "the circuit breaker for \(origin) is open: \(message)", phase: .queued, request: request)
        }
    }

    private func record(_ origin: String, _ epoch: Int, failed: Bool?) {
        if failed == false, circuits.withLock({ $0.updateExisting(origin) { $0.recordSuccess(epoch: epoch) } ?? true }) { return }
        let now = time.elapsed
        circuits.withLock { circuits in
            _ = circuits.updateExisting(origin) { $0.record(failed: failed, epoch: epoch, now: now) }
        }
    }

    private static func isFailure(_ status: Int) -> Bool {
        status == 500 || (502...504).contains(status)
    }
}

/// The options that decide when a circuit breaker opens and when it closes again.
public struct CircuitBreakerOptions: Sendable, Hashable {
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

    /// Creates options from these parameters.
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

/// The circuit breaker of one host: a pure state machine that gets the current time as a parameter.
struct CircuitState: Sendable {
    enum Decision: Equatable {
        case pass(epoch: Int)
        /// The request is rejected, and so are others until this duration has passed.
        case refuse(Duration)
    }

    private enum Phase: Equatable {
        case closed
        case open(until: Duration)
        /// `free` more probes may be sent, and `missing` more have to succeed to close the circuit.
        ///
        /// The first failure opens it again.
        case halfOpen(free: Int, missing: Int)
    }

    let options: CircuitBreakerOptions
    private var phase = Phase.closed
    /// The latest outcomes, `true` for a failure. Once the window is full, the oldest is at `next`.
    private var outcomes: [Bool] = []
    private var next = 0
    private(set) var failures = 0
    /// Counts the openings and closings. Outcomes of requests that were admitted in an earlier epoch are ignored.
    private var epoch = 0

    init(_ options: CircuitBreakerOptions) {
        self.options = options
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }
    /// Whether the state can be removed from memory without losing information.
    var isClear: Bool { phase == .closed && failures == 0 }

    mutating func admit(now: Duration) -> Decision {
        if case .open(let until) = phase {
            if now < until {
                // If the clock was set back, the circuit must not stay open for longer than the configured duration.
                let rest = min(until - now, options.openDuration)
                phase = .open(until: now + rest)
                return .refuse(rest)
            }
            epoch += 1
            phase = .halfOpen(free: options.probes, missing: options.probes)
        }
        if case .halfOpen(let free, let missing) = phase {
            guard free > 0 else { return .refuse(.zero) }
            phase = .halfOpen(free: free - 1, missing: missing)
        }
        return .pass(epoch: epoch)
    }

    /// Admits a request if the circuit is closed, which does not depend on the time.
    ///
    /// - Returns: The epoch; `nil` if the circuit is not closed.
    func admitIfClosed() -> Int? { phase == .closed ? epoch : nil }

    /// Records a success if it cannot change the phase, which does not depend on the time.
    ///
    /// - Returns: `false` if it was not recorded.
    mutating func recordSuccess(epoch: Int) -> Bool {
        guard epoch == self.epoch else { return true }
        guard phase == .closed, failures == 0 else { return false }
        remember(false)
        return true
    }

    /// Records the outcome of an exchange.
    ///
    /// - Parameter failed: `nil` if the outcome does not count, such as that of a cancelled request.
    mutating func record(failed: Bool?, epoch: Int, now: Duration) {
        guard epoch == self.epoch else { return }
        switch phase {
        case .open: break
        case .halfOpen(let free, let missing):
            switch failed {
            case nil: phase = .halfOpen(free: free + 1, missing: missing)
            case true?: open(now: now)
            case false? where missing > 1: phase = .halfOpen(free: free, missing: missing - 1)
            case false?: close()
            }
        case .closed:
            guard let failed else { return }
            remember(failed)
            if outcomes.count >= options.minimumOutcomes, Double(failures) >= options.failureRatio * Double(outcomes.count) {
                open(now: now)
            }
        }
    }

    private mutating func remember(_ failed: Bool) {
        failures += failed ? 1 : 0
        if outcomes.count < options.window {
            outcomes.append(failed)
        } else {
            failures -= outcomes[next] ? 1 : 0
            outcomes[next] = failed
            next = (next + 1) % options.window
        }
    }

    private mutating func open(now: Duration) {
        epoch += 1
        forget()
        phase = .open(until: now + options.openDuration)
    }

    private mutating func close() {
        epoch += 1
        forget()
        phase = .closed
    }

    private mutating func forget() {
        outcomes = []
        next = 0
        failures = 0
    }
}

extension CircuitBreaker: RedactedStringConvertible {}
