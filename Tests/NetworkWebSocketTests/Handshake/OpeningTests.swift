import Endpoints
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkRecordings
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Opening of WebSockets through session managers, services and interceptors.
@Suite(.timeLimit(.minutes(10))) struct OpeningTests {
    private static let endpoint = Endpoint<Void>(path: "live")

    private static func service(
        _ session: any NetworkSessionManager, _ base: URL = URL(string: "https://example.com")!,
        _ interceptors: any NetworkInterceptor...
    ) throws -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: try APIConfiguration(base.absoluteString), sessionManager: session, interceptors: interceptors)
    }

    private static func stub() -> StubSessionManager {
        let session = StubSessionManager()
        session.enqueueWebSocket { socket in for try await message in socket.messages { try await socket.send(message) } }
        return session
    }

    @Test(arguments: [
        ("ws://example.com/live?a=%20b", "http://example.com/live?a=%20b"),
        ("wss://example.com:8443/live", "https://example.com:8443/live"),
        ("WSS://example.com/live", "https://example.com/live"), ("http://example.com/live", "http://example.com/live"),
        ("https://user@example.com/live", "https://user@example.com/live"),
    ]) func `ws is sent as http, and wss as https`(url: String, sent: String) async throws {
        let session = Self.stub()
        let socket = try await session.webSocket(for: URL(string: url)!)
        #expect(session.requests.map(\.url.absoluteString) == [sent])
        await socket.close()
    }

    @Test func `the fields of the handshake replace those of the caller`() async throws {
        let session = Self.stub()
        let socket = try await session.webSocket(
            for: URL(string: "ws://example.com/live")!, headers: ["Sec-WebSocket-Version": "8", "upgrade": "h2c", "X-Mine": "1"])
        #expect(session.requests[0].headers.values(for: "Sec-WebSocket-Version") == ["13"])
        #expect(session.requests[0].headers.values(for: "Upgrade") == ["websocket"])
        #expect(session.requests[0].headers["X-Mine"] == "1")
        #expect(socket.response.statusCode == 101 && socket.response.data.isEmpty)
        await socket.close()
    }

    @Test func `only a GET without a body opens a WebSocket`() async throws {
        let service = try Self.service(Self.stub())
        for endpoint in [Endpoint<Void>(path: "live", method: .post), Endpoint<Void>(path: "live", method: .head)] {
            let error = await #expect(throws: WebSocketError.self) { try await service.webSocket(for: endpoint) }
            #expect(error?.code == .invalidConfiguration)
        }
    }

    @Test func `a header field with a line end is refused before anything is sent`() async throws {
        let server = try LoopbackServer { LoopbackRoute.webSocket("/live") { _, _ in } }
        for headers in [["X-Mine": "a\r\nX-Injected: 1"], ["X-Mine\r\nX-Injected": "1"]] as [HeaderFields] {
            let error = await #expect(throws: WebSocketError.self) {
                try await DefaultSessionManager().webSocket(for: server.url("/live"), headers: headers)
            }
            #expect(error?.code == .requestFailed)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a redirect is followed before the upgrade`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/live") { _ in .status(307, headers: ["Location": "/moved"]) }
            LoopbackRoute.webSocket("/moved") { socket, _ in try await socket.send(.text("moved")) }
        }
        for isService in [false, true] {
            let session = DefaultSessionManager()
            let socket =
                isService
                ? try await Self.service(session, server.url("/")).webSocket(for: Self.endpoint)
                : try await session.webSocket(for: server.url("/live"))
            #expect(try await socket.receive() == .text("moved"))
            #expect(socket.response.url.path == "/moved")
        }
    }

    @Test func `credentials are refreshed after a 401, and the upgrade follows`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(401))
        session.enqueueWebSocket { socket in try await socket.send(.text("hello")) }
        let base = URL(string: "https://example.com")!
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in .bearer("new") }
        let service = try Self.service(session, base, CredentialInterceptor(credentials, origins: [base]))
        let socket = try await service.webSocket(for: Self.endpoint)
        #expect(try await socket.receive() == .text("hello"))
        #expect(session.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
        #expect(session.requests.allSatisfy { $0.headers["Upgrade"] == "websocket" })
    }

    @Test func `a retry opens the WebSocket after a temporary failure`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(503, headers: ["Retry-After": "0"]))
        session.enqueueWebSocket { socket in try await socket.send(.text("hello")) }
        let service = try Self.service(session, URL(string: "https://example.com")!, RetryInterceptor())
        let socket = try await service.webSocket(for: Self.endpoint)
        #expect(try await socket.receive() == .text("hello"))
        #expect(session.requests.count == 2)
    }

    /// Reads the whole body, and returns another one.
    private struct BodyInterceptor: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var response = try await next(request).collected()
            #expect(response.data.isEmpty)
            response.body = .data(Data("another".utf8))
            return response
        }
    }

    @Test func `interceptors and recordings that read or replace the body pass the connection on`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute.webSocket("/live") { socket, _ in try await socket.send(.text("hello")) }
        }
        let recording = RecordingSessionManager(DefaultSessionManager())
        let service = try Self.service(
            recording, server.url("/"), BodyInterceptor(), CoalescingInterceptor(), HedgingInterceptor(), RetryInterceptor())
        let socket = try await service.webSocket(for: Self.endpoint)
        #expect(try await socket.receive() == .text("hello"))
        #expect(socket.response.data.isEmpty && socket.response.upgradedConnection == nil)
        #expect(recording.archive.entries.map(\.response.statusCode) == [101])
    }

    @Test(arguments: [200, 204, 400, 401, 404, 426, 500]) func `a status other than 101 is an error with the response`(
        status: Int
    ) async throws {
        let body = status == 204 ? "" : String(repeating: "The reason. ", count: 1000)
        let server = try LoopbackServer { LoopbackRoute(.get, "/live") { _ in .text(body, status: status) } }
        let session = DefaultSessionManager()
        for isService in [false, true] {
            let error = await #expect(throws: WebSocketError.self) {
                if isService {
                    _ = try await Self.service(session, server.url("/")).webSocket(for: Self.endpoint)
                } else {
                    _ = try await session.webSocket(for: server.url("/live"))
                }
            }
            #expect(error?.code == .requestFailed)
            let response = (error?.underlying as? NetworkError)?.response
            #expect(response?.statusCode == status)
            #expect(response?.data == Data(body.utf8))
        }
    }

    @Test func `a session manager that passes no connection on is reported`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(101))
        let error = await #expect(throws: WebSocketError.self) { try await session.webSocket(for: URL(string: "ws://a.test/")!) }
        #expect(error?.code == .unsupported)
    }

    @Test func `a failed connection and a cancelled call have different codes`() async throws {
        let session = StubSessionManager()
        session.enqueue(.failure(.cannotConnect))
        session.enqueue(.failure(.cancelled))
        let url = URL(string: "ws://a.test/")!
        let failed = await #expect(throws: WebSocketError.self) { try await session.webSocket(for: url) }
        #expect(failed?.code == .requestFailed)
        let cancelled = await #expect(throws: WebSocketError.self) { try await session.webSocket(for: url) }
        #expect(cancelled?.code == .cancelled)
    }
}
