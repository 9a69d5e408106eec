import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkTransport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct FoundationProgressTests {
    private func wait(_ progress: Progress, until condition: @escaping @Sendable (Progress) -> Bool) async {
        while !condition(progress) {
            if Task.isCancelled { return }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { continuation.resume() }
            }
        }
    }

    @Test func `a Foundation progress counts sent and received bytes`() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 1000)) }
        let observer = FoundationProgress()
        #expect(observer.progress.totalUnitCount == -1 && observer.progress.isIndeterminate)
        let request = NetworkRequest(method: .post, url: server.url, body: .data(Data(count: 3_000_000)), progress: observer)
        _ = try await testedSession().response(for: request)
        await wait(observer.progress) { $0.completedUnitCount == 3_001_000 }
        #expect(observer.progress.totalUnitCount == 3_001_000 && observer.progress.fractionCompleted == 1)
        #expect(observer.progress.isFinished)
    }

    @Test func `the progress of a transfer can be a child of another progress`() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 1000)) }
        let whole = Progress(totalUnitCount: 2)
        let observer = FoundationProgress()
        whole.addChild(observer.progress, withPendingUnitCount: 1)
        _ = try await testedSession().response(for: NetworkRequest(url: server.url, progress: observer))
        await wait(whole) { $0.fractionCompleted == 0.5 }
        #expect(whole.fractionCompleted == 0.5)
    }

    @Test func `cancelling the progress cancels the transfer`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        let observer = FoundationProgress()
        let (results, sink) = AsyncStream.makeStream(of: Result<NetworkResponse, TransportError>.self)
        let handle = testedSession().response(for: NetworkRequest(url: server.url, progress: observer)) { result in
            sink.yield(result)
            sink.finish()
        }
        observer.onCancel { handle.cancel() }
        _ = await server.waitForRequests(count: 1)
        observer.progress.cancel()
        for await result in results {
            #expect(throws: TransportError.self) { try result.get() }
        }
        #expect(observer.progress.isCancelled)
    }

    @Test func `the cancel action runs once, even if it is set after the cancellation or a parent is cancelled`() async {
        let early = FoundationProgress()
        early.progress.cancel()
        await withCheckedContinuation { continuation in early.onCancel { continuation.resume() } }

        let whole = Progress(totalUnitCount: 1)
        let child = FoundationProgress()
        whole.addChild(child.progress, withPendingUnitCount: 1)
        await withCheckedContinuation { continuation in
            child.onCancel { continuation.resume() }
            whole.cancel()
        }
        // Resuming twice would trap.
        whole.cancel()
        early.progress.cancel()
        #expect(child.progress.isCancelled)
    }
}
