import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting
import Testing
import TransferTestSupport

/// Lists with pages on another origin.
@Suite(.timeLimit(.minutes(10))) struct PageOriginTests {
    private let session = StubSessionManager()

    private func service() throws -> DefaultDataTransferService {
        let api = try APIConfiguration("https://api.test", headers: ["X-Licence": "l"], queryParameters: ["apikey": "k"])
        return DefaultDataTransferService(
            configuration: api, sessionManager: session, interceptors: [.authentication(.header("m", for: "X-Member"), for: api)])
    }

    private func enqueue(_ link: String?) {
        session.enqueue(.json("[1]", headers: link.map { ["Link": "<\($0)>; rel=\"next\""] } ?? [:]))
    }

    private func list(_ method: RequestMethod = .get) -> Endpoint<[Int]> {
        Endpoint(
            path: "items", method: method, headerParameters: ["X-Own": "o", "Accept-Language": "en"],
            body: method == .post ? .json(["password": "p"]) : nil)
    }

    @Test func `pages on another origin are requested without credentials and the endpoint's fields`() async throws {
        for link in ["https://other.test/2", "/3", "https://other.test/4", "https://api.test/5", nil] { enqueue(link) }
        for try await _ in try service().pages(of: list(), by: .linkHeader) {}
        #expect(session.requests.map { $0.url.host() } == ["api.test", "other.test", "other.test", "other.test", "api.test"])
        for (index, request) in session.requests.enumerated() {
            let isSameOrigin = index == 0 || index == 4
            for name in ["X-Own", "X-Member", "X-Licence"] {
                #expect(request.headers.contains(name) == isSameOrigin, "\(name) in request \(index)")
            }
            #expect(request.headers["Accept-Language"] == "en")
            #expect(request.url.query()?.contains("apikey") ?? false == isSameOrigin)
        }
    }

    @Test func `the body of a list's request is sent to its own origin only`() async throws {
        for link in ["/2", "https://other.test/3", "/4", nil] { enqueue(link) }
        for try await _ in try service().pages(of: list(.post), by: .linkHeader) {}
        #expect(session.requests.map(\.method) == [.post, .post, .get, .get])
        #expect(session.requests.map { $0.body != nil } == [true, true, false, false])
        #expect(session.requests.map { $0.headers.contains("Content-Type") } == [true, true, false, false])
    }

    @Test func `a link from https to http is an error`() async throws {
        enqueue("http://api.test/2")
        var count = 0
        do {
            for try await _ in try service().pages(of: list(), by: .linkHeader) { count += 1 }
            Issue.record("there was no error")
        } catch DataTransferError.parsing(let failure) {
            #expect(failure.underlying as? PageError == .insecureLink)
        }
        #expect(count == 1 && session.requests.count == 1)
    }
}
