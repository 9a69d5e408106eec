import DataTransfer
import DataTransferAsyncHTTPClient
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransferTests {
    @Test(arguments: [0, 1, 40_000, 1_000_000], [1, 6]) func `bodies are sent one after another on the permitted connections`(
        size: Int, connections: Int
    ) async throws {
        let server = try LoopbackServer { LoopbackRoute(.post, "/echo") { .data($0.body) } }
        defer { server.stop() }
        let session = AsyncHTTPClientSessionManager(
            configuration: SessionConfiguration { $0.maximumConnectionsPerHost = connections })
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        let url = server.url.appendingPathComponent("echo")
        for isStreamed in [false, true, false] {
            var request = NetworkRequest(method: .post, url: url, body: .data(body))
            if isStreamed {
                request.body = .stream(
                    AsyncStream {
                        $0.yield(body); $0.finish()
                    })
            }
            let response = try await session.response(for: request)
            #expect(response.data == body && response.timings.bytesSent == Int64(size) && response.timings.attempt == 1)
        }
    }

    @Test func `a slow reader makes the server wait, and the end of the reader closes the connection`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/endless") { _ in .text("").fault(.endlessBody) }
            LoopbackRoute(.get, "/") { _ in .text("x") }
        }
        defer { server.stop() }
        let session = AsyncHTTPClientSessionManager()
        do {
            let monitor = ProgressMonitor()
            let request = NetworkRequest(url: server.url.appendingPathComponent("endless"), progress: monitor)
            let response = try await session.stream(for: request)
            var chunks = response.body.makeAsyncIterator()
            var read: Int64 = 0
            for _ in 0..<2 { read += Int64(try #require(try await chunks.next()).count) }
            // Meanwhile the server could send hundreds of MiB.
            for _ in 0..<200 { _ = try await session.response(for: NetworkRequest(url: server.url)) }
            #expect(try #require(monitor.current).bytesReceived - read < 4 << 20)
            #expect(try await chunks.next()?.isEmpty == false)
        }
        // The idle connection of the other requests stays open.
        #expect(await server.waitForOpenConnections(count: 1))
    }

    @Test func `no more connections are open than permitted in total, and requests to other servers wait`() async throws {
        let servers = try (0..<2).map { _ in
            try LoopbackServer {
                LoopbackRoute(.get, "/endless") { _ in .text("").fault(.endlessBody) }
                LoopbackRoute(.get, "/") { _ in .text("x") }
            }
        }
        defer { for server in servers { server.stop() } }
        let session = AsyncHTTPClientSessionManager(configuration: SessionConfiguration { $0.maximumConnections = 1 })
        do {
            let endless = servers[0].url.appendingPathComponent("endless")
            let response = try await session.stream(for: NetworkRequest(url: endless))
            defer { withExtendedLifetime(response) {} }
            var other = NetworkRequest(url: servers[1].url)
            other.timeouts.total = .milliseconds(300)
            let error = await #expect(throws: TransportError.self) { try await session.response(for: other) }
            #expect(error?.isTimeout == true && error?.phase == .queued)
            #expect(servers[1].requests.isEmpty)
        }
        #expect(try await session.response(for: NetworkRequest(url: servers[1].url)).statusCode == 200)
    }

    @Test func `a request is cancelled once, and a released session manager ends its connections`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.get, "/endless") { _ in .text("").fault(.endlessBody) } }
        defer { server.stop() }
        let request = NetworkRequest(url: server.url.appendingPathComponent("endless"))
        let (results, continuation) = AsyncStream.makeStream(of: Result<NetworkResponse, TransportError>.self)
        do {
            let session = AsyncHTTPClientSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = .max })
            let handle = session.response(for: request) { continuation.yield($0) }
            #expect(await server.waitForOpenConnections(count: 1))
            for _ in 0..<3 { handle.cancel() }
            let error = await #expect(throws: TransportError.self) { try await results.first { _ in true }?.get() }
            #expect(error?.code == .cancelled)
        }
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `limits of sizes are errors that name them`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/long") { _ in .data(Data(count: 5_000)) }
            LoopbackRoute(.get, "/head") { _ in .text("x").header(String(repeating: "x", count: 3_000), for: "X-Long") }
        }
        defer { server.stop() }
        let session = AsyncHTTPClientSessionManager(
            configuration: SessionConfiguration {
                $0.maximumBodyBytes = 4_999
                $0.maximumHeaderBytes = 2_048
            })
        for (path, code, name) in [
            ("long", TransportError.Code.bodyTooLarge, "maximumBodyBytes"), ("head", .headersTooLarge, "maximumHeaderBytes"),
        ] {
            let error = await #expect(throws: TransportError.self) {
                try await session.response(for: NetworkRequest(url: server.url.appendingPathComponent(path)))
            }
            #expect(error?.code == code && error?.message.contains(name) == true, "\(error as Any)")
        }
    }

    @Test func `progress ends with the counts of bytes`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.post, "/echo") { .data($0.body) } }
        defer { server.stop() }
        let monitor = ProgressMonitor()
        let request = NetworkRequest(
            method: .post, url: server.url.appendingPathComponent("echo"), body: .data(Data(count: 300_000)), progress: monitor)
        _ = try await AsyncHTTPClientSessionManager().response(for: request)
        let last = try #require(monitor.current)
        #expect(last.isFinished && last.bytesSent == 300_000 && last.bytesReceived == 300_000)
    }

    @Test func `closing waits for requests, cuts off the rest, and refuses others`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/endless") { _ in .text("").fault(.endlessBody) }
            LoopbackRoute(.get, "/") { _ in .text("x") }
        }
        defer { server.stop() }
        let session = AsyncHTTPClientSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = .max })
        _ = try await session.response(for: NetworkRequest(url: server.url))
        let endless = Task { try await session.response(for: NetworkRequest(url: server.url.appendingPathComponent("endless"))) }
        while server.requests.count < 2 { await Task.yield() }
        let report = await session.close(grace: .milliseconds(50))
        #expect(report.cancelledCount == 1 && report.completed == 0 && report.cancelled.count == 1)
        for task in [endless, Task { try await session.response(for: NetworkRequest(url: server.url)) }] {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .sessionClosed)
        }
    }
}
