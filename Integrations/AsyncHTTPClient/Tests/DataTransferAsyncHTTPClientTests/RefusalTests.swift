import DataTransfer
import DataTransferAsyncHTTPClient
import Foundation
import NetworkTesting
import Testing

/// Options that async-http-client cannot enforce: each is an error that names it, and nothing is sent.
@Suite(.timeLimit(.minutes(10))) struct RefusalTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: TransportError.Code
        var change: @Sendable (inout SessionConfiguration) -> Void

        init(_ name: String, _ code: TransportError.Code, _ change: @escaping @Sendable (inout SessionConfiguration) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }
    }

    static let rows = [
        Row("trustByHost", .trustUnavailable) { $0.trustByHost["127.0.0.1"] = TrustPolicy() },
        Row("trust.pins", .trustUnavailable) { $0.trust.pins = [.publicKey(sha256: String(repeating: "A", count: 43) + "=")] },
        Row("httpVersion", .httpVersionUnavailable) { $0.httpVersion = .http2 },
        Row("httpVersion", .httpVersionUnavailable) { $0.httpVersion = .http3 },
        Row("httpVersionByHost", .httpVersionUnavailable) { $0.httpVersionByHost["127.0.0.1"] = .http1 },
        Row("proxy", .invalidConfiguration) { $0.proxy = .http(host: "127.0.0.1", port: 1) },
        Row("proxy", .invalidConfiguration) { $0.proxy = .socks5(host: "127.0.0.1", port: 1) },
        Row("route", .invalidConfiguration) { $0.route.family = .ipv4 },
        Row("route", .invalidConfiguration) { $0.route.addresses["a.example"] = ["127.0.0.1"] },
        Row("unixSocketPath", .invalidConfiguration) { $0.unixSocketPath = "/tmp/socket" },
        Row("eventLoops", .invalidConfiguration) { $0.eventLoops = 2 },
        Row("completions", .invalidConfiguration) { $0.completions = .onEventLoop },
        Row("maximumIdleConnections", .invalidConfiguration) { $0.maximumIdleConnections = 1 },
        Row("connectTimeout", .invalidConfiguration) { $0.connectTimeout = .zero },
    ]

    @Test(arguments: rows) func `an option that cannot be enforced is an error that names it, and nothing is sent`(row: Row)
        async throws
    {
        let server = try LoopbackServer { LoopbackRoute(.get, "/") { _ in .text("x") } }
        defer { server.stop() }
        let session = AsyncHTTPClientSessionManager(configuration: SessionConfiguration(row.change))
        let error = await #expect(throws: TransportError.self) {
            try await session.response(for: NetworkRequest(url: server.url))
        }
        #expect(error?.code == row.code && error?.message.contains(row.testDescription) == true, "\(error as Any)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a request that cannot be sent as it is fails with the reason, and nothing is sent`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.post, "/") { _ in .text("x") } }
        defer { server.stop() }
        let session = AsyncHTTPClientSessionManager()
        let latin = HeaderFields([HeaderFields.Field(name: "X-Value", received: [0xE9])])
        let body = NetworkBody.data(Data("x".utf8))
        for (name, headers, body) in [
            ("trailers", HeaderFields(), body.withTrailers { ["X-Sum": "1"] }), ("Expect", ["Expect": "100-continue"], body),
            ("Upgrade", ["Upgrade": "websocket", "Connection": "Upgrade"], body), ("X-Value", latin, body),
        ] {
            let request = NetworkRequest(method: .post, url: server.url, headers: headers, body: body)
            let error = await #expect(throws: TransportError.self) { try await session.response(for: request) }
            #expect(error?.code == .unsupported && error?.message.contains(name) == true, "\(error as Any)")
        }
        #expect(server.requests.isEmpty)
    }
}
