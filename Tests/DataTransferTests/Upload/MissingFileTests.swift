import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import TransferTestSupport
import Testing

/// Files of request bodies, which have to exist before anything is sent.
@Suite struct MissingFileTests {
    private static let path = "/nowhere/at/all/film.mp4"

    private static let bodies: [EndpointBody] = [
        .file(URL(fileURLWithPath: path)),
        .multipart(MultipartForm([.init(name: "film", content: .file(URL(fileURLWithPath: path)))])),
    ]

    private struct Counting: NetworkInterceptor {
        let count: Locked<Int>

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            count.withLock { $0 += 1 }
            return try await next(request)
        }
    }

    @Test(arguments: bodies)
    func `a missing file is an error that names its path, before anything is sent`(body: EndpointBody) async throws {
        let (session, count, logger) = (StubSessionManager(), Locked(0), InMemoryLogger())
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("http://api.example"), sessionManager: session,
            interceptors: [Counting(count: count)], networkLogger: logger)
        let endpoint = Endpoint<Void>(path: "films", method: .post, body: body)
        var errors = [
            try await downloadFailure { try await service.request(endpoint) },
            try await downloadFailure { try await service.stream(for: endpoint) },
        ]
        let result = await withCheckedContinuation { done in _ = service.request(endpoint) { done.resume(returning: $0) } }
        if case .failure(let error) = result { errors.append(error) }
        #expect(errors.count == 3)
        for error in errors {
            guard case .networkFailure(.requestGeneration(let cause)) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(cause.field == .file(Self.path))
            #expect(cause.reason.contains("No such file") && cause.request == "POST films")
            // The folder may reveal the name of the user.
            #expect("\(error)".contains("film.mp4") && !"\(error)".contains("nowhere"), "\(error)")
        }
        #expect(session.requests.isEmpty && count.withLock { $0 } == 0)
    }

    @Test(arguments: [("/tmp", "directory"), ("/dev/zero", "regular file")])
    func `what is not a regular file is an error too, and names the part`(path: String, reason: String) async throws {
        var form = MultipartForm()
        form.append(.file(URL(fileURLWithPath: path)), name: "the picture")
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("http://api.example"), sessionManager: StubSessionManager())
        let error = await #expect(throws: DataTransferError.self) {
            try await service.upload(.multipart(form), to: Endpoint<Void>(path: "a"))
        }
        guard case .networkFailure(.requestGeneration(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.field == .file(path) && cause.reason.contains(reason) && cause.reason.contains("\"the picture\""))
    }

    @Test func `a file that exists is sent by both forms`() async throws {
        let session = StubSessionManager()
        session.route { _ in .text("") }
        let file = try TemporaryFile(Data("film".utf8))
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("http://api.example"), sessionManager: session)
        let endpoint = Endpoint<Void>(path: "films", method: .post, body: .file(file.url))
        try await service.request(endpoint)
        let result = await withCheckedContinuation { done in _ = service.request(endpoint) { done.resume(returning: $0) } }
        #expect(throws: Never.self) { try result.get() }
        #expect(session.requests.count == 2)
    }
}
