import CoreMetrics
import DataTransferServerKit
import Foundation
import Logging
import ServerKitTesting
import Synchronization

/// A document of about 1 KB, as `bench` writes it for nginx.
struct Movie: Decodable, Sendable {
    let id: Int
    let title: String
    let overview: String
    let genres: [String]
    let rating: Double
}

/// A session manager that responds at once, so that only the layers above it are measured.
struct ImmediateSession: NetworkSessionManager {
    let body: Data
    let url: URL

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        NetworkResponse(
            statusCode: 200, headers: ["Content-Type": "application/json"], body: .data(body), url: url,
            timings: TransferTimings(
                queued: .microseconds(3), firstByte: .microseconds(80), total: .microseconds(90), protocolName: "http/1.1",
                isReusedConnection: true, serverAddress: NetworkResponse.ServerAddress(address: "127.0.0.1", port: 80)))
    }
}

/// A service with some of the adapters.
struct Variant {
    let name: String
    let service: DefaultDataTransferService
}

/// The result of one round of a variant.
struct Sample {
    var rate: Double
    var processorMicroseconds: Double
}

func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Sends requests for a time, some of them at once.
func load(_ service: DefaultDataTransferService, level: Int, seconds: Double) async throws -> Sample {
    let endpoint = Endpoint<Movie>(path: "{name}", pathParameters: ["name": "movie.json"])
    let began = ContinuousClock.now
    let end = began.advanced(by: .seconds(seconds))
    let used = processorSeconds()
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<level {
            group.addTask {
                var count = 0
                while ContinuousClock.now < end {
                    _ = try await service.request(endpoint)
                    count += 1
                }
                return count
            }
        }
        return try await group.reduce(0, +)
    }
    let elapsed = began.duration(to: .now) / .seconds(1)
    return Sample(rate: Double(count) / elapsed, processorMicroseconds: (processorSeconds() - used) / Double(count) * 1e6)
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

var arguments = CommandLine.arguments.dropFirst()
guard let base = arguments.popFirst() else {
    FileHandle.standardError.write(Data("usage: server-kit-bench URL|immediate [ROUNDS [SECONDS [VARIANT…]]]\n".utf8))
    exit(2)
}
let rounds = arguments.popFirst().flatMap(Int.init) ?? 15
let seconds = arguments.popFirst().flatMap(Double.init) ?? 2
let isImmediate = base == "immediate"
let level = isImmediate ? 1 : 64
let text =
    #"{"id": 7, "title": "Seven", "overview": "\#(String(repeating: "one request finds its way. ", count: 30))", "genres": [], "rating": 8.6}"#
let session: any NetworkSessionManager =
    isImmediate
    ? ImmediateSession(body: Data(text.utf8), url: URL(string: "http://127.0.0.1/movie.json")!)
    : DefaultSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = level })
let tracer = InMemoryTracer(maximum: 1000)
let metrics = InMemoryMetrics()
var logger = Logger(label: "bench")
logger.logLevel = .info
let kits: [(String, ServerKit)] = [
    ("none", ServerKit(metrics: nil, tracing: nil)),
    ("metrics", ServerKit(metrics: .metrics(factory: metrics), tracing: nil)),
    ("tracing", ServerKit(metrics: nil, tracing: .tracing(tracer))),
    ("both", ServerKit(metrics: .metrics(factory: metrics), tracing: .tracing(tracer))),
    (
        "sampled",
        ServerKit(metrics: .metrics(factory: metrics), tracing: .tracing(InMemoryTracer(maximum: 1000, recordsOneOf: 10)))
    ),
    ("adapters", ServerKit(metrics: .metrics(factory: NOOPMetricsHandler.instance), tracing: .tracing(DiscardingTracer()))),
    ("all", ServerKit(logger: logger, metrics: .metrics(factory: metrics), tracing: .tracing(tracer))),
]
let variants = try kits.filter { arguments.isEmpty || arguments.contains($0.0) }.map { name, kit in
    Variant(
        name: name,
        service: DefaultDataTransferService(
            configuration: try APIConfiguration(isImmediate ? "http://127.0.0.1" : base), sessionManager: session, serverKit: kit)
    )
}
var samples: [String: [Sample]] = [:]
for round in 0...rounds {
    // Each round begins with another variant.
    for index in variants.indices {
        let variant = variants[(index + round) % variants.count]
        let sample = try await load(variant.service, level: level, seconds: round == 0 ? 0.5 : seconds)
        // The first round opens the connections.
        if round > 0 { samples[variant.name, default: []].append(sample) }
    }
}
for variant in variants {
    let mine = samples[variant.name] ?? []
    print("figure server_kit.c\(level).\(variant.name)_rps \(Int(median(mine.map(\.rate)))) requests/s")
    print("figure server_kit.c\(level).\(variant.name)_cpu \(median(mine.map(\.processorMicroseconds)).rounded(to: 2)) us")
    guard variant.name != "none", let base = samples["none"] else { continue }
    let ratios = zip(mine, base).map { $0.rate / $1.rate }
    print("figure server_kit.c\(level).\(variant.name)_rps_vs_none \(median(ratios).rounded(to: 3)) x")
}

extension Double {
    func rounded(to digits: Int) -> Double {
        let scale = pow(10, Double(digits))
        return (self * scale).rounded() / scale
    }
}
