import Endpoints
import Foundation
import NetworkSupport

/// Passes the events of one call to the observers of its request: its progress, at a limited rate and with its end once, and its
/// informational responses.
///
/// The observers are called in the order of the events, one call at a time, on ``BackgroundThreads/completions``: never on a thread of the
/// engine, and never under a lock. An observer that is slow delays the end of this call only, and receives only the newest progress.
package final class CallNotifier: Sendable {
    private struct State {
        var progress = TransferProgress()
        var rate = RecentRate()
        var nextReport: UInt64 = 0
        var isFinished = false
        /// Whether an observer was or will be called on another thread, so that the result has to wait for it.
        var hasEvents = false
        /// The progress that the observer has not received.
        var pending: TransferProgress?
        /// Created with the first event: most observed calls have none.
        var deliveries: SerialWork?

        mutating func makeDeliveries() -> SerialWork {
            if let deliveries { return deliveries }
            let made = SerialWork(on: .completions)
            deliveries = made
            return made
        }

        /// Sets the progress that is to be delivered, and returns whether none was before.
        mutating func add(_ progress: TransferProgress) -> Bool {
            hasEvents = true
            defer { pending = progress }
            return pending == nil
        }
    }

    /// The shortest time between two reports of progress, in nanoseconds.
    private static let interval: UInt64 = 50_000_000
    /// The time during which the recent rate is 0. What arrives at once in the first milliseconds does not show how fast the rest will be.
    private static let timeWithoutRate = Duration.milliseconds(200)

    private let state = Locked(State())
    private let request: NetworkRequest
    private let submitted: UInt64

    /// Creates a notifier for a request that has an observer.
    package init(_ request: NetworkRequest, submitted: UInt64) {
        self.request = request
        self.submitted = submitted
    }

    /// Reports progress, unless the last report is too recent.
    ///
    /// - Parameters:
    ///   - now: The current time of the monotonic clock, in nanoseconds.
    ///   - measure: Called synchronously if a report is due. Calls from several threads must not overlap.
    package func report(at now: UInt64, _ measure: (inout TransferProgress) -> Void) {
        guard request.progress != nil,
            var progress = state.withLock({ $0.isFinished || now < $0.nextReport ? nil : $0.progress })
        else { return }
        measure(&progress)
        progress.elapsed = .nanoseconds(now - min(now, submitted))
        let isFirst = state.withLock { state in
            let rate = state.rate.add(progress.bytesSent.adding(clamped: progress.bytesReceived), at: progress.elapsed)
            progress.recentBytesPerSecond = progress.elapsed < Self.timeWithoutRate ? 0 : rate
            state.progress = progress
            state.nextReport = now &+ Self.interval
            return state.isFinished ? false : state.add(progress)
        }
        if isFirst { deliver() }
    }

    /// Reports the end of the call. Further calls have no effect.
    ///
    /// - Parameter measure: Adds what has changed since the last report.
    package func finish(_ measure: (inout TransferProgress) -> Void = { _ in }) {
        guard request.progress != nil else { return }
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
        let isFirst = state.withLock { state in
            last.recentBytesPerSecond = state.rate.add(moved, at: last.elapsed)
            return state.add(last)
        }
        if isFirst { deliver() }
    }

    /// Reports an informational response.
    package func report(_ response: InformationalResponse) {
        let deliveries = state.withLock { state in
            state.hasEvents = true
            return state.makeDeliveries()
        }
        deliveries.run { [request] in request.report(response) }
    }

    /// Runs `work` once, on an unspecified thread, after the observers have processed all events so far; at once if there were none, so that most
    /// observed calls change no thread.
    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        guard mustSettle else { return work() }
        state.withLock { $0.makeDeliveries() }.run { [request] in request.progress.whenSettled(work) }
    }

    /// Returns after the observers have processed all events so far, even if the task is cancelled.
    func settled() async {
        guard mustSettle else { return }
        let settled = Promise<Void>()
        whenSettled { settled.resolve(()) }
        await settled.value()
    }

    /// Whether an observer was or will be called, so that the result has to wait for it.
    var mustSettle: Bool { request.progress != nil || state.withLock(\.hasEvents) }

    private func deliver() {
        state.withLock { $0.makeDeliveries() }.run { [self] in
            let progress = state.withLock { state in
                defer { state.pending = nil }
                return state.pending
            }
            if let progress { request.progress?.transferDidProgress(progress) }
        }
    }
}
