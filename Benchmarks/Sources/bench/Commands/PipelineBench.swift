import DataTransfer
import Foundation
import NetworkObservation
import NetworkPipeline

/// What the preset of interceptors adds to a request that succeeds at once.
struct PipelineBench {
    let url: URL
    let effort: Effort

    /// Retry, authentication, deadline, gate, breaker and observation.
    static func interceptors(for api: APIConfiguration) -> [any NetworkInterceptor] {
        RequestPipeline {
            $0.observation = .observation { _ in }
            let credentials = RefreshingCredentials(initial: .bearer("token")) { _ in .bearer("token") }
            $0.authentication = .authentication(credentials, for: api)
        }.interceptors
    }

    func run() async throws {
        try await overhead()
        try rate()
    }

    /// Over a session manager that responds at once.
    private func overhead() async throws {
        let (rounds, repetitions) = effort == .full ? (15, 50_000) : (5, 5_000)
        let api = try APIConfiguration("https://api.example.com/3")
        let session = ImmediateSession(body: Data("42".utf8))
        let endpoint = Endpoint<Data>(path: "movie/popular", responseDecoder: .rawData)
        let bare = DefaultNetworkService(configuration: api, sessionManager: session)
        let full = DefaultNetworkService(
            configuration: api, sessionManager: session, interceptors: Self.interceptors(for: api))
        let foundation = JSONDecoder()
        let document = Document.example
        var times: (bare: [Double], full: [Double], decoding: [Double]) = ([], [], [])
        for _ in 0..<rounds {
            times.bare.append(try await Usage.microseconds(repetitions) { _ = try await bare.response(for: endpoint) })
            times.full.append(try await Usage.microseconds(repetitions) { _ = try await full.response(for: endpoint) })
            times.decoding.append(
                try await Usage.microseconds(repetitions / 10) { _ = try foundation.decode(Document.self, from: document) })
        }
        printFigure("pipeline.bare_us", times.bare.median, "us")
        let overhead = zip(times.full, times.bare).map { $0 - $1 }.median
        printFigure("pipeline.overhead_us", overhead, "us")
        // Foundation's `JSONDecoder` and the document of 1 KB, as in `stack.overhead_vs_decode`.
        printFigure("pipeline.overhead_vs_decode", overhead / times.decoding.median, "x")
    }

    /// Against nginx, at 64 concurrent, in turns.
    private func rate() throws {
        let seconds = effort == .full ? 1.5 : effort == .quick ? 0.5 : 0.1
        let document = url.appendingPathComponent(Document.name)
        var rates: (engine: [Double], pipeline: [Double]) = ([], [])
        for _ in 0..<effort.rounds {
            rates.engine.append(try Sample.measure(.engine, level: 64, url: document, seconds: seconds).requestsPerSecond)
            rates.pipeline.append(try Sample.measure(.pipeline, level: 64, url: document, seconds: seconds).requestsPerSecond)
        }
        printFigure("pipeline.c64.rps", rates.pipeline.median, "1/s")
        printFigure("pipeline.c64.rps_vs_engine", rates.pipeline.median / rates.engine.median, "x")
    }
}
