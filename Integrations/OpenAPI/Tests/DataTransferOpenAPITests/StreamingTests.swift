import DataTransferOpenAPI
import Foundation
import HTTPTypes
import NetworkPipeline
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct StreamingTests {
    @Test(arguments: [HTTPBody.Length.unknown, .known(3_000_000)], [IterationBehavior.single, .multiple])
    func `a streamed body is sent with its length, or in chunks`(
        length: HTTPBody.Length, behavior: IterationBehavior
    ) async throws {
        let server = try LoopbackServer { LoopbackRoute(.post, "/echo") { .data($0.body) } }
        defer { server.stop() }
        let (response, body) = try await DataTransferTransport().send(
            .make(.post, "/echo"), body: .chunks(100, bytes: 30_000, length: length, behavior), baseURL: server.url,
            operationID: "echo")
        #expect(response.status == .ok)
        #expect(body?.iterationBehavior == .single)
        #expect(try await body?.bytes() == (0..<100).reversed().flatMap { [UInt8](repeating: $0, count: 30_000) })
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Content-Length"] == (length == .unknown ? nil : "3000000"))
    }

    @Test func `another number of bytes than the known length is an error`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.post, "/echo") { .data($0.body) } }
        defer { server.stop() }
        await #expect(throws: TransportError.self) {
            _ = try await DataTransferTransport().send(
                .make(.post, "/echo"), body: .chunks(2, bytes: 10, length: .known(30), .single), baseURL: server.url,
                operationID: "echo")
        }
    }

    @Test func `an error of the body is the cause of the failure`() async throws {
        struct Broken: Error {}
        let server = try LoopbackServer { LoopbackRoute(.post, "/echo") { .data($0.body) } }
        defer { server.stop() }
        let stream = AsyncThrowingStream<ArraySlice<UInt8>, any Error> { $0.finish(throwing: Broken()) }
        let error = await #expect(throws: TransportError.self) {
            _ = try await DataTransferTransport().send(
                .make(.post, "/echo"), body: HTTPBody(stream, length: .unknown, iterationBehavior: .single),
                baseURL: server.url, operationID: "echo")
        }
        #expect(error?.underlying is Broken)
    }

    @Test(arguments: [IterationBehavior.single, .multiple]) func `a body is sent again only if it can be iterated again`(
        behavior: IterationBehavior
    ) async throws {
        let attempts = Counter()
        let server = try LoopbackServer {
            LoopbackRoute(.put, "/a") { request in
                attempts.add()
                return attempts.value == 1 ? .status(503) : .data(request.body)
            }
        }
        defer { server.stop() }
        let retry = RetryOptions(backoff: Backoff(base: .milliseconds(1), maximumDelay: .milliseconds(1)))
        let (response, body) = try await DataTransferTransport(interceptors: [.retry(retry)]).send(
            .make(.put, "/a"), body: .chunks(2, bytes: 1, length: .unknown, behavior), baseURL: server.url, operationID: "a")
        #expect(response.status == (behavior == .single ? .serviceUnavailable : .ok))
        #expect(attempts.value == (behavior == .single ? 1 : 2))
        if behavior == .multiple { #expect(try await body?.bytes() == [1, 0]) }
    }

    @Test func `a body that can be iterated once is not sent again after a redirect`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.post, "/old") { _ in .status(307, headers: ["Location": "/new"]) }
            LoopbackRoute(.post, "/new") { .data($0.body) }
        }
        defer { server.stop() }
        let error = await #expect(throws: TransportError.self) {
            _ = try await DataTransferTransport().send(
                .make(.post, "/old"), body: .chunks(1, bytes: 1, length: .known(1), .single), baseURL: server.url,
                operationID: "a")
        }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test func `the body of the response is received while it is read, and releasing it closes the connection`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.get, "/endless") { _ in .text("").fault(.endlessBody) } }
        defer { server.stop() }
        do {
            let (response, body) = try await DataTransferTransport(session: DefaultSessionManager()).send(
                .make(.get, "/endless"), body: nil, baseURL: server.url, operationID: "endless")
            #expect(response.status == .ok)
            #expect(body?.length == .unknown)
            var chunks = try #require(body).makeAsyncIterator()
            #expect(try await chunks.next()?.isEmpty == false)
            #expect(try await chunks.next()?.isEmpty == false)
        }
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `cancelling the task ends the request and closes the connection`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.get, "/endless") { _ in .text("").fault(.endlessBody) } }
        defer { server.stop() }
        let transport = DataTransferTransport(session: DefaultSessionManager())
        let url = server.url
        let task = Task {
            let (_, body) = try await transport.send(
                .make(.get, "/endless"), body: nil, baseURL: url, operationID: "endless")
            var count = 0
            for try await chunk in try #require(body) { count += chunk.count }
            return count
        }
        _ = await server.waitForRequests(count: 1)
        task.cancel()
        let error = await #expect(throws: TransportError.self) { _ = try await task.value }
        #expect(error?.isCancelled == true)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `a response that is cut off is an error of its body`() async throws {
        let server = try LoopbackServer { LoopbackRoute(.get, "/cut") { _ in .text("hello").fault(.truncateBody(after: 3)) } }
        defer { server.stop() }
        let (_, body) = try await DataTransferTransport().send(
            .make(.get, "/cut"), body: nil, baseURL: server.url, operationID: "cut")
        let error = await #expect(throws: TransportError.self) { _ = try await body?.bytes() }
        #expect(error?.code == .incompleteBody)
    }

    @Test func `chunks of both bodies are produced only a bounded number ahead of their reader`() async throws {
        let sent = Counter()
        let received = Counter()
        let session = SlowSession(sent: sent, received: received)
        let (_, body) = try await DataTransferTransport(session: session).send(
            .make(.post, "/a"),
            body: .chunks(1_000, bytes: 65_536, length: .unknown, .single) { sent.add() },
            baseURL: .make("https://example.com"), operationID: "a")
        #expect(sent.value == 1_000)
        var chunks = try #require(body).makeAsyncIterator()
        _ = try await chunks.next()
        #expect(received.value < 50)
        while try await chunks.next() != nil {}
        #expect(received.value == 1_000)
    }
}

/// Reads the body of a request slowly, and returns a response with a body that counts its chunks.
private struct SlowSession: NetworkSessionManager {
    let sent: Counter
    let received: Counter

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        do {
            var count = 0
            for try await _ in request.body ?? .empty {
                count += 1
                #expect(sent.value < count + 50)
            }
        } catch {
            throw TransportError(.bodyFailed, "\(error)", underlying: error)
        }
        let received = received
        let chunks = Chunks(count: 1_000, bytes: 65_536) { received.add() }
        return NetworkResponse(statusCode: 200, headers: [:], body: .stream(chunks.map { Data($0) }), url: request.url)
    }
}
