import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing

import NetworkCore
@_spi(SessionManagers) @testable import NetworkTransport

/// Tests of what a session manager has that implements only `response(for:)`.
@Suite(.timeLimit(.minutes(10)))
struct OneMethodSessionTests {
    /// A session manager that responds with the chunks "a" and "b", or with both in memory.
    private struct Letters: NetworkSessionManager {
        var ignoresStreaming = false

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            guard request.isStreamed, !ignoresStreaming else {
                return NetworkResponse(statusCode: 200, body: .data(Data("ab".utf8)), url: request.url)
            }
            let chunks = Locked(["a", "b"])
            let body = NetworkBody {
                chunks.withLock { $0.isEmpty ? nil : Data($0.removeFirst().utf8) }
            } end: {
                chunks.withLock(\.isEmpty) ? StreamEnd(trailers: ["X-Sum": "2"]) : nil
            }
            return NetworkResponse(statusCode: 200, body: body, url: request.url)
        }
    }

    /// A session manager that responds when its task is cancelled.
    private struct Silent: NetworkSessionManager {
        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            request.reportEnd()
            throw .taskCancelled(request)
        }
    }

    private struct Marker: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var response = try await next(request)
            response.headers["X-Streamed"] = "\(request.isStreamed)"
            return response
        }
    }

    private let request = NetworkRequest(url: URL(filePath: "/"))
    private let endpoint = Endpoint<Data>(path: "a", responseDecoder: .rawData)

    private func service(_ session: any NetworkSessionManager) throws -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: try APIConfiguration("http://a.example"), sessionManager: session, interceptors: [Marker()])
    }

    @Test func `the response is that of the method`() async throws {
        #expect(try await Letters().response(for: request).data == Data("ab".utf8))
    }

    @Test func `a completion receives the response once`() async throws {
        let result = await withCheckedContinuation { continuation in
            Letters().response(for: request) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().data == Data("ab".utf8))
    }

    @Test func `a cancelled request completes as cancelled and ends its progress`() async throws {
        let progress = ProgressMonitor()
        var request = request
        request.progress = progress
        let result = await withCheckedContinuation { continuation in
            Silent().response(for: request) { continuation.resume(returning: $0) }.cancel()
        }
        #expect(throws: TransportError.self) { try result.get() }
        for await _ in progress {}
        if case .failure(let error) = result { #expect(error.isCancelled) }
    }

    /// It compiles only if the closure can use the state of an actor.
    @MainActor private final class Transfer {
        var received: Int64 = 7

        func end(_ driver: CallDriver) async { await driver.finishProgress { $0.bytesReceived = received } }
    }

    @Test func `the end of a call is measured on the actor of the session manager`() async throws {
        let progress = ProgressMonitor()
        var request = NetworkRequest(url: try #require(URL(string: "http://a.example/")))
        request.progress = progress
        await Transfer().end(try CallRules(SessionConfiguration()).driver(for: request))
        var last: TransferProgress?
        for await report in progress { last = report }
        #expect(last?.bytesReceived == 7 && last?.isFinished == true)
    }

    @Test(arguments: [false, true])
    func `a stream has the chunks, or the whole body as one`(ignoresStreaming: Bool) async throws {
        let response = try await Letters(ignoresStreaming: ignoresStreaming).stream(for: request)
        var chunks: [String] = []
        for try await chunk in response.body { chunks.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(chunks == (ignoresStreaming ? ["ab"] : ["a", "b"]))
        #expect(response.trailers == (ignoresStreaming ? [:] : ["X-Sum": "2"]))
    }

    @Test func `chunks are passed to a closure`() async throws {
        let chunks = Locked<[Data]>([])
        let result = await withCheckedContinuation { continuation in
            Letters().stream(for: request) { head, chunk in
                #expect(head.data.isEmpty && head.statusCode == 200)
                chunks.withLock { $0.append(chunk) }
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(chunks.withLock { $0 } == [Data("a".utf8), Data("b".utf8)])
        #expect(try result.get().trailers == ["X-Sum": "2"])
    }

    @Test(arguments: [false, true])
    func `interceptors process responses, completions and streams`(ignoresStreaming: Bool) async throws {
        let service = try service(Letters(ignoresStreaming: ignoresStreaming))
        let response = try await service.response(for: endpoint)
        #expect(response.data == Data("ab".utf8) && response.headers["X-Streamed"] == "false")
        let completed = await withCheckedContinuation { continuation in
            service.response(for: endpoint) { continuation.resume(returning: $0) }
        }
        #expect(try completed.get().data == Data("ab".utf8) && completed.get().headers["X-Streamed"] == "false")
        let streamed = try await service.stream(for: endpoint)
        #expect(streamed.headers["X-Streamed"] == "true")
        #expect(try await streamed.body.collected() == Data("ab".utf8))
    }
}
