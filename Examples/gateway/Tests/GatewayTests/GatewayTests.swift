import DataTransfer
import Foundation
import Testing

/// The gateway, run as a process. On a busy machine, its upstreams may be slow, so the deadline is long.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GatewayTests {
    @Test func `a page has the parts of both upstreams`() async throws {
        let gateway = try GatewayProcess(["--demo", "--port", "0", "--upstream-port", "18461", "--deadline", "60"])
        let client = try Client(gateway)
        let page = try await client.page(7)
        #expect(page.title == "Movie 7" && page.year == 1957 && page.reviews?.count == 3 && page.degraded.isEmpty)
        await #expect(throws: DataTransferError.self) { try await client.page(2_000_000) }
    }

    @Test func `the metrics have one series for each endpoint, and hits of the cache`() async throws {
        let gateway = try GatewayProcess(["--demo", "--port", "0", "--upstream-port", "18462", "--deadline", "60"])
        let client = try Client(gateway)
        for id in [1, 2, 3, 3] { _ = try await client.page(id) }
        let metrics = try await client.text("metrics")
        let lines = metrics.split(separator: "\n")
        let counts = lines.filter { $0.hasPrefix("http_client_request_duration_seconds_count{") }
        #expect(counts.count == 2 && counts.allSatisfy { $0.hasSuffix(" 3") }, "\(counts)")
        #expect(counts.contains { $0.contains(#"url_template="movies/{id}""#) })
        let hits = lines.filter { $0.hasPrefix("http_client_cache_hits_total{") }
        #expect(hits.count == 2 && hits.allSatisfy { $0.hasSuffix(" 1.0") }, "\(hits)")
    }

    @Test func `an upstream that dies degrades pages, and completes them when it has returned`() async throws {
        let catalogue = try GatewayProcess(["--upstream", "--port", "0"])
        var reviews: GatewayProcess? = try GatewayProcess(["--upstream", "--port", "18463"])
        let gateway = try GatewayProcess([
            "--port", "0", "--catalogue", catalogue.url, "--reviews", "http://127.0.0.1:18463", "--log", "critical",
            "--deadline", "60",
        ])
        let client = try Client(gateway)
        #expect(try await client.page(1).degraded.isEmpty)

        reviews?.signal(SIGKILL)
        _ = await reviews?.status()
        reviews = nil
        var (id, isRejected) = (2, false)
        // The circuit breaker is open, for a second each time: requests are rejected without being sent.
        while id < 30 || !isRejected && id < 300 {
            let page = try await client.page(id)
            #expect(page.degraded == ["reviews"] && page.reviews == nil && page.title == "Movie \(id)")
            isRejected = try await client.text("metrics").contains("http_client_request_rejections_total{")
            id += 1
        }
        #expect(isRejected)

        reviews = try GatewayProcess(["--upstream", "--port", "18463"])
        while try await !client.page(id).degraded.isEmpty { id += 1 }
        #expect(try await client.page(id + 1).reviews?.count == 3)
    }

    @Test func `SIGTERM completes the requests under way`() async throws {
        let upstream = try GatewayProcess(["--upstream", "--port", "0"])
        let gateway = try GatewayProcess([
            "--port", "0", "--catalogue", upstream.url, "--reviews", upstream.url, "--deadline", "60",
        ])
        let client = try Client(gateway)
        _ = try await client.page(1)
        // This movie's reviews take ten seconds.
        async let slow = client.page(9999)
        func isActive(_ line: Substring) -> Bool {
            line.hasPrefix("http_client_active_requests{") && line.contains("reviews") && line.hasSuffix(" 1.0")
        }
        while try await !client.text("metrics").split(separator: "\n").contains(where: isActive) {}
        gateway.signal(SIGTERM)
        let page = try await slow
        #expect(page.reviews?.count == 3 && page.degraded.isEmpty)
        #expect(await gateway.status() == 0)
    }

    @Test func `memory does not grow under load`() async throws {
        let gateway = try GatewayProcess(["--demo", "--port", "0", "--upstream-port", "18464", "--no-cache", "--log", "error"])
        try await load(gateway, seconds: 3)
        let before = try gateway.residentKiB()
        try await load(gateway, seconds: 6)
        let after = try gateway.residentKiB()
        #expect(after - before < max(8192, before / 5), "\(before) KiB, then \(after) KiB")
    }

    /// Sends requests with wrk.
    private func load(_ gateway: GatewayProcess, seconds: Int) async throws {
        let wrk = Process()
        let output = Pipe()
        wrk.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        wrk.arguments = ["wrk", "-t1", "-c32", "-d\(seconds)", "\(gateway.url)/movies/7"]
        wrk.standardOutput = output
        try wrk.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        wrk.waitUntilExit()
        #expect(wrk.terminationStatus == 0 && !text.contains("Non-2xx"), "\(text)")
    }
}
