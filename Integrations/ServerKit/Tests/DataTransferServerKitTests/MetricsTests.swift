import DataTransferServerKit
import NetworkCache
import NetworkTesting
import ServerKitTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    private let fixture = Fixture()

    private func total(_ label: String) -> Double { fixture.metrics.series(label).map(\.sum).reduce(0, +) }

    @Test func `10,000 different paths make one set of labels`() async throws {
        fixture.session.route { _ in .text("ok") }
        let service = try fixture.service(ServerKit(metrics: .metrics(factory: fixture.metrics), tracing: nil))
        for id in 0..<10_000 {
            _ = try await service.request(
                Endpoint<String>(path: "movie/{id}", pathParameters: ["id": id], responseDecoder: .text))
        }
        let durations = fixture.metrics.series("http.client.request.duration")
        #expect(durations.map(\.count) == [10_000])
        #expect(
            durations.first?.dimensions == [
                "http.request.method": "GET", "server.address": "api.test", "server.port": "8443", "url.template": "movie/{id}",
                "http.response.status_code": "200",
            ])
        let count = fixture.metrics.all.count
        for id in 0..<1000 { _ = try await service.request(Endpoint<String>(path: "movie/\(id)", responseDecoder: .text)) }
        // Paths without placeholders are one endpoint without a name.
        #expect(fixture.metrics.series("http.client.request.duration").map(\.count) == [10_000, 1000])
        #expect(fixture.metrics.all.allSatisfy { !$0.dimensions.values.contains { $0.contains("movie/1") } })
        #expect(fixture.metrics.all.count == 2 * count)
    }

    @Test func `endpoints, outcomes and servers beyond the limit are counted together`() async throws {
        fixture.session.route { request in .status(400 + (Int(request.headers["X-Status"] ?? "") ?? 0)) }
        let options = MetricsOptions(maximumEndpoints: 2, maximumOutcomes: 3, maximumOrigins: 2)
        let service = try fixture.service(
            ServerKit(metrics: .metrics(options: options, factory: fixture.metrics), tracing: nil)
        ) {
            $0.retry = nil; $0.breaker = nil
        }
        for name in 0..<5 {
            for status in 0..<9 {
                var endpoint = Fixture.endpoint
                endpoint.name = "endpoint \(name)"
                endpoint.headerParameters = ["X-Status": "\(status)"]
                _ = try? await service.request(endpoint)
            }
        }
        let durations = fixture.metrics.series("http.client.request.duration")
        // Each of the two endpoints, and the one of all others, has three outcomes and one of all others.
        #expect(durations.count == 3 * 4)
        #expect(durations.map(\.count).reduce(0, +) == 45)
        #expect(Set(durations.compactMap { $0.dimensions["url.template"] }) == ["endpoint 0", "endpoint 1", "_OTHER"])
        let metrics = MetricsInstrument(options: options, factory: fixture.metrics)
        metrics.record(
            PoolCounts(
                byOrigin: Dictionary(uniqueKeysWithValues: (0..<9).map { ("http://h\($0):80", ConnectionCounts(idle: 1)) })))
        let idle = fixture.metrics.series("http.client.open_connections").filter {
            $0.dimensions["http.connection.state"] == "idle"
        }
        #expect(idle.map(\.sum).sorted() == [1, 1, 7])
    }

    @Test func `failures and error statuses have an error type, and attempts after the first are resends`() async throws {
        fixture.session.enqueue(.failure(.connectionLost))
        fixture.session.enqueue(.status(503))
        fixture.session.enqueue(.text("ok"))
        _ = try await fixture.service().request(Fixture.endpoint)
        let types = fixture.metrics.series("http.client.request.duration").map { $0.dimensions["error.type"] }
        #expect(types == ["connectionLost", "503", nil])
        #expect(total("http.client.request.resends") == 2)
        #expect(total("http.client.active_requests") == 0)
        #expect(fixture.metrics.series("http.client.active_requests").map(\.count) == [6])
    }

    @Test func `responses from the cache are hits and no requests`() async throws {
        fixture.session.enqueue(.text("ok", headers: ["Cache-Control": "max-age=60"]))
        let service = try fixture.service { $0.cache = CacheInterceptor() }
        for _ in 0..<3 { _ = try await service.request(Fixture.endpoint) }
        #expect(total("http.client.cache.hits") == 2)
        #expect(fixture.metrics.series("http.client.request.duration").map(\.count) == [1])
    }

    @Test func `a call that is rejected without being sent is counted`() async throws {
        fixture.session.route { _ in .status(500) }
        let breaker = CircuitBreaker(options: CircuitBreakerOptions(minimumOutcomes: 1, openDuration: .seconds(3600)))
        let service = try fixture.service {
            $0.retry = nil
            $0.breaker = breaker
        }
        for _ in 0..<3 { _ = try? await service.request(Fixture.endpoint) }
        let rejections = fixture.metrics.series("http.client.request.rejections")
        #expect(rejections.map { $0.dimensions["error.type"] } == ["notAdmitted"])
        #expect(rejections.map(\.sum) == [2])
    }

    @Test func `connections are recorded by origin and state, and are 0 when they are closed`() {
        let metrics = MetricsInstrument(factory: fixture.metrics)
        metrics.record(PoolCounts(byOrigin: ["https://[::1]:443": ConnectionCounts(idle: 3, active: 2, waiting: 4)]))
        let connections = fixture.metrics.series("http.client.open_connections")
        #expect(connections.map(\.sum) == [3, 2])
        #expect(connections.map { $0.dimensions["http.connection.state"] } == ["idle", "active"])
        #expect(connections.allSatisfy { $0.dimensions["server.address"] == "::1" && $0.dimensions["server.port"] == "443" })
        #expect(total("http.client.waiting_requests") == 4)
        metrics.record(PoolCounts())
        #expect(total("http.client.open_connections") == 0 && total("http.client.waiting_requests") == 0)
    }

    @Test func `a method that HTTP does not register is no dimension`() async throws {
        fixture.session.route { _ in .text("ok") }
        let endpoint = Endpoint<String>(path: "a", method: RequestMethod(rawValue: "FROBNICATE"), responseDecoder: .text)
        _ = try await fixture.service().request(endpoint)
        #expect(fixture.metrics.series("http.client.request.duration").first?.dimensions["http.request.method"] == "_OTHER")
        let span = try #require(fixture.tracer.spans.first)
        #expect(span.operationName == "HTTP")
        #expect(span.attributes.texts["http.request.method_original"] == "FROBNICATE")
    }
}
