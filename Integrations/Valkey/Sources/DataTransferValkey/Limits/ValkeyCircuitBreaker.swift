import Endpoints
import Foundation
import NetworkCore
import NetworkPipeline
import Synchronization

/// An interceptor with a circuit breaker for each host that a fleet shares: failures of all processes count, and all refuse requests while the
/// circuit is open. Afterwards, the fleet sends ``CircuitBreakerOptions/probes`` requests, which decide.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [.retry(), ValkeyCircuitBreaker(client), CircuitBreaker()]
/// ```
///
/// The same outcomes count as for `CircuitBreaker`. They are sent to the server after each failure, and otherwise with the next request that is at
/// least 100 milliseconds later, which also learns whether the circuit is open: so a process sends at most ten more requests per second
/// to the server for each host while nothing fails, and other processes refuse requests at most that much later. While the server is away,
/// all requests are sent: put a `CircuitBreaker` behind this one.
public final class ValkeyCircuitBreaker: NetworkInterceptor {
    private struct Circuit {
        /// Outcomes that were not sent yet: `1` for a failure.
        var outcomes = ""
        var epoch = 0
        var isClosed = true
        var checkAt: ContinuousClock.Instant
    }

    private enum Admission {
        case pass(epoch: Int)
        case refuse(Duration)
    }

    private static let interval = Duration.milliseconds(100)
    private static let maximumHosts = 10_000

    private let client: ValkeyClient
    private let options: CircuitBreakerOptions
    private let name: String
    private let circuits = Mutex<[String: Circuit]>([:])

    /// Creates a breaker. All processes must have the same options.
    ///
    /// - Parameters:
    ///   - client: The connections to the server.
    ///   - options: When a circuit opens and closes. Values outside of the documented ranges are replaced by the nearest one.
    ///   - name: Separates breakers for the same hosts. Default: `default`.
    public init(_ client: ValkeyClient, options: CircuitBreakerOptions = CircuitBreakerOptions(), name: String = "default") {
        self.client = client
        self.options = options
        self.name = name
    }

    /// Sends the request unless the circuit of its host is open, and records the outcome.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` while the circuit is open; otherwise what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        let epoch: Int
        switch await admit(request.origin) {
        case .pass(let current): epoch = current
        case .refuse(let rest):
            let message = rest > .zero ? "retry after \(rest)" : "its probes have not ended yet"
            throw TransportError(
                .notAdmitted, "the circuit breaker for \(request.origin) is open in the fleet: \(message)", phase: .queued,
                request: request)
        }
        do throws(TransportError) {
            let response = try await next(request)
            let failed = response.statusCode == 500 || (502...504).contains(response.statusCode)
            await record(failed, request.origin, epoch)
            return response
        } catch {
            if error.isConnectivity || error.isTimeout || error.code == .incompleteBody {
                await record(true, request.origin, epoch)
            }
            throw error
        }
    }

    private func admit(_ host: String) async -> Admission {
        let now = ContinuousClock.now
        let known: Int? = circuits.withLock { circuits in
            if circuits.count >= Self.maximumHosts, circuits[host] == nil { circuits.removeAll() }
            let circuit = circuits[host] ?? Circuit(checkAt: now)
            guard !circuit.isClosed || now >= circuit.checkAt else { return circuit.epoch }
            // Others go on with what is known, instead of asking too.
            circuits[host] = circuit
            circuits[host]?.checkAt = now + Self.interval
            return nil
        }
        if let known { return .pass(epoch: known) }
        return await exchange(host, asks: true)
    }

    private func record(_ failed: Bool, _ host: String, _ epoch: Int) async {
        let sends = circuits.withLock { circuits in
            guard circuits[host]?.epoch == epoch else { return false }
            circuits[host]?.outcomes += failed ? "1" : "0"
            return failed || circuits[host]?.isClosed == false || (circuits[host]?.outcomes.utf8.count ?? 0) >= options.window
        }
        if sends { _ = await exchange(host, asks: false) }
    }

    /// Sends outcomes, and returns whether a request may be sent.
    private func exchange(_ host: String, asks: Bool) async -> Admission {
        let (outcomes, epoch) = circuits.withLock { circuits in
            defer { circuits[host]?.outcomes = "" }
            return (circuits[host]?.outcomes ?? "", circuits[host]?.epoch ?? 0)
        }
        let window = min(max(1, options.window), 10_000)
        let numbers: [Any] = [
            asks ? 1 : 0, window, min(max(1, options.minimumOutcomes), window), min(max(1e-9, options.failureRatio), 1),
            Int64(max(.milliseconds(1), options.openDuration) / .milliseconds(1)), min(max(1, options.probes), 1000), epoch,
        ]
        let arguments = [Data(outcomes.suffix(window).utf8)] + numbers.map { Data("\($0)".utf8) }
        let key = client.key("circuit", name, host)
        do throws(ValkeyError) {
            let reply = try await client.run(Self.script, keys: [key, key + ":outcomes"], arguments)
            guard let numbers = reply.elements?.compactMap(\.integer), numbers.count == 3 else {
                throw client.reported(ValkeyError(.protocolViolation, "the reply of the circuit breaker is not valid"))
            }
            let epoch = Int(clamping: numbers[2])
            circuits.withLock { circuits in
                circuits[host]?.isClosed = numbers[0] == 0
                circuits[host]?.epoch = epoch
            }
            return numbers[0] == 1 ? .refuse(.milliseconds(numbers[1])) : .pass(epoch: epoch)
        } catch {
            circuits.withLock { $0[host]?.isClosed = true }
            return .pass(epoch: epoch)
        }
    }

    /// Records outcomes and admits a request: 0 for closed, 1 for refused with the rest in milliseconds, 2 for a probe; and the epoch.
    ///
    /// The hash has the fields `ends` while the circuit is not closed, `epoch`, `given` for probes that were sent, `passed` for those that
    /// succeeded, and `again` for the time at which other probes take the place of those without an outcome.
    private static let script = ValkeyScript(
        """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local open, probes = tonumber(ARGV[6]), tonumber(ARGV[7])
        local ends = tonumber(redis.call('HGET', KEYS[1], 'ends') or '')
        local epoch = tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0')
        local function change(isOpen)
            epoch = epoch + 1
            ends = isOpen and now + open or nil
            redis.call('DEL', KEYS[1], KEYS[2])
            redis.call('HSET', KEYS[1], 'epoch', epoch)
            if isOpen then redis.call('HSET', KEYS[1], 'ends', ends) end
            redis.call('PEXPIRE', KEYS[1], open + 86400000)
        end
        if ARGV[1] ~= '' and tonumber(ARGV[8]) == epoch then
            if ends then
                if string.find(ARGV[1], '1') then
                    change(true)
                elseif redis.call('HINCRBY', KEYS[1], 'passed', #ARGV[1]) >= probes then
                    change(false)
                end
            else
                for outcome in string.gmatch(ARGV[1], '.') do redis.call('LPUSH', KEYS[2], outcome) end
                redis.call('LTRIM', KEYS[2], 0, tonumber(ARGV[3]) - 1)
                redis.call('PEXPIRE', KEYS[2], 3600000)
                local list = redis.call('LRANGE', KEYS[2], 0, -1)
                local failures = 0
                for _, outcome in ipairs(list) do if outcome == '1' then failures = failures + 1 end end
                if #list >= tonumber(ARGV[4]) and failures >= tonumber(ARGV[5]) * #list then change(true) end
            end
        end
        if not ends then return {0, 0, epoch} end
        if now < ends then return {1, ends - now, epoch} end
        if ARGV[2] == '1' then
            local given = tonumber(redis.call('HGET', KEYS[1], 'given') or '0')
            if now >= tonumber(redis.call('HGET', KEYS[1], 'again') or '0') then given = 0 end
            if given < probes then
                redis.call('HSET', KEYS[1], 'given', given + 1, 'again', now + open)
                return {2, 0, epoch}
            end
        end
        return {1, 0, epoch}
        """)
}
