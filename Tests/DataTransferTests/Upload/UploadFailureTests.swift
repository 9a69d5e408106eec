#if os(Linux)
    import DataTransfer
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Tests of uploads that end early, are retried, or are cancelled.
    @Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
    struct UploadFailureTests {
        private let session = testedSession()

        private func service(_ url: URL, _ interceptors: [any NetworkInterceptor] = []) -> DefaultDataTransferService {
            DefaultDataTransferService(
                configuration: APIConfiguration(baseURL: url), sessionManager: session, interceptors: interceptors)
        }

        private func failure<Target: ResponseRequestable>(
            _ service: DefaultDataTransferService, _ body: EndpointBody, to endpoint: Target,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> DataTransferError {
            let error = await #expect(throws: DataTransferError.self, sourceLocation: sourceLocation) {
                _ = try await service.upload(body, to: endpoint)
            }
            return try #require(error, sourceLocation: sourceLocation)
        }

        /// Returns a body that can be read only once.
        private func once(_ text: String) -> EndpointBody {
            .stream(
                AsyncStream<Data> { continuation in
                    continuation.yield(Data(text.utf8))
                    continuation.finish()
                })
        }

        /// A sequence that never ends. It counts the bytes that were requested, and signals when its iterator is released.
        private struct Endless: AsyncSequence, Sendable {
            let produced = Locked(0)
            let started = Signal()
            let ended = Signal()

            struct Iterator: AsyncIteratorProtocol {
                fileprivate let lease: Lease
                let owner: Endless
                let piece = Data(count: 64 << 10)

                mutating func next() async -> Data? {
                    if Task.isCancelled { return nil }
                    owner.started.fire()
                    owner.produced.withLock { $0 += piece.count }
                    return piece
                }
            }

            /// Is deallocated with the iterator, and then signals the end, even if the iterator was not read to its end.
            final class Lease: Sendable {
                let ended: Signal

                init(_ ended: Signal) {
                    self.ended = ended
                }

                deinit {
                    ended.fire()
                }
            }

            func makeAsyncIterator() -> Iterator { Iterator(lease: Lease(ended), owner: self) }
        }

        /// Retries a request once after a 401 response, as an authenticator does.
        private struct RetryAfter401: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                let response = try await next(request)
                guard response.statusCode == 401 else { return response }
                var request = request
                request.headers["Authorization"] = "Bearer fresh"
                return try await next(request)
            }
        }

        @Test func `an interceptor can retry a request with a replayable body, and any other body is an error`() async throws {
            let server = try LoopbackServer { request in
                request.headers.contains("Authorization") ? .data(request.body) : LoopbackResponse(status: 401)
            }
            let service = service(server.url, [RetryAfter401()])
            let endpoint = Endpoint<String>(path: "a", responseDecoder: .text)
            let file = try TemporaryFile("again")
            let again = EndpointBody(
                contentType: nil,
                content: .stream {
                    AsyncStream<Data> {
                        $0.yield(Data("again".utf8)); $0.finish()
                    }
                })
            for body in [.data(Data("again".utf8)), .file(file.url), again] as [EndpointBody] {
                #expect(try await service.upload(body, to: endpoint) == "again")
            }
            #expect(
                try await service.upload(.multipart { $0.append(.file(file.url), name: "f") }, to: endpoint).contains("again"))
            let error = try await failure(service, once("once"), to: endpoint)
            #expect(error.networkError?.transportError?.code == .bodyNotReplayable, "\(error)")
            #expect("\(error)".contains("can be read only once"))
        }

        @Test(.notOverURLSession(.sequences))
        func `a 307 redirect is followed with a replayable body, and any other body is an error`() async throws {
            let server = try LoopbackServer {
                LoopbackRoute(.post, "/a") { _ in LoopbackResponse(status: 307, headers: ["Location": "/b"]) }
                LoopbackRoute(.post, "/b") { request in .data(request.body) }
            }
            let file = try TemporaryFile("again")
            let endpoint = Endpoint<String>(path: "a", responseDecoder: .text)
            #expect(try await service(server.url).upload(.file(file.url), to: endpoint) == "again")
            let error = try await failure(service(server.url), once("once"), to: endpoint)
            #expect(error.networkError?.transportError?.code == .bodyNotReplayable, "\(error)")
        }

        @Test(.notOverURLSession(.sequences))
        func `an error status received while the body is being sent is the status of the upload`() async throws {
            let server = try LoopbackServer(configuration: LoopbackServerConfiguration(maximumBodyBytes: 100_000)) { _ in
                .text("ok")
            }
            let endless = Endless()
            let error = try await failure(service(server.url), .stream(endless, length: 1 << 40), to: Endpoint<Void>(path: "a"))
            #expect(error.statusCode == 413, "\(error)")
            await endless.ended.wait()
            let file = try TemporaryFile(Data(count: 8 << 20))
            let large = try await failure(
                service(server.url), .multipart { $0.append(.file(file.url), name: "f") }, to: Endpoint<Void>(path: "a"))
            #expect(large.statusCode == 413, "\(large)")
        }

        @Test(.notOverURLSession(.sequences))
        func `an upload that the server does not read ends with the idle timeout, and its buffering is bounded`()
            async throws
        {
            let server = try DeafServer()
            let endless = Endless()
            let endpoint = Endpoint<Void>(path: "a", timeouts: RequestTimeouts(idle: .seconds(1)))
            let error = try await failure(service(server.url), .stream(endless), to: endpoint)
            #expect(error.isTimeout && error.networkError?.transportError?.phase == .send, "\(error)")
            await endless.ended.wait()
            #expect(endless.produced.withLock { $0 } < 32 << 20)
        }

        @Test(.notOverURLSession(.sequences))
        func `a connection closed by the server while the body is sent is a connectivity error`() async throws {
            let server = try DeafServer()
            let endless = Endless()
            async let failed = failure(service(server.url), .stream(endless), to: Endpoint<Void>(path: "a"))
            await endless.started.wait()
            server.close()
            let error = try await failed
            #expect(error.isConnectivity, "\(error)")
            await endless.ended.wait()
        }

        enum Stage: CaseIterable {
            case before, queued, sending, waiting
        }

        @Test(arguments: Stage.allCases) func `an upload can be cancelled at every stage`(stage: Stage) async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
            let nonReadingServer = try DeafServer()
            let session = testedSession { $0.maximumConnectionsPerHost = 1 }
            let service = DefaultDataTransferService(
                configuration: APIConfiguration(baseURL: stage == .sending ? nonReadingServer.url : server.url),
                sessionManager: session)
            let endpoint = Endpoint<Void>(path: "a")
            let endless = Endless()
            let body: EndpointBody = stage == .sending ? .stream(endless) : once("x")
            var first: (any NetworkCancellable)?
            if stage == .queued {
                first = TaskCancellable {
                    try await service.upload(.data(Data("first".utf8)), to: endpoint)
                } completion: { _ in
                }
                _ = await server.waitForRequests(count: 1)
            }
            let start = Signal()
            let task = Task {
                await start.wait()
                return await #expect(throws: DataTransferError.self) { try await service.upload(body, to: endpoint) }
            }
            if stage != .before { start.fire() }
            if stage == .sending { await endless.started.wait() }
            if stage == .waiting { _ = await server.waitForRequests(count: 1) }
            task.cancel()
            start.fire()
            #expect(await task.value?.isCancelled == true)
            if stage == .sending { await endless.ended.wait() }
            first?.cancel()
            #expect(await server.waitForOpenConnections(count: 0))
            #expect(server.requestCount == (stage == .queued || stage == .waiting ? 1 : 0))
        }

        @Test func `cancelling the handle of an upload ends it and releases its body`() async throws {
            let server = try DeafServer()
            let endless = Endless()
            let (results, sink) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
            let service = service(server.url)
            let handle = TaskCancellable {
                try await service.upload(.stream(endless), to: Endpoint<Void>(path: "a"))
            } completion: { result in
                sink.yield(result)
                sink.finish()
            }
            await endless.started.wait()
            handle.cancel()
            for await result in results { #expect(throws: DataTransferError.self) { try result.get() } }
            await endless.ended.wait()
        }

        @Test func `an error thrown by the body sequence is the underlying error of the upload`() async throws {
            struct Broken: Error {}
            let server = try LoopbackServer { _ in .text("") }
            let body = EndpointBody.stream(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) })
            let error = try await failure(service(server.url), body, to: Endpoint<Void>(path: "a"))
            #expect(error.networkError?.transportError?.code == .bodyFailed)
            #expect(error.networkError?.transportError?.underlying is Broken)
        }
    }
#endif
