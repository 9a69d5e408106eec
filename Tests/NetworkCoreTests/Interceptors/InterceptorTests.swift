import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing

import NetworkCore
@testable import NetworkTransport

/// Interceptors that call `next` never, once, several times, or too late.
@Suite(.timeLimit(.minutes(10))) struct InterceptorTests {
    /// An interceptor that calls a closure.
    private struct Custom: NetworkInterceptor {
        let onIntercept: @Sendable (NetworkRequest, NetworkExchange) async throws(TransportError) -> NetworkResponse

        func intercept(
            _ request: NetworkRequest, next: NetworkExchange
        ) async throws(TransportError) -> NetworkResponse {
            try await onIntercept(request, next)
        }
    }

    private func service(_ server: LoopbackServer, _ interceptor: Custom) -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [interceptor])
    }

    private let endpoint = Endpoint<Data>(path: "a", responseDecoder: .rawData)

    @Test func `an interceptor that does not call next returns its own response`() async throws {
        let server = try LoopbackServer { _ in .text("server") }
        let service = service(
            server,
            Custom { (request, _) async throws(TransportError) in
                NetworkResponse(statusCode: 200, body: .data(Data("self".utf8)), url: request.url)
            })
        #expect(try await service.response(for: endpoint).data == Data("self".utf8))
        #expect(try await service.stream(for: endpoint).collected().data == Data("self".utf8))
        #expect(server.requestCount == 0)
    }

    @Test func `an interceptor that calls next twice sends two requests, and the response that it returns is used`() async throws
    {
        let server = try LoopbackServer { request in .text(request.headers["X-Number"] ?? "none") }
        let service = service(
            server,
            Custom { (request, next) async throws(TransportError) in
                var request = request
                request.headers["X-Number"] = "1"
                _ = try await next(request)
                request.headers["X-Number"] = "2"
                return try await next(request)
            })
        #expect(try await service.response(for: endpoint).data == Data("2".utf8))
        #expect(try await service.stream(for: endpoint).collected().data == Data("2".utf8))
        #expect(server.requestCount == 4)
        // The unread stream was released, which closed its socket.
        #expect(await server.waitForOpenConnections(count: server.openConnectionCount))
    }

    @Test(arguments: ["1\r\nEvil: 2", "1\n", "\0"])
    func `a request with an invalid field that an interceptor added is refused`(value: String) async throws {
        let server = try LoopbackServer { _ in .text("server") }
        let service = service(
            server,
            Custom { (request, next) async throws(TransportError) in
                var request = request
                request.headers["X-Added"] = value
                return try await next(request)
            })
        for isStreamed in [false, true] {
            let error = await #expect(throws: NetworkError.self) {
                if isStreamed {
                    _ = try await service.stream(for: endpoint)
                } else {
                    _ = try await service.response(for: endpoint)
                }
            }
            guard case .requestGeneration(let cause)? = error else { Issue.record("\(String(describing: error))"); continue }
            #expect(cause.field == .headerValue("X-Added"))
        }
        #expect(server.requestCount == 0)
    }

    @Test func `an interceptor that calls next twice concurrently gets two responses`() async throws {
        let server = try LoopbackServer { _ in .text("value") }
        let service = service(
            server,
            Custom { (request, next) async throws(TransportError) in
                async let first = Self.result(request, next)
                async let second = Self.result(request, next)
                _ = await first
                return try await second.get()
            })
        #expect(try await service.response(for: endpoint).data == Data("value".utf8))
        #expect(server.requestCount == 2)
    }

    @Test func `if a body can be read only once, sending it a second time is an error`() async throws {
        let server = try LoopbackServer { request in .data(request.body) }
        let service = service(
            server,
            Custom { (request, next) async throws(TransportError) in
                _ = try await next(request)
                return try await next(request)
            })
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("once".utf8))
            continuation.finish()
        }
        let upload = Endpoint<Data>(path: "a", method: .post, body: .stream(chunks), responseDecoder: .rawData)
        let error = await #expect(throws: NetworkError.self) { try await service.response(for: upload) }
        #expect(error?.transportError?.code == .bodyNotReplayable)
        #expect(server.requests.map(\.body).first == Data("once".utf8))
    }

    @Test func `the response to a call of next after the interceptor has returned is dropped`() async throws {
        let server = try LoopbackServer { _ in .text("late") }
        let late = Locked<Task<Int?, Never>?>(nil)
        let service = service(
            server,
            Custom { (request, next) async throws(TransportError) in
                late.withLock { $0 = Task { try? await next(request).statusCode } }
                return NetworkResponse(statusCode: 204, url: request.url)
            })
        #expect(try await service.response(for: Endpoint<Void>(path: "a")).statusCode == 204)
        #expect(await late.withLock { $0 }?.value == 200)
    }

    @Test func `the observer that stores a sent request is released together with the request`() throws {
        weak var observer: SentRequest?
        do {
            let sent = SentRequest()
            observer = sent
            var request = NetworkRequest(url: try #require(URL(string: "https://api.test/")))
            request.addCallObserver(sent)
            request.report(.sent(request, ago: .zero))
            #expect(sent.request == request)
            request.report(.shared(request))
            #expect(sent.request == request && sent.isShared)
        }
        #expect(observer == nil)
    }

    private static func result(
        _ request: NetworkRequest, _ next: NetworkExchange
    ) async -> Result<NetworkResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await next(request))
        } catch {
            return .failure(error)
        }
    }
}
