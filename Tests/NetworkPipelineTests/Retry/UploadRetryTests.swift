import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting
import ResumableUploads
import Testing
import TransferTestSupport

/// Resumable uploads with an interceptor that retries: it decides, by its maximum, budget and pauses, and no part is sent again as it is.
@Suite(.timeLimit(.minutes(10)))
struct UploadRetryTests {
    private let folder: TemporaryFolder
    private let model = TusServer()
    private let server: LoopbackServer
    private let file: URL
    private let content = Data.pattern(100_000)

    init() throws {
        folder = try TemporaryFolder()
        server = try model.server()
        file = try folder.write(content, to: "file")
    }

    private func upload(_ options: RetryOptions, _ budget: RetryBudget?) async throws -> UploadedFile {
        model.forgetClients()
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), interceptors: [.retry(options, budget: budget)])
        // The options of the upload would pause for an hour, and stop after the first failure.
        return try await service.uploadResumably(
            file, to: Endpoint<Void>(path: "files"),
            options: UploadOptions(maximumAttempts: 1, backoff: Backoff(base: .seconds(3600), maximumDelay: .seconds(3600))))
    }

    private var parts: Int { server.requests.filter { $0.method == .patch }.count }

    @Test(arguments: [TusServer.Fault.lostRequest, .refused(503), .lostResponse])
    func `the interceptor's maximum counts attempts without progress`(fault: TusServer.Fault) async throws {
        model.change { state in state.fault = { $1.method == .patch && $1.body.count > 1000 ? fault : nil } }
        let options = RetryOptions(maximumAttempts: 5, backoff: Backoff(base: .zero, maximumDelay: .zero))
        if fault == .lostResponse {
            let uploaded = try await upload(options, nil)
            #expect(model.bytes(at: uploaded.url) == content && parts == 1)
        } else {
            let error = await #expect(throws: DataTransferError.self) { _ = try await upload(options, nil) }
            #expect(error?.isRetryable == true && parts == 5)
        }
        #expect(model.violations == [])
    }

    @Test func `progress begins a new count`() async throws {
        model.change { state in state.fault = { $1.method == .patch ? .cut(5_000) : $1.method == .head ? nil : nil } }
        let options = RetryOptions(maximumAttempts: 2, backoff: Backoff(base: .zero, maximumDelay: .zero))
        let uploaded = try await upload(options, nil)
        #expect(model.bytes(at: uploaded.url) == content && parts == 20 && model.violations == [])
    }

    @Test func `the budget is respected`() async throws {
        model.change { state in state.fault = { $1.method == .patch ? .lostRequest : nil } }
        let budget = RetryBudget(share: 0, reserve: 2)
        let options = RetryOptions(maximumAttempts: 100, backoff: Backoff(base: .zero, maximumDelay: .zero))
        await #expect(throws: DataTransferError.self) { _ = try await upload(options, budget) }
        #expect(parts == 3 && model.violations == [])
    }

    @Test func `a pause that exceeds the endpoint's deadline ends the upload`() async throws {
        model.change { state in state.fault = { $1.method == .patch ? .refused(503) : nil } }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url),
            interceptors: [
                .retry(RetryOptions(backoff: Backoff(base: .seconds(86_400), factor: 1, maximumDelay: .seconds(86_400))))
            ])
        var endpoint = Endpoint<Void>(path: "files")
        endpoint.timeouts.deadline = .limit(.seconds(60))
        await #expect(throws: DataTransferError.self) { _ = try await service.uploadResumably(file, to: endpoint) }
        // With a random pause below one minute, which is rare, there are more.
        #expect(parts >= 1)
        #expect(folder.names == [".file.upload", "file"])
    }
}
