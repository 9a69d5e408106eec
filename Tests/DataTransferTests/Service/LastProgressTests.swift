import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Checks that a call ends after its last progress event, so that a user interface never shows progress after a result.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession) struct LastProgressTests {
    /// A slow progress observer: it blocks in the last event until the call has returned, which is a failure, or for 100 ms.
    private final class SlowListener: Sendable {
        private let callEnded = DispatchSemaphore(value: 0)
        private let state = Locked((last: 0, isLate: false))

        func observer() -> ProgressMonitor {
            ProgressMonitor { [callEnded, state] progress in
                guard progress.isFinished else { return }
                let isLate = callEnded.wait(timeout: .now() + .milliseconds(100)) == .success
                state.withLock { $0 = ($0.last + 1, isLate) }
            }
        }

        /// Returns whether the last event was reported, once, before the call ended.
        func endCall() -> Bool {
            let isReported = state.withLock { $0.last == 1 && !$0.isLate }
            callEnded.signal()
            return isReported
        }
    }

    enum CallForm: CaseIterable, Sendable {
        case async, completion, stream, download
    }

    private func isLastEventReported(
        _ form: CallForm, _ path: String, _ service: DefaultDataTransferService, folder: TemporaryFolder
    ) async throws -> Bool {
        let listener = SlowListener()
        var endpoint = Endpoint<Data>(path: path, responseDecoder: .rawData)
        endpoint.progress = listener.observer()
        switch form {
        case .async: _ = try? await service.request(endpoint)
        case .completion:
            return await withCheckedContinuation { continuation in
                service.request(endpoint) { _ in continuation.resume(returning: listener.endCall()) }
            }
        case .stream:
            do {
                for try await _ in try await service.stream(for: endpoint) {}
            } catch {}
        case .download: _ = try? await service.download(endpoint, to: .file(folder.file("\(UUID())")))
        }
        return listener.endCall()
    }

    private struct Passing: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            try await next(request)
        }
    }

    @Test(arguments: CallForm.allCases, [false, true])
    func `the last progress event is reported before the call returns or throws`(form: CallForm, isIntercepted: Bool) async throws
    {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { request in
            switch request.path {
            case "/good": .text("good")
            case "/cut": LoopbackResponse(body: Data(repeating: 1, count: 1000)).fault(.truncateBody(after: 10))
            default: .status(404)
            }
        }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: testedSession(),
            interceptors: isIntercepted ? [Passing()] : [])
        for path in ["good", "cut", "missing", "bad%path"] {
            let isReported = try await isLastEventReported(form, path, service, folder: folder)
            #expect(isReported, "\(path)")
        }
    }

    @Test func `a Foundation progress is complete when the call returns`() async throws {
        let server = try LoopbackServer { _ in .text("twelve bytes") }
        let observer = FoundationProgress()
        var endpoint = Endpoint<Data>(path: "a", responseDecoder: .rawData)
        endpoint.progress = observer
        _ = try await server.service().request(endpoint)
        #expect(observer.progress.completedUnitCount == 12 && observer.progress.isFinished)
    }
}
