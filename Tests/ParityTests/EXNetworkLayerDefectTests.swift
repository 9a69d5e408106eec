import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// Transfer defects and missing features of EXNetworkLayer that this package does not have.
@Suite("EXNetworkLayer, defects", .timeLimit(.minutes(10))) struct EXNetworkLayerDefectTests {
    private let users = Endpoint<[User]>(path: "users")

    @Test(.tags(.statusErrors), arguments: [301, 400, 404, 500, 503])
    func `a completion receives an error for a status that is not a success`(status: Int)
        async
    {
        let session = StubSessionManager()
        session.enqueue(.json("[]", status: status))
        let service = DefaultDataTransferService.make(session)
        let result: Result<[User], DataTransferError> = await outcome { service.request(users, completion: $0) }
        guard case .failure(let error) = result else {
            Issue.record("status \(status) was reported as a success")
            return
        }
        #expect(error.statusCode == status)
    }

    @Test(.tags(.multipartForms)) func `a multipart form with a file can be uploaded`() async throws {
        let server = try LoopbackServer { request in .json("\(request.body.count)") }
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("parity-\(UUID().uuidString).jpg")
        try Data(count: 300_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var form = MultipartForm()
        form.append("ada", name: "user")
        form.append(.file(file), name: "avatar", fileName: "ada.jpg")
        let count = try await service.upload(.multipart(form), to: Endpoint<Int>(path: "avatar"))
        let request = try #require(server.requests.first)
        #expect(request.body.count == count && request.headers["Content-Length"] == "\(count)" && count > 300_000)
        #expect(request.body.range(of: Data("filename=\"ada.jpg\"\r\nContent-Type: image/jpeg\r\n".utf8)) != nil)
    }

    @Test(.tags(.asyncCalls)) func `async calls and completions use the injected session`() async throws {
        let session = StubSessionManager()
        session.route { _ in .json("[]") }
        let service = DefaultDataTransferService.make(session)
        _ = try await service.request(users)
        _ = try await service.concurrently([users, users])
        let _: Result<[User], DataTransferError> = await outcome { service.request(users, completion: $0) }
        #expect(session.requests.count == 4)
    }
}
