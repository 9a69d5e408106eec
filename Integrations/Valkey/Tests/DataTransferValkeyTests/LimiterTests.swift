import DataTransferValkey
import Foundation
import NetworkTesting
import Testing
import ValkeyTesting

@Suite struct LimiterTests {
    private static let host = "https://api.example.com:443"

    private func limiter(
        _ configuration: ValkeyConfiguration, _ limit: RateLimit, unavailable: ValkeyRateLimiter.Unavailable = .closed
    ) -> ValkeyRateLimiter {
        var configuration = configuration
        configuration.maximumReconnectDelay = .milliseconds(100)
        return ValkeyRateLimiter(
            ValkeyClient(configuration), limit: limit, maximumDelay: .seconds(20), whenUnavailable: unavailable)
    }

    @Test func `the script does what the model does, at all times`() async throws {
        let server = try TestServer()
        let client = ValkeyClient(server.patient)
        // The clock of the script is an argument here.
        let script = LimitScripts.take(clock: "local now = tonumber(ARGV[9])")
        var generator = SeededGenerator(seed: 7)
        for number in 0..<20 {
            let interval = Double(Int.random(in: 1...200, using: &generator)) * 1000
            let burst = Double(Int.random(in: 1...30, using: &generator))
            // Far behind the start of the server.
            var now = 4e15
            var model = TokenBucket(interval: interval, burst: burst, emptyAt: now)
            _ = try await client.send("SET", "bucket\(number)", "g \(String(format: "%.3f", model.due))")
            for _ in 0..<100 {
                now += Double.random(in: 0...(3 * interval), using: &generator).rounded()
                if Int.random(in: 0..<10, using: &generator) == 0 {
                    model.pausedUntil = now + interval * 5
                    _ = try await client.send("SET", "pause\(number)", String(format: "%.0f", model.pausedUntil))
                }
                let maximum = Double.random(in: 0...(interval * 4), using: &generator).rounded()
                let texts = ["\(interval)", "\(burst)", "\(maximum)", "0", "g", "n", "0", "0", String(format: "%.0f", now)]
                let reply = try await client.run(
                    script, keys: ["bucket\(number)", "pause\(number)"], texts.map { Data($0.utf8) })
                guard case .array(let parts) = reply, let wait = parts.first?.bytes else {
                    Issue.record("the reply is \(reply)")
                    return
                }
                #expect(Double(String(decoding: wait, as: UTF8.self)) == model.take(at: now, maximum: maximum).rounded())
            }
        }
    }

    @Test func `processes share a bucket, in the order of arrival`() async throws {
        let server = try TestServer()
        let limit = RateLimit(1, per: .seconds(1000), burst: 1)
        let limiters = (0..<4).map { _ in limiter(server.patient, limit) }
        var last = Duration.zero
        for round in 0..<5 {
            for limiter in limiters {
                let delay = try #require(await limiter.take(Self.host, maximum: .seconds(1_000_000)))
                // The bucket of a new server is empty.
                #expect(round > 0 ? delay > last + .seconds(900) : delay > .seconds(500))
                last = delay
            }
        }
        // What would take too long is not reserved.
        #expect(try #require(await limiters[0].take(Self.host, maximum: .seconds(1))) > last)
        let next = try #require(await limiters[1].take(Self.host, maximum: .seconds(1_000_000)))
        #expect(next < last + .seconds(1001))
    }

    @Test func `a new or restarted server begins with an empty bucket, behind what was reserved`() async throws {
        let server = try TestServer()
        let limit = RateLimit(1, per: .seconds(1), burst: 10)
        let limiters = (0..<2).map { _ in limiter(server.patient, limit) }
        var last = try #require(await limiters[0].take(Self.host, maximum: .seconds(100)))
        for _ in 0..<500 { last = try #require(await limiters[1].take(Self.host, maximum: .seconds(1000))) }
        #expect(last > .seconds(400))
        server.stop()
        #expect(await limiters[0].take(Self.host, maximum: .seconds(100)) == nil)
        try server.start()
        // The first process does not know how much the second one has reserved. The second one tells the server.
        let deadline = ContinuousClock.now + .seconds(120)
        while await limiters[0].take(Self.host, maximum: .seconds(100)) == nil, ContinuousClock.now < deadline {
            await Task.yield()
        }
        while await limiters[1].take(Self.host, maximum: .zero) == nil, ContinuousClock.now < deadline { await Task.yield() }
        let next = try #require(await limiters[0].take(Self.host, maximum: .seconds(1000)))
        #expect(next > .seconds(200))
    }

    @Test func `without the server, requests fail, are sent, or use a share`() async throws {
        let configuration = ValkeyConfiguration(.unix(path: "/nonexistent"))
        let limit = RateLimit(1600, per: .seconds(160), burst: 32)
        #expect(await limiter(configuration, limit, unavailable: .closed).take(Self.host, maximum: .seconds(10)) == nil)
        #expect(await limiter(configuration, limit, unavailable: .open).take(Self.host, maximum: .seconds(10)) == .zero)
        let shared = limiter(configuration, limit, unavailable: .share(of: 16))
        var delays: [Duration] = []
        let start = ContinuousClock.now
        for _ in 0..<50 { delays.append(try #require(await shared.take(Self.host, maximum: .seconds(600)))) }
        // 10 per second of 16 processes: one in 1.6 s, without tokens at the beginning.
        let last = try #require(delays.last)
        #expect(delays[0] > .zero && last + (ContinuousClock.now - start) > .seconds(70) && last < .seconds(82))
    }

    @Test(arguments: [429, 503])
    func `Retry-After pauses all processes`(_ status: Int) async throws {
        let server = try TestServer()
        let origin = StubSessionManager()
        let limit = RateLimit(1000, per: .seconds(1), burst: 1000)
        let services = try (0..<2).map { _ in
            DefaultNetworkService(
                configuration: try APIConfiguration("https://api.example.com"), sessionManager: origin,
                interceptors: [
                    limiter(server.patient, limit)
                ])
        }
        origin.enqueue(StubResponse(status: status, headers: ["Retry-After": "300"]))
        let endpoint = Endpoint<Data>(path: "item", responseDecoder: .rawData)
        _ = try? await services[0].response(for: endpoint)
        #expect(origin.requests.count == 1)
        for service in services {
            await #expect(throws: NetworkError.self) { try await service.response(for: endpoint) }
        }
        #expect(origin.requests.count == 1)
    }

    @Test func `invalid limits fail each request`() async throws {
        let client = ValkeyClient(ValkeyConfiguration(.unix(path: "/nonexistent")))
        for (limit, unavailable) in [
            (RateLimit(0, per: .seconds(1)), ValkeyRateLimiter.Unavailable.open), (RateLimit(1, per: .zero), .open),
            (RateLimit(1, per: .seconds(1), burst: 0), .open), (RateLimit(1, per: .seconds(1)), .share(of: 0)),
        ] {
            let limiter = ValkeyRateLimiter(client, limit: limit, whenUnavailable: unavailable)
            let request = NetworkRequest(url: try #require(URL(string: "https://api.example.com")))
            let error = await #expect(throws: TransportError.self) {
                try await limiter.intercept(
                    request, next: NetworkExchange { request in NetworkResponse(statusCode: 200, url: request.url) })
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }

    @Test func `processes that ask for more get the limit, across a restart of the server`() async throws {
        let summary = try await LimiterFleet.run(
            limit: RateLimit(100, per: .seconds(1), burst: 20), processes: 4, tasks: 8, seconds: 9, restart: (4, 0.5))
        // Timers are late on a busy machine, so that requests meet that were due at different times: at most one of each of the 32 tasks,
        // besides the 20 of the bucket.
        #expect(summary.excess < 55, "\(summary)")
        #expect(summary.count > 10 && summary.count < 1000, "\(summary)")
    }

    @Test func `a simulated fleet of thousands keeps the limit`() {
        var simulation = LimiterSimulation(clients: 2000, perSecond: 1000, burst: 100)
        simulation.time = 10
        let summary = simulation.run()
        #expect(abs(summary.rate - 1000) < 2)
        #expect(summary.excess <= 101)
        simulation.restartAt = 4
        #expect(simulation.run().excess <= 101)
    }
}
