import DataTransfer
import Foundation
import NetworkCore
import NetworkObservation
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct ObservationTests {
    private final class Events: ExchangeObserver {
        private let received = Locked<[ExchangeEvent]>([])
        var all: [ExchangeEvent] { received.withLock { $0 } }
        func exchangeDidProgress(_ event: ExchangeEvent) { received.withLock { $0.append(event) } }

        /// A short text for each event.
        var words: [String] {
            all.map { event in
                switch event.kind {
                case .queued: "queued"
                case .adapted(let attempt, _): "adapted \(attempt)"
                case .sent(let attempt): "sent \(attempt)"
                case .firstByte(let attempt): "first byte \(attempt)"
                case .redirected(let attempt, let count): "redirected \(attempt) \(count)"
                case .attempted(let attempt, .status(let status), _): "attempted \(attempt) \(status)"
                case .attempted(let attempt, .failure(let code), _): "attempted \(attempt) \(code.rawValue)"
                case .retried(let delay, _): "retried \(delay)"
                case .noted(let text): "noted \(text)"
                case .done(.status(let status), let attempts): "done \(status) \(attempts)"
                case .done(.failure(let code), let attempts): "done \(code.rawValue) \(attempts)"
                }
            }
        }
    }

    private let events = Events()

    @Test func `the events of a call are reported in order and without secrets`() async throws {
        let count = Locked(0)
        let server = try LoopbackServer { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? LoopbackResponse.status(503).header("soon", for: "Retry-After") : .text("ok")
        }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url, queryParameters: ["secret": "s3cr3t"]),
            sessionManager: DefaultSessionManager(),
            interceptors: [ObservationInterceptor(events), RetryInterceptor(random: { 0 })])
        #expect(try await service.request(Endpoint<String>(path: "a", responseDecoder: .text)) == "ok")
        #expect(
            events.words == [
                "queued", "adapted 1", "sent 1", "first byte 1", "attempted 1 503",
                "noted the response's Retry-After is malformed, and was ignored", "retried 0.2 seconds", "adapted 2", "sent 2",
                "first byte 2", "attempted 2 200", "done 200 2",
            ])
        #expect(events.all.allSatisfy { $0.exchange == 1 && $0.target == "\(server.url("/a").absoluteString)?…" })
        var dumped = ""
        dump(events.all, to: &dumped)
        #expect(!dumped.contains("s3cr3t"))
        #expect(zip(events.all, events.all.dropFirst()).allSatisfy { $0.time <= $1.time || $1.time > .zero })
    }

    /// RFC 9530 §2, §3.
    @Test func `a malformed digest field of a download is reported once per origin`() async throws {
        let server = try LoopbackServer { request in
            let digest = request.path == "/valid" ? "sha-512=:AAAA:" : "sha-256=:AAAA"
            return .chunked([Data("hello".utf8)], trailers: ["Repr-Digest": digest]).header(digest, for: "Content-Digest")
        }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [ObservationInterceptor(events)])
        let folder = try TemporaryFolder()
        for path in ["valid", "a", "b"] {
            _ = try await service.download(Endpoint<Data>(path: path), to: folder.file(path))
        }
        // No digests are checked unless a file is downloaded.
        _ = try await service.response(for: Endpoint<Data>(path: "c", responseDecoder: .rawData))
        #expect(
            events.words.filter { $0.hasPrefix("noted") } == [
                "noted the response's Content-Digest is malformed, and was ignored",
                "noted the response's Repr-Digest is malformed, and was ignored",
            ])
    }

    @Test func `redirects are reported`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/a" ? LoopbackResponse.status(302).header("/b", for: "Location") : .text("ok")
        }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [.observation(events)])
        _ = try await service.response(for: Endpoint<Void>(path: "a"))
        #expect(events.words == ["queued", "adapted 1", "redirected 1 1", "attempted 1 200", "done 200 1"])
    }

    @Test(arguments: ["whole", "cut", "let go"])
    func `the done event of a stream is reported when the stream has been read or released`(how: String)
        async throws
    {
        let server = try LoopbackServer { request in
            request.path == "/cut" ? LoopbackResponse.text("hello").fault(.truncateBody(after: 2)) : .text("hello")
        }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [.observation(events)])
        do {
            let response = try await service.stream(for: Endpoint<Void>(path: how == "cut" ? "cut" : "a"))
            #expect(!events.words.contains { $0.hasPrefix("done") })
            if how != "let go" { _ = try? await response.body.collected() }
        }
        #expect(events.words.last == (how == "cut" ? "done incompleteBody 1" : "done 200 1"))
    }

    @Test func `the done event is reported for a call that fails before it is sent`() async throws {
        let session = StubSessionManager()
        let pipeline = RequestPipeline {
            $0.observation = .observation(events)
            $0.authentication = CredentialInterceptor(origins: [URL(string: "https://api.test")!]) { _ in
                throw CancellationError()
            }
        }
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session, interceptors: pipeline.interceptors)
        await #expect(throws: NetworkError.self) { try await service.response(for: Endpoint<Void>(path: "a")) }
        #expect(events.words == ["queued", "done cancelled 0"])
    }

    @Test func `headers that can be secret are not reported`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(204))
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.test", headers: ["X-Api-Key": "s3cr3t", "Accept": "text/plain"]),
            sessionManager: session,
            interceptors: [
                .observation(events), .authentication(.bearer("s3cr3t"), for: try APIConfiguration("https://api.test")), .trace,
            ])
        _ = try await service.response(for: Endpoint<Void>(path: "a"))
        guard case .adapted(_, let headers) = events.all[1].kind else {
            Issue.record("\(events.words)")
            return
        }
        #expect(headers["Accept"] == "text/plain" && headers["Authorization"] == nil && headers["X-Api-Key"] == nil)
    }
}
