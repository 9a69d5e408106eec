import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import ResumableUploads
import Testing
import TransferTestSupport

/// Each mechanism that sends a request once more, for each kind of request and each end of its first attempt: it repeats what the rule
/// (`SendRule`) permits, and nothing else. The expected values come from the tables below, not from the rule.
@Suite(.timeLimit(.minutes(10))) struct RepetitionTests {
    private struct Kind: Sendable, CustomStringConvertible {
        var method = RequestMethod.post
        var hasKey = false
        /// What the caller declares.
        var isIdempotent: Bool?
        var isSentOnce = false

        var description: String { "\(method), key \(hasKey), declared \(String(describing: isIdempotent)), once \(isSentOnce)" }

        static let all = [
            Kind(method: .get), Kind(method: .query), Kind(method: .put), Kind(method: .put, isIdempotent: false), Kind(),
            Kind(method: .patch),
            Kind(hasKey: true), Kind(isIdempotent: true), Kind(isSentOnce: true), Kind(method: .put, isSentOnce: true),
            Kind(hasKey: true, isIdempotent: true, isSentOnce: true),
        ]

        func isPermitted(after end: End) -> Bool {
            let isRepeatable = isIdempotent ?? ([.get, .query, .put].contains(method) || hasKey)
            return !isSentOnce && (isRepeatable || end.isUnprocessed)
        }

        var endpoint: Endpoint<Void> {
            var endpoint = Endpoint<Void>(path: "a", method: method)
            if let isIdempotent { endpoint.isIdempotent = isIdempotent }
            if hasKey { endpoint.headerParameters["Idempotency-Key"] = "\"1\"" }
            if method != .get {
                let once = NetworkBody.stream(AsyncStream<Data> { $0.finish() })
                endpoint.body = EndpointBody(
                    contentType: "text/plain", content: isSentOnce ? once : .data(Data(repeating: 0x61, count: 4096)))
            }
            return endpoint
        }
    }

    /// The end of the first attempt.
    private enum End: String, CaseIterable, Sendable {
        case connecting, sending, waiting, receiving
        case unavailable, early, unauthorized, unsupported
        case normal

        var isUnprocessed: Bool { [.connecting, .early, .unauthorized, .unsupported].contains(self) }

        var response: StubResponse {
            switch self {
            case .connecting: .failure(.cannotConnect, phase: .connect)
            case .sending: .failure(.connectionLost, phase: .send)
            case .waiting: .failure(.timedOut, phase: .firstByte)
            case .receiving: .failure(.connectionLost, phase: .receive)
            case .unavailable: .status(503)
            case .early: .status(425)
            case .unauthorized: .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
            case .unsupported: .status(415)
            case .normal: .data(Data("data: a\n\n".utf8), contentType: "text/event-stream")
            }
        }

        static let failures: Set<End> = [.connecting, .sending, .waiting, .receiving, .unavailable, .early]
    }

    private struct Mechanism: Sendable {
        var name: String
        /// The ends after which it sends another request.
        var handled: Set<End>
        var interceptors: [any NetworkInterceptor] = []
        var isEvents = false
    }

    private static let api = try! APIConfiguration("https://api.test")
    private static let retry: any NetworkInterceptor = .retry(RetryOptions(backoff: Backoff(base: .zero)), budget: nil)

    private static var mechanisms: [Mechanism] {
        let credentials = RefreshingCredentials(initial: .bearer("old token")) { _ in .bearer("new token") }
        return [
            Mechanism(name: "nothing", handled: []), Mechanism(name: "retry", handled: End.failures, interceptors: [retry]),
            Mechanism(name: "refresh", handled: [.unauthorized], interceptors: [.authentication(credentials, for: api)]),
            Mechanism(
                name: "challenge", handled: [.unauthorized],
                interceptors: [.authenticationOnChallenge(user: "u", password: "secret1", for: api)]),
            Mechanism(name: "compression", handled: [.unsupported], interceptors: [.compression()]),
            Mechanism(name: "events", handled: End.failures.union([.normal]), isEvents: true),
            Mechanism(name: "events after retry", handled: End.failures.union([.normal]), interceptors: [retry], isEvents: true),
        ]
    }

    private func service(_ session: StubSessionManager, _ interceptors: [any NetworkInterceptor]) -> DefaultDataTransferService {
        DefaultDataTransferService(configuration: Self.api, sessionManager: session, interceptors: interceptors)
    }

    @Test func `each mechanism repeats what the rule permits, and nothing else`() async throws {
        for mechanism in Self.mechanisms.map(\.name) {
            for kind in Kind.all {
                for end in End.allCases {
                    // Each has its own state, such as the origins that refuse compression.
                    let mechanism = try #require(Self.mechanisms.first { $0.name == mechanism })
                    let session = StubSessionManager()
                    let count = Locked(0)
                    session.route { _ in
                        count.withLock { count in
                            count += 1
                            return count == 1 ? end.response : .status(204)
                        }
                    }
                    let service = service(session, mechanism.interceptors)
                    if mechanism.isEvents {
                        let events = service.events(kind.endpoint, options: EventStreamOptions(backoff: Backoff(base: .zero)))
                        do {
                            for try await event in events { #expect(event.data == "a") }
                        } catch {
                            #expect(end != .normal, "\(mechanism.name), \(kind): \(error)")
                        }
                    } else {
                        _ = try? await service.response(for: kind.endpoint)
                    }
                    let isHandled = mechanism.handled.contains(end) && (mechanism.name != "compression" || kind.method != .get)
                    let expected = isHandled && kind.isPermitted(after: end) ? 2 : 1
                    #expect(session.requests.count == expected, "\(mechanism.name), \(kind), \(end.rawValue)")
                }
            }
        }
    }

    /// A slow attempt may be processed while the second one is sent.
    @Test func `a slow request is hedged only if it may be repeated after it was sent`() async throws {
        for kind in Kind.all {
            let isExpected = kind.isPermitted(after: .waiting)
            let session = SlowSession(waitsForSecond: isExpected)
            let hedging = HedgingInterceptor(
                options: HedgingOptions(initialDelay: .zero, minimumDelay: .zero), budget: nil)
            let service = DefaultDataTransferService(configuration: Self.api, sessionManager: session, interceptors: [hedging])
            _ = try? await service.response(for: kind.endpoint)
            #expect(session.count.withLock { $0 } == (isExpected ? 2 : 1), "\(kind)")
        }
    }

    private final class SlowSession: NetworkSessionManager {
        let count = Locked(0)
        private let waitsForSecond: Bool

        init(waitsForSecond: Bool) {
            self.waitsForSecond = waitsForSecond
        }

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            count.withLock { $0 += 1 }
            var turns = 0
            while waitsForSecond ? count.withLock({ $0 }) < 2 : turns < 200, !Task.isCancelled {
                turns += 1
                await Task.yield()
            }
            return NetworkResponse(statusCode: 204, url: request.url)
        }
    }

    /// The upload itself continues at the position of the server; its creation is a POST like any other.
    @Test func `the creation of an upload is repeated only if that is permitted`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(), to: "empty")
        for interceptors in [[], [Self.retry]] {
            for kind in [Kind(), Kind(hasKey: true), Kind(isIdempotent: true)] {
                for end in End.failures {
                    let session = StubSessionManager()
                    let posts = Locked(0)
                    session.route { request in
                        guard request.method == .post else {
                            return .status(
                                request.method == .head ? 200 : 204, headers: ["Upload-Offset": "0", "Upload-Length": "0"])
                        }
                        return posts.withLock { posts in
                            posts += 1
                            return posts == 1 ? end.response : .status(201, headers: ["Location": "/files/1"])
                        }
                    }
                    let options = UploadOptions(resumes: false, backoff: Backoff(base: .zero))
                    _ = try? await service(session, interceptors).uploadResumably(file, to: kind.endpoint, options: options)
                    #expect(posts.withLock { $0 } == (kind.isPermitted(after: end) ? 2 : 1), "\(kind), \(end.rawValue)")
                }
            }
        }
    }

    @Test func `an event stream of a POST ends with its response, and its interruption is an error`() async throws {
        let session = StubSessionManager()
        let stream = StubResponse.data(Data("data: a\n\ndata: b\n\n".utf8), contentType: "text/event-stream")
        session.route { _ in stream }
        var endpoint = Endpoint<Void>(path: "chat", method: .post, body: .json(["prompt": "hello"]))
        var seen: [String] = []
        for try await event in service(session, []).events(endpoint) { seen.append(event.data) }
        #expect(seen == ["a", "b"] && session.requests.count == 1)
        endpoint.isIdempotent = true
        for try await _ in service(session, []).events(endpoint, options: EventStreamOptions(backoff: Backoff(base: .zero))) {
            seen.append("")
            if seen.count == 6 { break }
        }
        #expect(session.requests.count == 3)

        let server = try LoopbackServer { _ in
            LoopbackResponse.data(Data("data: a\n\ndata: b\n\n".utf8), contentType: "text/event-stream").fault(
                .truncateBody(after: 12))
        }
        let interrupted = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        endpoint.isIdempotent = false
        var count = 0
        let events = interrupted.events(endpoint, options: EventStreamOptions(backoff: Backoff(base: .zero)))
        await #expect(throws: DataTransferError.self) { for try await _ in events { count += 1 } }
        #expect(count == 1 && server.requests.count == 1)
    }
}
