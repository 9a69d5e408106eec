import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkTransport

/// Streams through the service and its interceptors.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct StreamedExchangeTests {
    private func service(
        _ server: LoopbackServer, interceptors: [any NetworkInterceptor] = [], logger: (any NetworkErrorLogger)? = nil
    ) -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: testedSession(),
            interceptors: interceptors, logger: logger)
    }

    @Test func `a stub without streaming support streams its response from memory`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json("[1]"), for: "/a")
        let response = try await session.stream(for: NetworkRequest(url: #require(URL(string: "http://a.example/a"))))
        #expect(response.statusCode == 200)
        #expect(try await response.body.collected() == Data("[1]".utf8))
    }

    @Test func `a streamed response with a status that is not accepted is an error with its body`() async throws {
        let server = try LoopbackServer { _ in .text("nothing here", status: 404) }
        let error = await #expect(throws: NetworkError.self) {
            try await service(server).stream(for: Endpoint<Data>(path: "x", responseDecoder: .rawData))
        }
        #expect(error?.statusCode == 404 && error?.response?.data == Data("nothing here".utf8))
    }

    @Test(.notOverURLSession(.floods))
    func `the endless body of a status that is not accepted is truncated in the error`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("no", status: 500).fault(.endlessBody) }
        let error = await #expect(throws: NetworkError.self) {
            try await service(server).stream(for: Endpoint<Data>(path: "x", responseDecoder: .rawData))
        }
        #expect(error?.response?.data.count == 1 << 20)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `interceptors also process streamed requests`() async throws {
        struct Twice: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                let first = try await next(request)
                guard first.statusCode == 503 else { return first }
                var request = request
                request.headers["X-Again"] = "1"
                return try await next(request)
            }
        }
        let server = try LoopbackServer { request in
            request.headers.contains("X-Again") ? .text("second") : .text("first", status: 503)
        }
        let response = try await service(server, interceptors: [Twice()]).stream(
            for: Endpoint<Data>(path: "x", responseDecoder: .rawData))
        #expect(try await response.body.collected() == Data("second".utf8))
    }

    @Test func `a failure of a streamed body is logged once`() async throws {
        let logger = InMemoryLogger()
        let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 1)) }
        let response = try await service(server, logger: logger).stream(
            for: Endpoint<Data>(path: "x", responseDecoder: .rawData))
        await #expect(throws: TransportError.self) { try await response.body.collected() }
        #expect(logger.requests.count == 1 && logger.responses.count == 1 && logger.networkErrors.count == 1)
    }

    @Test(.notOverURLSession(.trailers))
    func `the closure form calls its chunk handler for each chunk and then its completion handler`() async throws {
        let server = try LoopbackServer { _ in .chunked([Data("ab".utf8), Data("cd".utf8)], trailers: ["X-Sum": "4"]) }
        let received = Locked(Data())
        let result = await withCheckedContinuation { continuation in
            service(server).stream(for: Endpoint<Data>(path: "x", responseDecoder: .rawData)) { head, chunk in
                #expect(head.statusCode == 200)
                received.withLock { $0.append(chunk) }
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(received.withLock { $0 } == Data("abcd".utf8))
        #expect(try result.get().statusCode == 200 && result.get().data.isEmpty)
        #if os(Linux)
            #expect(try result.get().trailers["X-Sum"] == "4")
        #endif
    }

    @Test(.notOverURLSession(.pauses))
    func `a blocking chunk handler makes the server wait, and cancelling ends the transfer`() async throws {
        #if os(Linux)
            let server = try FlowServer(sending: 1 << 30)
            let session = testedSession()
            let gate = DispatchSemaphore(value: 0)
            let (results, report) = AsyncStream.makeStream(of: Result<NetworkResponse, TransportError>.self)
            let handle = session.stream(for: NetworkRequest(url: server.url)) { _, _ in
                gate.wait()
            } completion: {
                report.yield($0)
            }
            var events = server.events.makeAsyncIterator()
            #expect(await events.next() == .stalled)
            #expect(server.moved < 16 << 20)
            handle.cancel()
            // On a busy machine there can be several stalls.
            var event = await events.next()
            while event == .stalled { event = await events.next() }
            #expect(event == .closed)
            gate.signal()
            var iterator = results.makeAsyncIterator()
            let result = await iterator.next()
            #expect(throws: TransportError.self) { try result?.get() }
        #endif
    }
}
