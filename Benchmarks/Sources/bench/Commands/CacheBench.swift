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
        printFigure("cache.memory_hit_us", try await CacheHits.memory.microseconds(effort), "us")
    }

    /// The same, with the digest of a token in the key.
    private func hitWithCredential() async throws {
        printFigure("cache.memory_hit_credential_us", try await CacheHits.credential.microseconds(effort), "us")
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
