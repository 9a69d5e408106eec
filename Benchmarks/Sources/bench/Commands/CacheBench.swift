import DataTransfer
import Foundation
import NetworkCache

/// What a response from memory costs, alone and beside the network.
struct CacheBench {
    let url: URL
    let effort: Effort

    func run() async throws {
        try await hit()
        try await hitWithCredential()
        try rate()
    }

    /// One interceptor, 1 KB, and the fields that a server usually sends.
    private func hit() async throws {
        printFigure("cache.memory_hit_us", try await microseconds(["Accept": "application/json", "User-Agent": "bench"]), "us")
    }

    /// The same, with the digest of a token in the key.
    private func hitWithCredential() async throws {
        let token = "Bearer " + String(repeating: "x", count: 64)
        let time = try await microseconds(["Accept": "application/json", "Authorization": token])
        printFigure("cache.memory_hit_credential_us", time, "us")
    }

    private func microseconds(_ fields: HeaderFields) async throws -> Double {
        let (rounds, repetitions) = effort == .full ? (15, 50_000) : (5, 5_000)
        guard let url = URL(string: "https://api.example.com/3/movie/popular?page=1") else { fail("the URL is invalid") }
        let request = NetworkRequest(url: url, headers: fields)
        let cache = CacheInterceptor()
        let headers: HeaderFields = [
            "Content-Type": "application/json", "Cache-Control": "max-age=3600", "ETag": "\"33a64df551425fcc\"",
            "Date": HTTPDate(Date()).description, "Server": "nginx/1.22.1", "Content-Length": "1024", "Vary": "Accept",
        ]
        let entry = StoredResponse(
            key: cache.key(for: request), varying: [.init(name: "accept", value: "application/json")], headers: headers,
            body: Data(count: Document.bytes), url: url, requestTime: Date(), responseTime: Date())
        try await cache.store.save(CacheEntry(entry))
        let next = NetworkExchange { (_) async throws(TransportError) in fail("a hit asked the origin") }
        var times: [Double] = []
        for _ in 0..<rounds {
            times.append(
                try await Usage.microseconds(repetitions) {
                    let response = try await cache.intercept(request, next: next)
                    guard response.data.count == Document.bytes else { fail("another body than was kept") }
                })
        }
        return times.median
    }

    /// Against nginx, at 64 concurrent, in turns.
    private func rate() throws {
        let seconds = effort == .full ? 1.5 : effort == .quick ? 0.5 : 0.1
        let document = url.appendingPathComponent("cached").appendingPathComponent(Document.name)
        var network: [Sample] = []
        var cached: [Sample] = []
        for _ in 0..<effort.rounds {
            network.append(try Sample.measure(.service, level: 64, url: document, seconds: seconds))
            cached.append(try Sample.measure(.cached, level: 64, url: document, seconds: seconds))
        }
        let rates = (network: network.map(\.requestsPerSecond).median, cached: cached.map(\.requestsPerSecond).median)
        let costs = (network: network.map(\.processorPerRequest).median, cached: cached.map(\.processorPerRequest).median)
        printFigure("cache.memory_c64.rps", rates.cached, "1/s")
        printFigure("cache.memory_rps_vs_network", rates.cached / rates.network, "x")
        printFigure("cache.memory_cpu_vs_network", costs.cached / costs.network, "x")
    }
}
