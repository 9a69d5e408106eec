import Endpoints
import Foundation
import NetworkCore
import NetworkPipeline
import Synchronization

/// An interceptor that limits the rate of requests of a whole fleet to each host.
///
/// ```swift
/// let limiter = ValkeyRateLimiter(client, limit: RateLimit(100, per: .seconds(1), burst: 20), whenUnavailable: .share(of: 16))
/// let interceptors: [any NetworkInterceptor] = [.retry(), limiter]
/// ```
///
/// Each request takes a token from a bucket on the server, in one script on the server's clock. The script reserves the next free time, so requests
/// are sent in the order in which they have reached the server, whichever process they are from. If the wait would exceed `maximumDelay` or the
/// deadline, nothing is reserved and the request fails at once. Processes that share a bucket must have the same limit.
///
/// **Pauses.** `Retry-After` of a response with 429 or 503 (RFC 9110 §10.2.3) delays the requests of all processes to that host. Those that wait
/// already take a new token.
///
/// **Without the server**, ``Unavailable`` is applied within the command timeout. With a share, each process continues with its part of the
/// limit, beginning with an empty bucket behind everything that was reserved.
///
/// **After a restart** or a loss of the state, the bucket is empty, and stays so for the time in which other processes still use their shares
/// (``ValkeyConfiguration/maximumReconnectDelay`` and up to two seconds). Each process also reports up to when it knows tokens to be reserved. So no
/// burst exceeds the bucket, and for a few seconds fewer requests are sent than the limit permits. The same holds for a server that was just
/// started.
public final class ValkeyRateLimiter: NetworkInterceptor {
    /// What is done while the server cannot be used.
    public struct Unavailable: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case share(processes: Int)
            case open
            case closed
        }

        let form: Form

        /// Each process applies the limit divided by a number of processes, with at least one token.
        public static func share(of processes: Int) -> Unavailable { Unavailable(form: .share(processes: processes)) }
        /// Requests are sent without a limit.
        public static let open = Unavailable(form: .open)
        /// Requests fail with ``NetworkCore/TransportError/Code/notAdmitted``.
        public static let closed = Unavailable(form: .closed)
    }

    private let client: ValkeyClient
    private let limit: RateLimit
    private let maximumDelay: Duration
    private let name: String
    private let unavailable: Unavailable
    private let hosts = Mutex<[String: FleetLimitState]>([:])
    private let configurationError: String?
    private let script = LimitScripts.take()

    /// The longest pause that is accepted from a server.
    private static let maximumPause = Duration.seconds(86_400)
    private static let maximumHosts = 10_000

    /// Creates a rate limiter.
    ///
    /// Invalid values make every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - client: The connections to the server.
    ///   - limit: The limit for each host, of all processes together.
    ///   - maximumDelay: The longest time that a request is delayed. Default: 60 seconds.
    ///   - name: Separates limiters for the same hosts. Default: `default`.
    ///   - whenUnavailable: What is done while the server cannot be used.
    public init(
        _ client: ValkeyClient, limit: RateLimit, maximumDelay: Duration = .seconds(60), name: String = "default",
        whenUnavailable: Unavailable
    ) {
        self.client = client
        self.limit = limit
        self.maximumDelay = maximumDelay
        self.name = name
        unavailable = whenUnavailable
        var error: String?
        if !(1...1_000_000).contains(limit.requests) { error = "rate: requests is \(limit.requests); it must be 1...1000000" }
        if !(1...1_000_000).contains(limit.burst) { error = "rate: burst is \(limit.burst); it must be 1...1000000" }
        if limit.period < .milliseconds(1) || limit.period > .seconds(86_400 * 31) {
            error = "rate: period is \(limit.period); it must be 1 ms...31 d"
        }
        if maximumDelay < .zero { error = "rate: maximumDelay is \(maximumDelay); it must not be negative" }
        if case .share(let processes) = whenUnavailable.form, !(1...1_000_000).contains(processes) {
            error = "rate: the share is of \(processes) processes; it must be 1...1000000"
        }
        configurationError = error
    }

    /// Delays the request as the rate limit of the fleet requires, and sends it.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` if the delay would be too long, or without the server if it is to fail then;
    ///   ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled during the delay;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if the limit is invalid; otherwise what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError { throw TransportError(.invalidConfiguration, configurationError, request: request) }
        try await wait(request)
        let response = try await next(request)
        if response.statusCode == 429 || response.statusCode == 503, let pause = RetryTime.pause(in: response.headers) {
            await self.pause(request.origin, for: min(pause, Self.maximumPause))
        }
        return response
    }

    private func wait(_ request: NetworkRequest) async throws(TransportError) {
        let maximum = min(maximumDelay, request.deadline?.remaining ?? maximumDelay)
        let end = ContinuousClock.now + maximum
        while true {
            let rest = max(.zero, ContinuousClock.now.duration(to: end))
            guard let delay = await take(request.origin, maximum: rest) else {
                throw TransportError(
                    .notAdmitted, "the server of the rate limit cannot be used", phase: .queued, request: request)
            }
            guard delay <= rest else {
                let message = "the rate limit for \(request.origin) would delay the request by \(delay), longer than \(rest)"
                throw TransportError(.notAdmitted, message, phase: .queued, request: request)
            }
            guard delay > .zero else { return }
            do {
                try await Task.sleep(for: delay, tolerance: .zero, clock: .continuous)
            } catch {
                throw TransportError(.cancelled, "cancelled while delayed by the rate limit", request: request)
            }
            // A pause has begun since, after which all that wait now would be sent at once.
            let isPaused = hosts.withLock { ($0[request.origin]?.pausedUntil ?? 0) > FleetLimitState.now }
            guard isPaused else { return }
        }
    }

    /// Takes a token for a host.
    ///
    /// - Returns: The time until it may be used, which is longer than the maximum if none was taken; `nil` if requests are to fail.
    package func take(_ host: String, maximum: Duration) async -> Duration? {
        let (interval, burst) = (limit.period / limit.requests / .microseconds(1), Double(limit.burst))
        let longest = maximum / .microseconds(1)
        let report = update(host) { $0.report(interval: interval, burst: burst, recovery: recovery) }
        let numbers = [interval, burst, longest, report.floor].map { Data(String($0).utf8) }
        let arguments =
            numbers + [
                Data(report.generation.utf8), Data(Self.newGeneration().utf8), Data(String(recovery).utf8),
                Data(String(report.debt).utf8),
            ]
        let sent = FleetLimitState.now
        do throws(ValkeyError) {
            let reply = try await client.run(script, keys: [key(host), key(host) + ":pause"], arguments)
            guard let parts = reply.elements, parts.count == 4, let wait = parts[0].text.flatMap({ Double($0) }),
                let due = parts[1].text.flatMap({ Double($0) }), let generation = parts[2].text,
                let pause = parts[3].text.flatMap({ Double($0) }), wait.isFinite, due.isFinite, pause.isFinite
            else { throw client.reported(ValkeyError(.protocolViolation, "the reply of the rate limit is not valid")) }
            let ownPause = update(host) { state in
                state.adopt(due: sent + due, generation, after: report)
                state.pausedUntil = max(state.pausedUntil, FleetLimitState.now + pause)
                // A pause that a restarted server has lost.
                return pause > 0 ? 0 : max(0, state.pausedUntil - FleetLimitState.now)
            }
            return Self.duration(max(wait, ownPause))
        } catch {
            switch unavailable.form {
            case .open: return .zero
            case .closed: return nil
            case .share(let processes):
                let wait = update(host) {
                    $0.takeLocally(interval: interval, burst: burst, processes: processes, maximum: longest)
                }
                return Self.duration(wait)
            }
        }
    }

    /// Returns a duration of microseconds, rounded up, of at most about thirty years.
    private static func duration(_ microseconds: Double) -> Duration {
        .microseconds(Int64(min(max(0, microseconds.rounded(.up)), 1e15)))
    }

    /// The time in which a process finds the server again, in microseconds.
    private var recovery: Double { client.configuration.maximumReconnectDelay / .microseconds(1) }

    /// Delays the requests of all processes to a host.
    private func pause(_ host: String, for time: Duration) async {
        update(host) { $0.pausedUntil = max($0.pausedUntil, FleetLimitState.now + time / .microseconds(1)) }
        let argument = Data(String(time / .microseconds(1)).utf8)
        _ = try? await client.run(LimitScripts.pause, keys: [key(host) + ":pause"], [argument])
    }

    private func key(_ host: String) -> String { client.key("limit", name, host) }

    private static func newGeneration() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    private func update<Value: Sendable>(_ host: String, _ change: (inout FleetLimitState) -> Value) -> Value {
        hosts.withLock { hosts in
            if hosts.count >= Self.maximumHosts, hosts[host] == nil {
                let now = FleetLimitState.now
                hosts = hosts.filter { $0.value.isUseful(at: now) }
                if hosts.count >= Self.maximumHosts { hosts.removeAll() }
            }
            return change(&hosts[host, default: FleetLimitState()])
        }
    }
}
