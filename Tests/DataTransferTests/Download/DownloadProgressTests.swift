import NetworkTesting
import Testing

@testable import DataTransfer

struct DownloadProgressTests {
    private let observer = RecordingObserver()

    private func reported() -> [[Int64?]] { observer.events.map { [$0.bytesReceived, $0.totalBytesToReceive] } }

    @Test func `the bytes of the partial file count as received`() async throws {
        let progress = try #require(DownloadProgress(observer))
        let engine = progress.beginAttempt()
        // The engine can report progress before the head is examined. The report is held until the offset of the body is known.
        engine.transferDidProgress(TransferProgress(bytesReceived: 50, totalBytesToReceive: 700))
        #expect(observer.events.isEmpty)
        progress.beginBody(at: 300, of: 1000)
        engine.transferDidProgress(
            TransferProgress(bytesReceived: 100, totalBytesToReceive: 700, recentBytesPerSecond: 25))
        // The end of the transfer is not the end of the download.
        engine.transferDidProgress(TransferProgress(bytesReceived: 700, totalBytesToReceive: 700, isFinished: true))
        #expect(reported() == [[350, 1000], [400, 1000]])
        #expect(observer.events.last?.bytesResumed == 300 && observer.events.last?.recentBytesPerSecond == 25)
        progress.complete(length: 1000)
        await progress.finish()
        await progress.finish()
        #expect(
            reported() == [[350, 1000], [400, 1000], [1000, 1000]] && observer.events.map(\.isFinished) == [false, false, true])
    }

    @Test func `progress of an earlier attempt is ignored`() throws {
        let progress = try #require(DownloadProgress(observer))
        let first = progress.beginAttempt()
        progress.beginBody(at: 300, of: 1000)
        let second = progress.beginAttempt()
        first.transferDidProgress(TransferProgress(bytesReceived: 400))
        progress.beginBody(at: 0, of: nil)
        second.transferDidProgress(TransferProgress(bytesReceived: 10))
        #expect(reported() == [[10, nil]])
    }
}
