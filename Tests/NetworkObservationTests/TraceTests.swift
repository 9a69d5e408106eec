import DataTransfer
import NetworkCore
import NetworkObservation
import NetworkPipeline
import NetworkTesting
import Testing

struct TraceTests {
    // The rows are from W3C Trace Context §3.2 and its test suite.
    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-\u{301}", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later", false),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
        ("", false), ("00", false), ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1", false),
        ("0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
    ])
    func `traceparent is parsed according to W3C Trace Context`(text: String, isValid: Bool) {
        let context = TraceContext(traceparent: text)
        #expect((context != nil) == isValid)
        if text.hasPrefix("00"), let context { #expect(context.traceparent == text) }
    }

    @Test func `each attempt has a separate parent identifier in the trace of the task`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(503))
        session.enqueue(.status(204))
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero))), .trace])
        var parent = TraceContext()
        parent.state = "vendor=1"
        _ = try await TraceContext.$current.withValue(parent) { try await service.response(for: Endpoint<Void>(path: "a")) }
        let sent = session.requests.compactMap { TraceContext(traceparent: $0.headers["traceparent"] ?? "") }
        #expect(sent.count == 2 && Set(sent.map(\.parentID)).count == 2)
        #expect(sent.allSatisfy { $0.traceID == parent.traceID && $0.parentID != parent.parentID })
        #expect(session.requests.allSatisfy { $0.headers["tracestate"] == "vendor=1" })
    }
}
