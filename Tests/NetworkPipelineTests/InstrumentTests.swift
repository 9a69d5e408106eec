import DataTransfer
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct InstrumentTests {
    /// An instrument that writes down what it is called with, and adds a field to each attempt.
    private final class Recorder: RequestInstrument {
        fileprivate let words = Locked<[String]>([])
        let follows: Bool

        init(follows: Bool = true) {
            self.follows = follows
        }

        var all: [String] { words.withLock { $0 } }

        func beginCall(_ request: NetworkRequest) -> (any InstrumentedCall)? {
            note("call \(request.endpointName ?? "-") \(request.origin)")
            return follows ? Call(recorder: self) : nil
        }

        func note(_ text: String) { words.withLock { $0.append(text) } }
    }

    private final class Call: InstrumentedCall {
        let recorder: Recorder

        init(recorder: Recorder) {
            self.recorder = recorder
        }

        func beginAttempt(_ request: inout NetworkRequest, number: Int) -> (any InstrumentedAttempt)? {
            request.headers["X-Attempt"] = "\(number)"
            recorder.note("attempt \(number)")
            return Attempt(recorder: recorder)
        }

        func end(_ outcome: LoggedOutcome) {
            let error = (outcome.error as? TransportError)?.code.rawValue ?? "ok"
            recorder.note("end \(outcome.statusCode ?? 0) \(error) \(outcome.source.rawValue) \(outcome.attempts)")
        }
    }

    private final class Attempt: InstrumentedAttempt {
        let recorder: Recorder

        init(recorder: Recorder) {
            self.recorder = recorder
        }

        func end(_ response: NetworkResponse?, _ error: TransportError?) {
            recorder.note("attempt ended \(response?.statusCode ?? 0) \(error?.code.rawValue ?? "ok")")
        }
    }

    private let session = StubSessionManager()
    private let recorder = Recorder()
    private let endpoint = Endpoint<String>(path: "movie/{id}", pathParameters: ["id": 7], responseDecoder: .text)

    private func service(_ configure: (inout RequestPipeline) -> Void = { _ in }) throws -> DefaultDataTransferService {
        let pipeline = RequestPipeline {
            $0.instruments = [Recorder(follows: false), recorder]
            $0.retry = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero, maximumDelay: .zero)), budget: nil)
            configure(&$0)
        }
        return DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session, interceptors: pipeline.interceptors)
    }

    @Test func `a call and each of its attempts are followed, and fields of an instrument are sent`() async throws {
        session.enqueue(.failure(.connectionLost))
        session.enqueue(.status(503))
        session.enqueue(.text("ok"))
        #expect(try await service().request(endpoint) == "ok")
        #expect(
            recorder.all == [
                "call movie/{id} https://api.test:443", "attempt 1", "attempt ended 0 connectionLost", "attempt 2",
                "attempt ended 503 ok", "attempt 3", "attempt ended 200 ok", "end 200 ok attempt 3",
            ])
        #expect(session.requests.map { $0.headers["X-Attempt"] } == ["1", "2", "3"])
    }

    @Test func `a call that an interceptor rejects ends without an attempt`() async throws {
        let service = try service {
            $0.retry = nil
            $0.rate = RateLimiter(RateLimit(1, per: .seconds(3600)), maximumDelay: .zero)
        }
        session.enqueue(.text("ok"))
        _ = try await service.request(endpoint)
        await #expect(throws: DataTransferError.self) { try await service.request(endpoint) }
        #expect(recorder.all.suffix(2) == ["call movie/{id} https://api.test:443", "end 0 notAdmitted interceptor 0"])
    }

    @Test func `a streamed call ends with its body`() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let pipeline = RequestPipeline { $0.instruments = [recorder] }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: pipeline.interceptors)
        let stream = try await service.stream(for: endpoint)
        #expect(recorder.all.last == "attempt 1")
        for try await _ in stream {}
        #expect(recorder.all.suffix(2) == ["attempt ended 200 ok", "end 200 ok attempt 1"])
    }

    @Test func `without instruments there are no interceptors for them`() {
        #expect(RequestPipeline().interceptors.count + 2 == RequestPipeline { $0.instruments = [recorder] }.interceptors.count)
    }
}
