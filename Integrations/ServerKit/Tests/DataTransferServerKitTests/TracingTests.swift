@testable import DataTransferServerKit
import Foundation
import NetworkTesting
import ServerKitTesting
import Testing
import Tracing

@Suite(.timeLimit(.minutes(10))) struct TracingTests {
    private let fixture = Fixture()

    @Test func `each attempt is a client span with the attributes of the semantic conventions`() async throws {
        fixture.session.enqueue(.failure(.connectionLost))
        fixture.session.enqueue(.text("ok"))
        let service = try fixture.service(query: ["api_key": "s3cr3t"])
        _ = try await service.request(Fixture.endpoint)
        let spans = fixture.tracer.spans
        #expect(spans.map(\.operationName) == ["GET movie/{id}", "GET movie/{id}"])
        #expect(spans.allSatisfy { $0.kind == .client })
        #expect(Set(spans.map(\.position.spanID)).count == 2)
        let (first, second) = (spans[0].attributes.texts, spans[1].attributes.texts)
        #expect(first["error.type"] == "connectionLost" && first["http.request.resend_count"] == nil)
        #expect(spans[0].status?.code == .error && spans[1].status == nil)
        #expect(second["http.request.method"] == "GET")
        #expect(second["server.address"] == "api.test" && second["server.port"] == "8443")
        #expect(second["url.template"] == "movie/{id}")
        #expect(second["url.full"]?.hasPrefix("https://api.test:8443/3/movie/7?api_key=") == true)
        #expect(second["url.full"]?.contains("s3cr3t") == false)
        #expect(second["http.response.status_code"] == "200" && second["http.request.resend_count"] == "1")
        #expect(second["error.type"] == nil)
    }

    @Test func `a status from 400 on is an error of the span`() async throws {
        fixture.session.enqueue(.status(404))
        await #expect(throws: DataTransferError.self) { try await fixture.service().request(Fixture.endpoint) }
        #expect(fixture.tracer.spans.first?.attributes.texts["error.type"] == "404")
        #expect(fixture.tracer.spans.first?.status?.code == .error)
    }

    @Test func `the phases of a new and of a reused connection are events in order`() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            serverKit: ServerKit(metrics: nil, tracing: .tracing(fixture.tracer)))
        for _ in 0..<2 { _ = try await service.request(Fixture.endpoint) }
        let spans = fixture.tracer.spans
        let names = spans.map { $0.events.map(\.name).filter { $0 != "http.queue" && $0 != "http.lookup" } }
        #expect(names == [["http.connect", "http.first_byte"], ["http.first_byte"]])
        for span in spans {
            let times = [span.start] + span.events.map(\.nanosecondsSinceEpoch)
            #expect(times == times.sorted())
        }
    }

    @Test func `a phase that began and ended at the same moment of the clock is an event`() async throws {
        var error = TransportError(.connectionLost, "the connection was closed", phase: .receive)
        error.timings = TransferTimings(connect: .zero, firstByte: .zero)
        fixture.session.enqueue(.failure(error))
        _ = try? await fixture.service().request(Fixture.endpoint)
        #expect(fixture.tracer.spans.first?.events.map(\.name) == ["http.connect", "http.first_byte"])
    }

    @Test func `the span of a stream ends with its body`() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            serverKit: ServerKit(metrics: .metrics(factory: fixture.metrics), tracing: .tracing(fixture.tracer)))
        let stream = try await service.stream(for: Fixture.endpoint)
        #expect(fixture.tracer.spans.isEmpty)
        #expect(fixture.metrics.series("http.client.active_requests").map(\.sum) == [1])
        for try await _ in stream {}
        #expect(fixture.tracer.spans.count == 1)
        #expect(fixture.metrics.series("http.client.active_requests").map(\.sum) == [0])
    }

    @Test func `another process receives the span of each attempt as the parent, in the trace of the caller`() async throws {
        let server = try TraceServer()
        defer { server.stop() }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("http://127.0.0.1:\(server.port)"), sessionManager: DefaultSessionManager(),
            serverKit: ServerKit(metrics: nil))
        // The tracer and the instrument of `InstrumentationSystem`, which `withTracer` sets for a task.
        let (outer, seen) = try await withTracer(fixture.tracer) {
            try await withSpan("serve", ofKind: .server) { span in
                let seen = try await [service.request(TraceServer.endpoint), service.request(TraceServer.endpoint)]
                return (span, seen)
            }
        }
        let position = try #require(InMemoryTracer.position(of: outer.context))
        let clients = fixture.tracer.spans.filter { $0.kind == .client }
        #expect(clients.count == 2)
        for (span, seen) in zip(clients, seen) {
            #expect(seen.trace == position.traceID)
            #expect(seen.parent == span.position.spanID)
            #expect(span.parentID == position.spanID)
        }
        let alone = try await withTracer(fixture.tracer) { try await service.request(TraceServer.endpoint) }
        #expect(alone.trace != position.traceID)
        #expect(fixture.tracer.spans.last?.position.spanID == alone.parent)
    }

    @Test func `without a tracer no field is sent`() async throws {
        fixture.session.enqueue(.text("ok"))
        _ = try await fixture.service(ServerKit(metrics: nil)).request(Fixture.endpoint)
        #expect(fixture.session.requests.first?.headers["traceparent"] == nil)
    }

    @Test func `the context of a span that is not recorded is sent`() async throws {
        let tracer = InMemoryTracer(recordsOneOf: 0)
        fixture.session.enqueue(.text("ok"))
        _ = try await fixture.service(ServerKit(metrics: nil, tracing: .tracing(tracer))).request(Fixture.endpoint)
        #expect(tracer.spans.isEmpty)
        #expect(fixture.session.requests.first?.headers["traceparent"]?.hasPrefix("00-") == true)
    }

    @Test func `a value with control characters is not injected`() {
        var fields: HeaderFields = [:]
        HeaderInjector().inject("a\r\nX-Evil: 1", forKey: "baggage", into: &fields)
        HeaderInjector().inject("a=b", forKey: "tracestate", into: &fields)
        #expect(fields["baggage"] == nil && fields["tracestate"] == "a=b")
    }
}

/// The server of another process, which responds with the trace context that it has received.
private struct TraceServer {
    struct Seen: Decodable, Sendable {
        let trace: String
        let parent: String
    }

    static let endpoint = Endpoint<Seen>(path: "a")

    let port: Int
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let script = try #require(Bundle.module.url(forResource: "trace_server", withExtension: "py"))
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            line += String(decoding: bytes, as: UTF8.self)
        }
        port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
