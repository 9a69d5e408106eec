import Endpoints
import Foundation

/// Tells an observer how a transfer comes along: not too often, and for the last time once.
final class ProgressReporter: Sendable {
    private struct State {
        var progress = TransferProgress()
        var rate = RecentRate()
        var nextReport: UInt64 = 0
        var isFinished = false
    }

    /// In nanoseconds: 20 a second.
    private static let interval: UInt64 = 50_000_000

    private let state = Locked(State())
    private let observer: any TransferProgressObserver
    private let submitted: UInt64

    /// `nil` when nobody listens.
    init?(_ observer: (any TransferProgressObserver)?, submitted: UInt64) {
        guard let observer else { return nil }
        self.observer = observer
        self.submitted = submitted
    }

    /// - Parameters:
    ///   - now: Nanoseconds of the monotonic clock.
    ///   - measure: Runs at once, if it is time for a report.
    func report(at now: UInt64, _ measure: (inout TransferProgress) -> Void) {
        // Only whoever moves the bytes reports, so that nobody else measures in between.
        guard var progress = state.withLock({ $0.isFinished || now < $0.nextReport ? nil : $0.progress }) else { return }
        measure(&progress)
        progress.elapsed = .nanoseconds(now - min(now, submitted))
        let isFinished = state.withLock { state in
            progress.recentBytesPerSecond = state.rate.add(
                progress.bytesSent.adding(clamped: progress.bytesReceived), at: progress.elapsed)
            state.progress = progress
            state.nextReport = now &+ Self.interval
            return state.isFinished
        }
        if !isFinished { observer.transferDidProgress(progress) }
    }

    /// The last report; nothing follows.
    ///
    /// - Parameter measure: What is newer than the last report, if anything is.
    func finish(_ measure: (inout TransferProgress) -> Void = { _ in }) {
        let last: TransferProgress? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            return state.progress
        }
        guard var last else { return }
        measure(&last)
        let now = monotonicNanoseconds()
        last.elapsed = .nanoseconds(now - min(now, submitted))
        last.isFinished = true
        let moved = last.bytesSent.adding(clamped: last.bytesReceived)
        let elapsed = last.elapsed
        last.recentBytesPerSecond = state.withLock { $0.rate.add(moved, at: elapsed) }
        observer.transferDidProgress(last)
    }
}

extension NetworkRequest {
    /// Tells the observer of a request that was not even begun, or that no engine sent.
    package func reportEnd(_ result: Result<NetworkResponse, TransportError>? = nil) {
        ProgressReporter(progress, submitted: monotonicNanoseconds())?.finish { progress in
            guard case .success(let response) = result else { return }
            progress.bytesSent = Int64(body?.data?.count ?? 0)
            progress.totalBytesToSend = progress.bytesSent
            progress.bytesReceived = Int64(response.body.count)
            progress.totalBytesToReceive = progress.bytesReceived
        }
    }
}

/// How fast bytes move of late: an average in which a second counts half as much as the one after it.
struct RecentRate {
    private var weightedBytes = 0.0
    private var weightedSeconds = 0.0
    private var count: Int64 = 0
    private var time = Duration.zero

    /// - Parameters:
    ///   - total: Bytes moved so far. Fewer than the last time: a redirect has begun from 0 again.
    ///   - elapsed: When, since the call.
    /// - Returns: Bytes per second; 0 before any time has passed.
    mutating func add(_ total: Int64, at elapsed: Duration) -> Double {
        let bytes = total >= count ? Double(total) - Double(count) : Double(total)
        let seconds = max((elapsed - time) / .seconds(1), 0)
        count = total
        time = max(elapsed, time)
        let decay = exp2(-seconds)
        weightedBytes = weightedBytes * decay + bytes
        weightedSeconds = weightedSeconds * decay + seconds
        return weightedSeconds > 0 ? weightedBytes / weightedSeconds : 0
    }
}
