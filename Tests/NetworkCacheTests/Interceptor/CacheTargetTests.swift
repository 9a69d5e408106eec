import Endpoints
import Foundation
import NetworkLogging
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkEngine
@testable import NetworkTransport

/// What selects a resource or a peer is part of the key (RFC 9110 §7.1), whatever names the partition; what identifies a request is not.
@Suite(.timeLimit(.minutes(10)))
struct CacheTargetTests {
    /// A cache in front of an origin whose responses contain a field of the request.
    private func echo(_ name: String, isNamed: Bool) -> CacheHarness {
        let harness = CacheHarness(partition: isNamed ? CacheHarness.all : nil)
        harness.origin.route { request in
            StubResponse(headers: ["Cache-Control": "max-age=60"], body: Data((request.headers[name] ?? "none").utf8))
        }
        return harness
    }

    @Test(arguments: HeaderFields.selectingNames.names, [false, true])
    func `a field that selects the resource separates responses, also in a named partition`(name: String, isNamed: Bool)
        async throws
    {
        let harness = echo(name, isNamed: isNamed)
        for _ in 0..<2 {
            for value in ["a.test", "b.test"] { #expect(try await harness.send("\(name): \(value)").body == value) }
            #expect(try await harness.send().body == "none")
        }
        // A field that replaces the method bypasses the cache: the response is that to another method.
        #expect(harness.requestCount == (name.contains("method") ? 5 : 3))
    }

    @Test func `a Host field that names the authority of the URL changes nothing`() async throws {
        let harness = echo("X-None", isNamed: false)
        let hosts = ["api.example.com", "API.example.com", " api.example.com:443 ", nil, "api.example.com:"]
        for host in hosts { _ = try await harness.send(host.map { ["Host: \($0)"] } ?? []) }
        #expect(harness.requestCount == 1)
        for host in ["api.example.com:80", "x@api.example.com", "api.example.com/", "api.example.com?", "", "api.example.com."] {
            let before = harness.requestCount
            _ = try await harness.send(["Host: \(host)"])
            #expect(harness.requestCount == before + 1, "\(host)")
        }
    }

    @Test func `a Host field that is added behind the cache prevents storing`() async throws {
        struct Tenant: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                var request = request
                request.headers["Host"] = "tenant.test"
                return try await next(request)
            }
        }
        for isNamed in [false, true] {
            let harness = CacheHarness(partition: isNamed ? CacheHarness.all : nil, behind: [Tenant()])
            harness.enqueue("one", "Cache-Control: max-age=60")
            #expect(try await !harness.send().isStored)
        }
    }

    @Test func `no neutral field selects a resource or is a credential, except Host, which is compared separately`() {
        for name in HeaderFields.selectingNames.names where name != "host" { #expect(!NeutralFields.contains(name), "\(name)") }
        for name in [
            "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Tenant", "Prefer", "Last-Event-ID", "X-User-ID",
        ] {
            #expect(!NeutralFields.contains(name) && !NeutralFields.contains(name.lowercased()), "\(name)")
        }
    }

    // MARK: Fields that identify a request

    private static let identifiers = [
        "traceparent", "tracestate", "baggage", "X-Request-ID", "Request-Id", "X-Correlation-ID", "x-correlation-id",
        "X-Amzn-Trace-Id",
        "X-Cloud-Trace-Context", "b3", "X-B3-TraceId", "x-b3-spanid", "sentry-trace", "uber-trace-id", "X-Datadog-Trace-Id",
        "x-datadog-parent-id", "newrelic", "Idempotency-Key", "X-Client-Request-Id", "amz-sdk-invocation-id", "ot-tracer-traceid",
    ]

    @Test(arguments: identifiers)
    func `a field that identifies a request does not separate responses, wherever it is added`(name: String) async throws {
        let api = try APIConfiguration("https://api.example.com")
        let count = Locked(0)
        let added = HeaderInterceptor.headers(for: api) { _ in [name: "\(count.withLock { count in count += 1; return count })"] }
        for isBehind in [false, true] {
            let harness = CacheHarness(behind: isBehind ? [added] : [])
            harness.origin.route { _ in StubResponse(headers: ["Cache-Control": "max-age=60"], body: Data("one".utf8)) }
            let chain = InterceptedSession(
                interceptors: isBehind ? [harness.cache, added] : [added, harness.cache], session: harness.origin)
            for _ in 0..<3 { _ = try await chain.response(for: NetworkRequest(url: try #require(URL(string: CacheHarness.url)))) }
            #expect(harness.requestCount == 1, "behind: \(isBehind)")
        }
    }

    @Test func `an ignored field does not separate responses unless its name is that of a secret`() async throws {
        let options = CacheOptions(ignoredFields: ["X-Attempt", "AUTHORIZATION", "x-api-key"])
        #expect(options.ignoredFields == ["x-attempt"])
        let harness = CacheHarness(options: options)
        harness.origin.route { _ in StubResponse(headers: ["Cache-Control": "max-age=60"]) }
        for index in 0..<3 { _ = try await harness.send("X-Attempt: \(index)") }
        #expect(harness.requestCount == 1)
        for index in 0..<3 { _ = try await harness.send("Authorization: Bearer \(index)") }
        #expect(harness.requestCount == 4)
    }

    @Test func `a URL whose responses are stored in other partitions each time is reported once, with the names of the fields`()
        async throws
    {
        let logged = Locked<[String]>([])
        struct Log: NetworkErrorLogger {
            let logged: Locked<[String]>
            func log(error: any Error, for request: LoggedRequest?) { logged.withLock { $0.append("\(error)") } }
        }
        let harness = CacheHarness(logger: Log(logged: logged))
        harness.origin.route { _ in StubResponse(headers: ["Cache-Control": "max-age=60"]) }
        var details: [Int] = []
        for index in 0..<50 {
            let result = try await harness.send(
                "X-Run: canary\(index)", "X-App: 1", url: CacheHarness.url + (index % 2 == 0 ? "" : "?a"))
            if result.status.contains("; detail=unused-partitions") { details.append(index) }
        }
        // The 16th response to the first of the two URLs.
        #expect(details == [30])
        let texts = logged.withLock { $0 }
        #expect(texts.count == 1 && texts[0].contains("x-run") && !texts[0].contains("x-app") && !texts[0].contains("canary"))
        // A use in between shows that the partition is of use.
        let other = CacheHarness(logger: Log(logged: logged))
        other.origin.route { _ in StubResponse(headers: ["Cache-Control": "max-age=60"]) }
        for index in 0..<50 {
            _ = try await other.send("X-Run: \(index)")
            if index % 10 == 0 { _ = try await other.send("X-Run: \(index)") }
        }
        #expect(logged.withLock { $0.count } == 1)
    }
}
