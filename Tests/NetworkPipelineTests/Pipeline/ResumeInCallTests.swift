import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing

/// Tests that an interrupted download is resumed within the same call, as the retry policy permits.
@Suite(.timeLimit(.minutes(10))) struct ResumeInCallTests {
    /// A file on a server that interrupts its responses.
    private final class Origin: Sendable {
        struct State {
            /// The bodies of the responses, in order. The last one is used for all further requests.
            var bodies: [Data]
            var tags: [String?]
            /// The number of bytes after which each response is interrupted.
            var truncations: [Int]
        }

        let state: Locked<State>

        init(_ bodies: [Data], tags: [String?], truncations: [Int]) {
            state = Locked(State(bodies: bodies, tags: tags, truncations: truncations))
        }

        func respond(to request: LoopbackRequest) -> LoopbackResponse {
            state.withLock { state in
                let body = state.bodies.count > 1 ? state.bodies.removeFirst() : state.bodies[0]
                let tag = state.tags.count > 1 ? state.tags.removeFirst() : state.tags[0]
                var headers: HeaderFields = tag.map { ["ETag": $0] } ?? [:]
                var response = LoopbackResponse(headers: headers, body: body)
                if let range = request.headers["Range"], request.headers["If-Range"] == tag,
                    let start = Int(range.dropFirst("bytes=".count).dropLast())
                {
                    headers["Content-Range"] = "bytes \(start)-\(body.count - 1)/\(body.count)"
                    response = LoopbackResponse(status: 206, headers: headers, body: body.dropFirst(start))
                }
                return state.truncations.isEmpty
                    ? response : response.fault(.truncateBody(after: state.truncations.removeFirst()))
            }
        }
    }

    private final class Listener: TransferProgressObserver {
        let events = Locked<[TransferProgress]>([])

        func transferDidProgress(_ progress: TransferProgress) {
            events.withLock { $0.append(progress) }
        }
    }

    private static func bytes(_ count: Int, _ seed: UInt8) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ seed })
    }

    private let logger = InMemoryLogger()
    private let listener = Listener()
    private let whole = Self.bytes(500_000, 1)

    private func download(
        _ server: LoopbackServer, attempts: Int = 3, budget: RetryBudget? = nil,
        progress: (any TransferProgressObserver)? = nil, through interceptors: [any NetworkInterceptor]? = nil
    ) async throws -> (Result<DownloadedFile, DataTransferError>, Data?) {
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: interceptors ?? [
                .retry(RetryOptions(maximumAttempts: attempts, backoff: Backoff(base: .milliseconds(1))), budget: budget)
            ],
            errorLogger: logger)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("resume-\(UUID())", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination = folder.appendingPathComponent("movie.mp4")
        do {
            let file = try await service.download(
                Endpoint<Void>(path: "movie"), to: .file(destination), progress: progress ?? listener)
            return (.success(file), try? Data(contentsOf: destination))
        } catch let error as DataTransferError {
            return (.failure(error), nil)
        }
    }

    private func ranges(_ server: LoopbackServer) -> [String] { server.requests.map { $0.headers["Range"] ?? "" } }

    @Test func `a download that is interrupted twice is resumed twice within one call`() async throws {
        let origin = Origin([whole], tags: ["\"v1\""], truncations: [100_000, 150_000])
        let server = try LoopbackServer { origin.respond(to: $0) }
        let (result, data) = try await download(server)
        let file = try result.get()
        #expect(data == whole && file.resumedFrom == 0 && file.statusCode == 206 && file.timings.attempt == 3)
        #expect(ranges(server) == ["", "bytes=100000-", "bytes=250000-"])
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"v1\"" })
        #expect(logger.dataTransferErrors.isEmpty)
        let events = listener.events.withLock { $0 }
        #expect(events.filter(\.isFinished).count == 1 && events.last?.bytesReceived == 500_000)
        #expect(events.allSatisfy { $0.bytesResumed == 0 })
    }

    @Test func `the maximum number of attempts applies to the whole call`() async throws {
        let origin = Origin([whole], tags: ["\"v1\""], truncations: [1000, 1000, 1000, 1000])
        let server = try LoopbackServer { origin.respond(to: $0) }
        let (result, _) = try await download(server, attempts: 2)
        #expect(throws: DataTransferError.self) { try result.get() }
        #expect(ranges(server) == ["", "bytes=1000-"] && logger.dataTransferErrors.count == 1)
    }

    @Test func `each resumption is taken from the retry budget`() async throws {
        let origin = Origin([whole], tags: ["\"v1\""], truncations: [1000, 1000, 1000, 1000])
        let server = try LoopbackServer { origin.respond(to: $0) }
        let (result, _) = try await download(server, attempts: 10, budget: RetryBudget(share: 0, reserve: 2))
        let error = #expect(throws: DataTransferError.self) { try result.get() }
        #expect(error?.description.contains("the budget for retries is used up") == true)
        #expect(server.requestCount == 3)
    }

    @Test func `a body that is interrupted after the deadline of its head is resumed`() async throws {
        struct PassingTime: NetworkInterceptor {
            let clock: ManualClock

            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                let response = try await next(request)
                clock.advance(by: .seconds(3600))
                return response
            }
        }
        let origin = Origin([whole], tags: ["\"v1\""], truncations: [100_000])
        let server = try LoopbackServer { origin.respond(to: $0) }
        let clock = ManualClock()
        let retry = RetryOptions(backoff: Backoff(base: .zero))
        let (result, data) = try await download(
            server, through: [.deadline(.seconds(600), clock: clock), .retry(retry), PassingTime(clock: clock)])
        #expect(try result.get().timings.attempt == 2 && data == whole)
    }

    @Test func `bytes of two versions are never combined`() async throws {
        let other = Self.bytes(400_000, 2)
        let origin = Origin([whole, other], tags: ["\"v1\"", "\"v2\""], truncations: [100_000])
        let server = try LoopbackServer { origin.respond(to: $0) }
        let (result, data) = try await download(server)
        #expect(try result.get().statusCode == 200)
        #expect(data == other && ranges(server) == ["", "bytes=100000-"])
    }

    @Test func `a completed download releases its observer`() async throws {
        final class Observer: TransferProgressObserver {
            let released: AsyncStream<Never>.Continuation

            init(_ released: AsyncStream<Never>.Continuation) { self.released = released }

            deinit { released.finish() }

            func transferDidProgress(_ progress: TransferProgress) {}
        }
        let origin = Origin([whole], tags: ["\"v1\""], truncations: [100_000])
        let server = try LoopbackServer { origin.respond(to: $0) }
        let (released, signal) = AsyncStream.makeStream(of: Never.self)
        _ = try await download(server, progress: Observer(signal)).0.get()
        // If the observer is not released, this loop waits until the time limit of the test.
        for await _ in released {}
    }

    @Test(arguments: [nil, "W/\"v1\""]) func `a download without a strong validator is not resumed`(tag: String?) async throws {
        let origin = Origin([whole], tags: [tag], truncations: [1000])
        let server = try LoopbackServer { origin.respond(to: $0) }
        let (result, _) = try await download(server)
        #expect(throws: DataTransferError.self) { try result.get() }
        #expect(server.requestCount == 1 && logger.dataTransferErrors.count == 1)
    }
}
