import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import TransferTestSupport
import Testing

/// Tests of deadlines for streams and downloads, and of deadlines that endpoints set.
@Suite(.timeLimit(.minutes(10))) struct StreamedDeadlineTests {
    private let clock = ManualClock()
    private let session = StubSessionManager()
    private let get = Endpoint<String>(path: "a", responseDecoder: .text)
    /// A body of 200 bytes. Sent slowly in parts, it takes longer than the deadlines below.
    private let body = String(repeating: "0123456789", count: 20)

    private func service(
        _ server: LoopbackServer, idle: Duration = .seconds(60), _ change: (inout RequestPipeline) -> Void
    ) -> DefaultDataTransferService {
        let sessions = DefaultSessionManager(configuration: SessionConfiguration { $0.idleTimeout = idle })
        return DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: sessions,
            interceptors: RequestPipeline(change).interceptors)
    }

    private func transportError(_ call: () async throws -> Void) async -> TransportError? {
        do {
            try await call()
            return nil
        } catch let error as DataTransferError {
            return error.networkError?.transportError
        } catch {
            return error as? TransportError
        }
    }

    // MARK: Streams and downloads

    @Test func `the body of a stream or a download can take longer than the deadline`() async throws {
        // On a busy machine, a short deadline may expire before the head is received.
        let isComplete = try await withTimeouts(from: .milliseconds(200)) { deadline -> Bool? in
            let server = try LoopbackServer { [body] _ in
                LoopbackResponse.text(body).fault(.drip(bytes: 10, every: deadline / 10))
            }
            let service = service(server) {
                $0.deadline = deadline
                $0.retry = nil
            }
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("deadline-\(UUID()).txt")
            defer { try? FileManager.default.removeItem(at: file) }
            do {
                let start = ContinuousClock.now
                var text = Data()
                for try await chunk in try await service.stream(for: get) { text.append(chunk) }
                #expect(text == Data(body.utf8) && ContinuousClock.now - start > deadline)
                #expect(try await service.download(get, to: .file(file)).byteCount == Int64(body.utf8.count))
                #expect(try await service.download(get) == body)
                return true
            } catch {
                let isTimeout = (error as? DataTransferError)?.isTimeout ?? (error as? TransportError)?.isTimeout ?? false
                if isTimeout { return nil }
                throw error
            }
        }
        #expect(isComplete == true)
    }

    @Test func `a request whose body is received too slowly ends at the deadline`() async throws {
        // On a busy machine, a short deadline may expire before the first byte is received.
        let error = try await withTimeouts(from: .milliseconds(200)) { deadline -> TransportError? in
            let server = try LoopbackServer { [body] _ in
                LoopbackResponse.text(body).fault(.drip(bytes: 1, every: deadline / 10))
            }
            let service = service(server) { $0.deadline = deadline }
            let error = await transportError { _ = try await service.request(get) }
            guard error?.phase == .receive else { return nil }
            let start = "the deadline of \(deadline) for the whole call ran out (set by RequestPipeline.deadline)"
            #expect(error?.message.hasPrefix(start) == true, "\(String(describing: error))")
            return error
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `a stream without a response head ends at the deadline, and the error names its source`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("late").fault(.stall) }
        // On a busy machine, a short deadline may expire before the request is sent.
        let error = try await withTimeouts(from: .milliseconds(150)) { deadline -> TransportError? in
            let service = service(server) { $0.deadline = deadline }
            let error = await transportError { _ = try await service.stream(for: get) }
            guard error?.phase == .firstByte else { return nil }
            let message = error?.message ?? ""
            #expect(message.hasPrefix("the deadline of \(deadline) until the response's head ran out"), "\(message)")
            #expect(message.contains("set by RequestPipeline.deadline"), "\(message)")
            return error
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `a stalled stream ends when no byte is received for the duration of the deadline`() async throws {
        let server = try LoopbackServer { [body] _ in LoopbackResponse.text(body).fault(.stallBody(after: 10)) }
        // On a busy machine, a short deadline may expire before the first byte is received.
        let error = try await withTimeouts(from: .milliseconds(150)) { deadline -> TransportError? in
            let service = service(server) { $0.deadline = deadline }
            let error = await transportError {
                for try await _ in try await service.stream(for: get) {}
            }
            guard error?.phase == .receive else { return nil }
            let reason = "no byte was transferred within \(deadline), the deadline (set by RequestPipeline.deadline)"
            #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
            return error
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `an idle timeout shorter than the deadline is reported as an idle timeout`() async throws {
        let server = try LoopbackServer { [body] _ in LoopbackResponse.text(body).fault(.stallBody(after: 10)) }
        let service = service(server, idle: .milliseconds(100)) { _ in }
        let error = await transportError {
            for try await _ in try await service.stream(for: get) {}
        }
        #expect(error?.isTimeout == true)
        #expect(error?.message.contains("the idle timeout") == true && error?.message.contains("deadline") == false)
    }

    @Test func `the total timeout of an endpoint also limits the body of a stream`() async throws {
        let server = try LoopbackServer { [body] _ in
            LoopbackResponse.text(body).fault(.drip(bytes: 1, every: .milliseconds(500)))
        }
        let service = service(server) { _ in }
        var endpoint = get
        endpoint.timeouts.total = .milliseconds(150)
        let timed = endpoint
        let error = await transportError {
            for try await _ in try await service.stream(for: timed) {}
        }
        #expect(error?.isTimeout == true && error?.message.contains("the total timeout ran out") == true)
    }

    @Test func `the source of the default deadline is the preset pipeline`() async throws {
        let seen = Locked<Deadline?>(nil)
        struct DeadlineRecorder: NetworkInterceptor {
            let seen: Locked<Deadline?>
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                seen.withLock { $0 = request.deadline }
                return try await next(request)
            }
        }
        session.route { _ in .text("ok") }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: RequestPipeline().interceptors + [DeadlineRecorder(seen: seen)])
        _ = try await service.request(get)
        var deadline = try #require(seen.withLock { $0 })
        #expect(deadline.limit == .seconds(60) && deadline.source == "RequestPipeline's default" && !deadline.endsWithHead)
        _ = try await service.stream(for: get)
        deadline = try #require(seen.withLock { $0 })
        #expect(deadline.endsWithHead)
    }

    // MARK: Deadlines of endpoints

    @Test func `an endpoint can lengthen, shorten and remove the deadline`() async throws {
        session.route { _ in .text("ok") }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [DeadlineInterceptor(.seconds(10), clock: clock)])
        for rule in [RequestDeadline.default, .limit(.seconds(300)), .limit(.seconds(2)), .unlimited] {
            var endpoint = get
            endpoint.timeouts.deadline = rule
            _ = try await service.request(endpoint)
        }
        #expect(session.requests.map(\.timeouts.total) == [.seconds(10), .seconds(300), .seconds(2), nil])
    }

    @Test func `all attempts share the deadline of the endpoint`() async throws {
        session.enqueue(.status(503))
        session.enqueue(.text("ok"))
        let retry = RetryInterceptor(clock: clock, random: { 0.5 })
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [DeadlineInterceptor(.seconds(10), clock: clock), retry])
        var endpoint = get
        endpoint.timeouts.deadline = .limit(.seconds(100))
        let timed = endpoint
        let task = Task { try await service.request(timed) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(40))
        #expect(try await task.value == "ok")
        #expect(session.requests.map(\.timeouts.total) == [.seconds(100), .seconds(60)])
    }

    @Test(arguments: [true, false]) func `the deadline of an endpoint applies in a service without a deadline`(intercepted: Bool)
        async throws
    {
        let server = try LoopbackServer { _ in .text("value").fault(.stall) }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: intercepted ? [.retry(budget: nil)] : [])
        var endpoint = get
        endpoint.timeouts.deadline = .limit(.milliseconds(150))
        let timed = endpoint
        let error = await transportError { _ = try await service.request(timed) }
        #expect(error?.isTimeout == true)
        #expect(
            error?.message.hasPrefix("the deadline of 0.15 seconds for the whole call ran out (set by the endpoint)") == true,
            "\(String(describing: error))")
        let streamed = await transportError { _ = try await service.stream(for: timed) }
        #expect(streamed?.message.contains("until the response's head ran out (set by the endpoint)") == true)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(2_000_000), .seconds(Int64.max)])
    func `an invalid deadline of an endpoint is an error that names the field`(limit: Duration) {
        let endpoint = Endpoint<Void>(path: "a", timeouts: RequestTimeouts(deadline: .limit(limit)))
        let error = #expect(throws: RequestGenerationError.self) {
            try endpoint.networkRequest(with: APIConfiguration("https://api.test"))
        }
        #expect(error?.field == .timeout("deadline"))
    }
}
