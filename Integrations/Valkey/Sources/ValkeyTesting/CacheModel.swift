import DataTransferValkey
import Foundation
import Synchronization

/// A process of a fleet that requests resources through the shared cache, changes them, and compares each response with what it may be.
///
/// The versions of the resources are on the same server, under other keys, and thus the same for all processes. A response must be for its path,
/// user and language; at least of the version whose change was complete before the request began; and not older than its lifetime.
public struct CacheModel: Sendable {
    /// The lifetime of responses, in seconds.
    static let lifetime = 2.0
    static let paths = 12

    private let truth: ValkeyClient
    private let origin: ModelOrigin
    private let service: DefaultNetworkService
    private let failures: Failures

    /// What one run has done.
    public struct Summary: Sendable {
        /// The number of responses that were compared.
        public var reads = 0
        /// Those that came from the cache.
        public var hits = 0
        /// The number of changes.
        public var changes = 0
        /// What was wrong, in words.
        public var violations: [String] = []
    }

    final class Failures: Sendable {
        let count = Mutex(0)
    }

    /// Creates a process that uses the server at a Unix socket.
    public init(path: String) throws {
        var configuration = ValkeyConfiguration(.unix(path: path), keyPrefix: "truth")
        configuration.commandTimeout = .seconds(30)
        configuration.connectTimeout = .seconds(30)
        truth = ValkeyClient(configuration)
        configuration.keyPrefix = "model"
        configuration.maximumValueBytes = 64 << 10
        configuration.reportInterval = .zero
        let failures = Failures()
        self.failures = failures
        let client = ValkeyClient(configuration) { _, _ in failures.count.withLock { $0 += 1 } }
        origin = ModelOrigin(truth: truth)
        let cache = CacheInterceptor(store: ValkeyCacheStore(client, options: ValkeyCacheOptions(validationPeriod: .seconds(4))))
        service = DefaultNetworkService(
            configuration: try APIConfiguration("https://model.example.com"), sessionManager: origin, interceptors: [cache])
    }

    /// Sends requests one after another, in several tasks, until a time has passed.
    public func run(seed: UInt64, for time: Duration, tasks: Int = 4) async -> Summary {
        let end = ContinuousClock.now + time
        return await withTaskGroup(of: Summary.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 1000 &+ UInt64(task))
                    var summary = Summary()
                    while ContinuousClock.now < end {
                        do {
                            try await step(&generator, &summary)
                        } catch {
                            summary.violations.append("a request failed: \(error)")
                        }
                    }
                    return summary
                }
            }
            return await group.reduce(into: Summary()) { sum, part in
                sum.reads += part.reads
                sum.hits += part.hits
                sum.changes += part.changes
                sum.violations += part.violations
            }
        }
    }

    private func step(_ generator: inout SeededGenerator, _ summary: inout Summary) async throws {
        let path = "item/\(Int.random(in: 0..<Self.paths, using: &generator))"
        let headers: HeaderFields = [
            "Authorization": "Bearer user-\(Int.random(in: 0..<3, using: &generator))",
            "Accept-Language": ["de", "en"].randomElement(using: &generator) ?? "en",
        ]
        if Int.random(in: 0..<25, using: &generator) == 0 {
            let before = failures.count.withLock { $0 }
            let response = try await service.response(
                for: Endpoint<Data>(path: path, method: .post, headerParameters: headers, responseDecoder: .rawData))
            summary.changes += 1
            let version = String(decoding: response.data, as: UTF8.self)
            // If the removal failed, other processes may use the previous version until it expires.
            guard failures.count.withLock({ $0 }) == before else { return }
            _ = try await truth.run(ModelOrigin.raising, keys: ["floor:" + path], [Data(version.utf8)])
            return
        }
        let floor = try await truth.number("floor:" + path)
        let start = Date().timeIntervalSince1970
        let response = try await service.response(
            for: Endpoint<Data>(path: path, headerParameters: headers, responseDecoder: .rawData))
        summary.reads += 1
        let isHit = response.headers["Cache-Status"]?.contains("hit") ?? false
        summary.hits += isHit ? 1 : 0
        let parts = String(decoding: response.data, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "/" + path, parts[1] == headers["Authorization"] ?? "",
            parts[2] == headers["Accept-Language"] ?? "", let version = Int64(parts[3]), let made = Double(parts[4]),
            parts[5].utf8.count == Int(version % 7) * 1500, parts[5].allSatisfy({ $0 == "x" })
        else {
            summary.violations.append("the response for \(path) of \(headers) is \(parts.prefix(5))")
            return
        }
        if version < floor { summary.violations.append("\(path) has version \(version), after the change to \(floor)") }
        // A 304 renews a response without changing its body, whose time is then older: `Age` is that of the response.
        let age = response.headers["Age"].flatMap { Double($0) } ?? 0
        if isHit, age > Self.lifetime || !response.headers.contains("ETag") && start - made > Self.lifetime + 2 {
            summary.violations.append("\(path) was used for a request \(start - made) s after it was made, with age \(age)")
        }
    }
}

extension ValkeyClient {
    /// Returns the number at a key; zero if there is none.
    func number(_ key: String) async throws(ValkeyError) -> Int64 {
        Int64(String(decoding: try await send("GET", key).bytes ?? Data(), as: UTF8.self)) ?? 0
    }
}

/// The origin of the resources, which reads their versions from the server.
struct ModelOrigin: NetworkSessionManager {
    let truth: ValkeyClient
    var identity: SessionIdentity { .standard }

    static let raising = ValkeyScript(
        """
        local current = tonumber(redis.call('GET', KEYS[1]) or '0')
        if tonumber(ARGV[1]) > current then redis.call('SET', KEYS[1], ARGV[1]) end
        return 1
        """)

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        do {
            return try await reply(to: request)
        } catch {
            throw TransportError(.cannotConnect, "the model's server failed", request: request, underlying: error)
        }
    }

    private func reply(to request: NetworkRequest) async throws -> NetworkResponse {
        let path = request.url.path
        let key = "version:" + path
        if request.method == .post {
            guard case .integer(let version) = try await truth.send("INCR", key) else { throw CancellationError() }
            return NetworkResponse(statusCode: 200, body: .data(Data("\(version)".utf8)), url: request.url)
        }
        let version = try await truth.number(key)
        // Others may change the resource before this response is stored.
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<4000)))
        var headers: HeaderFields = ["Cache-Control": "max-age=2", "Vary": "Accept-Language"]
        if version % 2 == 0 {
            // A cache asks with the tags of all languages that it has stored.
            let tag = "\"\(version) \(request.headers["Accept-Language"] ?? "")\"".replacing(" ", with: "-")
            headers.add(tag, for: "ETag")
            if request.headers["If-None-Match"]?.contains(tag) == true {
                return NetworkResponse(statusCode: 304, headers: headers, url: request.url)
            }
        }
        let fields = [
            path, request.headers["Authorization"] ?? "", request.headers["Accept-Language"] ?? "", "\(version)",
            "\(Date().timeIntervalSince1970)", String(repeating: "x", count: Int(version % 7) * 1500),
        ]
        return NetworkResponse(
            statusCode: 200, headers: headers, body: .data(Data(fields.joined(separator: "|").utf8)), url: request.url)
    }
}
