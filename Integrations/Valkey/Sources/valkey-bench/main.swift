import DataTransferValkey
import Foundation
import NetworkCache
import ValkeyTesting

// Measurements, each over a `redis-server` that it starts:
//
//     valkey-bench hit [tcp]             # the time of a read from the cache that finds a response of 1 KiB
//     valkey-bench scripts               # the calls of the script of the rate limiter per second
//     valkey-bench limiter [restart]     # 16 processes that ask for more than 100 requests per second, for 12 seconds
//     valkey-bench simulation            # 1,000 and 10,000 clients of one rate limit
//     valkey-bench cache SECONDS         # 8 processes that use the cache and are killed at random

let arguments = CommandLine.arguments.dropFirst()

func show(_ parts: String...) {
    FileHandle.standardOutput.write(Data((parts.joined(separator: " ") + "\n").utf8))
}

func text(_ number: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", number) }

func hit(overTCP: Bool) async throws {
    let server = try TestServer(port: overTCP ? 46_379 : 0)
    var configuration = server.patient
    if overTCP { configuration.address = .tcp(host: "127.0.0.1", port: server.port) }
    let store = ValkeyCacheStore(ValkeyClient(configuration))
    let origin = FixedOrigin()
    let service = DefaultNetworkService(
        configuration: try APIConfiguration("https://api.example.com"), sessionManager: origin,
        interceptors: [CacheInterceptor(store: store)])
    let endpoint = Endpoint<Data>(path: "item", responseDecoder: .rawData)
    _ = try await service.response(for: endpoint)
    let key = CacheKey(url: URL(fileURLWithPath: "/"))
    for name in ["store", "request"] {
        var times: [Duration] = []
        for _ in 0..<20_000 {
            let start = ContinuousClock.now
            if name == "store" {
                _ = await store.entries(for: origin.key ?? key)
            } else {
                _ = try await service.response(for: endpoint)
            }
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        let micro = times.map { $0 / .microseconds(1) }
        show("figure", "hit-\(name)-median", text(micro[micro.count / 2]), "µs, 99 %:", text(micro[micro.count * 99 / 100]), "µs")
    }
}

struct FixedOrigin: NetworkSessionManager {
    var identity: SessionIdentity { .standard }
    var key: CacheKey? { URL(string: "https://api.example.com/item").map { CacheKey(url: $0) } }

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        NetworkResponse(
            statusCode: 200, headers: ["Cache-Control": "max-age=600", "Content-Type": "application/json"],
            body: .data(Data(repeating: 0x78, count: 1024)), url: request.url)
    }
}

func scripts() async throws {
    let server = try TestServer()
    for connections in [1, 4, 16] {
        var configuration = server.patient
        configuration.maximumConnections = connections
        let client = ValkeyClient(configuration)
        let limiter = ValkeyRateLimiter(
            client, limit: RateLimit(1_000_000, per: .seconds(1), burst: 1000), whenUnavailable: .closed)
        let end = ContinuousClock.now + .seconds(3)
        let count = await withTaskGroup(of: Int.self) { group in
            for task in 0..<(connections * 4) {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        _ = await limiter.take("https://\(task % 7).example.com:443", maximum: .seconds(1))
                        count += 1
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        show("figure", "scripts-\(connections)-connections", "\(count / 3)", "calls/s")
    }
    let client = ValkeyClient(server.patient)
    let script = LimitScripts.take()
    guard let digest = try await client.send("SCRIPT", "LOAD", script.text).bytes else { return }
    show("socket", server.path, "digest", String(decoding: digest, as: UTF8.self))
    let benchmark = Foundation.Process()
    benchmark.executableURL = URL(fileURLWithPath: "/usr/bin/redis-benchmark")
    benchmark.arguments = [
        "-s", server.path, "-q", "-c", "50", "-n", "200000", "EVALSHA", String(decoding: digest, as: UTF8.self), "2", "a", "b",
        "10",
        "100", "1000000", "0", "g", "g", "0", "0",
    ]
    try benchmark.run()
    benchmark.waitUntilExit()
}

func limiter(restarts: Bool) async throws {
    let summary = try await LimiterFleet.run(
        limit: RateLimit(100, per: .seconds(1), burst: 20), processes: 16, tasks: 16, seconds: restarts ? 24 : 12,
        restart: restarts ? (8, 1) : nil)
    show("figure", "limiter-rate", text(summary.rate, 2), "per second, of 100")
    show("figure", "limiter-excess", text(summary.excess, 1), "requests, of 20")
    show("requests", "\(summary.count),", "per process", summary.perProcess.sorted().map { "\($0)" }.joined(separator: " "))
}

func simulation() {
    for (clients, restartAt) in [(1000, nil), (10_000, nil), (10_000, 30.0)] as [(Int, Double?)] {
        var simulation = LimiterSimulation(clients: clients, perSecond: 1000, burst: 100)
        simulation.restartAt = restartAt
        let summary = simulation.run()
        show("\(clients) clients, 1000 per second, burst 100\(restartAt == nil ? "" : ", restart at 30 s")")
        show(
            "  sent", "\(summary.sent)", "refused", "\(summary.refused)", "rate", text(summary.rate), "excess",
            text(summary.excess))
        show("  scripts per second", "\(summary.scripts / 60)", "load of the server", text(summary.load * 100, 2), "%")
        show("  wait: median", text(summary.medianWait), "ms, longest", text(summary.longestWait), "ms")
        show("  requests per client: fewest", "\(summary.fewest)", "most", "\(summary.most)")
    }
}

switch arguments.first {
case "hit": try await hit(overTCP: arguments.contains("tcp"))
case "scripts": try await scripts()
case "limiter": try await limiter(restarts: arguments.contains("restart"))
case "simulation": simulation()
case "cache":
    let seconds = arguments.dropFirst().first.flatMap { Double($0) } ?? 60
    let summary = try await CacheFleet.run(
        processes: 8, for: 5, rounds: max(1, Int(seconds / 5)), killed: 3, seed: UInt64.random(in: 0..<1_000_000))
    show("reads", "\(summary.reads)", "hits", "\(summary.hits)", "changes", "\(summary.changes)", "kills", "\(summary.kills)")
    show("violations", "\(summary.violations.count)")
    for violation in summary.violations.prefix(10) { show(violation) }
    exit(summary.violations.isEmpty ? 0 : 1)
default:
    show("usage: valkey-bench hit|scripts|limiter|simulation|cache")
    exit(2)
}
