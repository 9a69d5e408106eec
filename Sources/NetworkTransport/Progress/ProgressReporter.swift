import Endpoints
import Foundation
import NetworkSupport

/// Reports the progress of a transfer to an observer, at a limited rate, and reports its end once.
package final class ProgressReporter: Sendable {
    private struct State {
        var progress = TransferProgress()
        var rate = RecentRate()
        var nextReport: UInt64 = 0
        var isFinished = false
    }

    /// The shortest time between two reports, in nanoseconds.
    private static let interval: UInt64 = 50_000_000
    /// The time during which the recent rate is 0. What arrives at once in the first milliseconds does not show how fast the rest will be.
    private static let timeWithoutRate = Duration.milliseconds(200)

    private let state = Locked(State())
    private let observer: any TransferProgressObserver
    private let submitted: UInt64

    /// Creates a reporter; `nil` if there is no observer.
    package init?(_ observer: (any TransferProgressObserver)?, submitted: UInt64) {
        guard let observer else { return nil }
        self.observer = observer
        self.submitted = submitted
    }

    /// Reports the progress, unless the last report is too recent.
    ///
    /// - Parameters:
    ///   - now: The current time of the monotonic clock, in nanoseconds.
    ///   - measure: Called synchronously if a report is due.
    package func report(at now: UInt64, _ measure: (inout TransferProgress) -> Void) {
        // Only the thread that transfers the bytes reports, so no other thread measures in between.
        guard var progress = state.withLock({ $0.isFinished || now < $0.nextReport ? nil : $0.progress }) else { return }
        measure(&progress)
        progress.elapsed = .nanoseconds(now - min(now, submitted))
        let isFinished = state.withLock { state in
            let rate = state.rate.add(progress.bytesSent.adding(clamped: progress.bytesReceived), at: progress.elapsed)
            progress.recentBytesPerSecond = progress.elapsed < Self.timeWithoutRate ? 0 : rate
            state.progress = progress
            state.nextReport = now &+ Self.interval
            return state.isFinished
        }
        if !isFinished { observer.transferDidProgress(progress) }
    }

    /// Reports the end of the transfer. Further calls have no effect.
    ///
    /// - Parameter measure: Adds what has changed since the last report.
    package func finish(_ measure: (inout TransferProgress) -> Void = { _ in }) {
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
    /// Reports the end of a request that was never started, or that no engine sent, to its observer.
    package func reportEnd(_ result: Result<NetworkResponse, TransportError>? = nil) {
        ProgressReporter(progress, submitted: monotonicNanoseconds())?.finish { progress in
            guard case .success(let response) = result else { return }
            progress.bytesSent = Int64(body?.data?.count ?? 0)
            progress.totalBytesToSend = progress.bytesSent
            progress.bytesReceived = Int64(response.data.count)
            progress.totalBytesToReceive = progress.bytesReceived
        }
    }
}

/// The recent transfer rate: an average in which each second counts half as much as the one after it.
package struct RecentRate {
    private var weightedBytes = 0.0
    private var weightedSeconds = 0.0
    private var count: Int64 = 0
    private var time = Duration.zero

    /// Adds a measurement.
    ///
    /// - Parameters:
    ///   - total: The bytes transferred so far. A smaller number than before means that a redirect has started again from 0.
    ///   - elapsed: The time since the start of the call.
    /// - Returns: Bytes per second; 0 while no time has passed.
    package mutating func add(_ total: Int64, at elapsed: Duration) -> Double {
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

/// Forwards the progress of several attempts to one observer, so that the end of an attempt is not reported as the end of the
/// call. The observer is called by one thread at a time, in the order of the events, also if the engine reports the end of the attempt
/// while the service reports that of the call.
package final class ProgressRelay: TransferProgressObserver, SettlingObserver {
    private struct State {
        var progress = TransferProgress()
        /// The number of the newest attempt. Events of earlier attempts, such as their cancellation, are ignored.
        var attempt = 0
        var isAttemptOver = false
        /// Whether no further attempt follows.
        var isLastAttempt = false
        var isOver = false
        /// What is to be passed to the observer, in order. Of updates that follow each other, only the newest is kept.
        var waiting: [Event] = []
        /// Whether a thread passes on what is waiting.
        var isDelivering = false

        /// Adds an event, and returns whether the caller has to deliver it.
        mutating func add(_ event: Event) -> Bool {
            if case .update = event, case .update? = waiting.last { waiting.removeLast() }
            waiting.append(event)
            defer { isDelivering = true }
            return !isDelivering
        }

        /// Returns the next event to deliver; ends the delivery if there is no other one.
        mutating func next() -> Event? {
            isDelivering = !waiting.isEmpty
            return isDelivering ? waiting.removeFirst() : nil
        }
    }

    private enum Event {
        case update(TransferProgress)
        case settle(@Sendable () -> Void)
    }

    /// The observer of one attempt.
    private final class Attempt: TransferProgressObserver, SettlingObserver {
        let relay: ProgressRelay
        let number: Int

        init(_ relay: ProgressRelay, number: Int) {
            self.relay = relay
            self.number = number
        }

        func transferDidProgress(_ progress: TransferProgress) {
            relay.report(progress, of: number)
        }

        func whenSettled(_ work: @escaping @Sendable () -> Void) {
            relay.whenSettled(work)
        }
    }

    private let observer: any TransferProgressObserver
    private let state = Locked(State())

    package init(_ observer: any TransferProgressObserver) {
        self.observer = observer
    }

    /// Receives an update that an interceptor reports itself.
    package func transferDidProgress(_ progress: TransferProgress) {
        report(progress, of: state.withLock(\.attempt))
    }

    /// Returns the observer of a further attempt.
    package func beginAttempt() -> any TransferProgressObserver {
        Attempt(
            self,
            number: state.withLock { state in
                state.attempt += 1
                state.isAttemptOver = false
                return state.attempt
            })
    }

    /// Marks the current attempt as the last one: its end is the end of the call.
    func expectEnd() {
        report { state in
            state.isLastAttempt = true
            return state.isAttemptOver
        }
    }

    /// Reports the end of the call when the body of its response has ended, and returns when the observer has processed all events
    /// so far.
    package func end(with response: NetworkResponse) async {
        guard response.body.data == nil else { return await finish() }
        expectEnd()
        await Optional<any TransferProgressObserver>(self).settled()
    }

    /// Reports the end of the call, and returns when the observer has processed all events so far.
    package func finish() async {
        report { _ in true }
        await Optional<any TransferProgressObserver>(self).settled()
    }

    package func whenSettled(_ work: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.add(.settle(work)) }) { deliver() }
    }

    private func deliver() {
        while let event = state.withLock({ $0.next() }) {
            switch event {
            case .update(let progress): observer.transferDidProgress(progress)
            case .settle(let work): Optional(observer).whenSettled(work)
            }
        }
    }

    private func report(_ progress: TransferProgress, of attempt: Int) {
        report { state in
            guard attempt == state.attempt else { return nil }
            state.isAttemptOver = progress.isFinished
            state.progress = progress
            return progress.isFinished && state.isLastAttempt
        }
    }

    /// - Parameter change: Returns whether the call has ended; `nil` if there is nothing to report.
    private func report(_ change: (inout State) -> Bool?) {
        let delivers = state.withLock { state in
            guard !state.isOver, let isOver = change(&state) else { return false }
            state.isOver = isOver
            state.progress.isFinished = isOver
            return state.add(.update(state.progress))
        }
        if delivers { deliver() }
    }
}

extension NetworkRequest {
    /// Returns the request with a relay as its observer, and that relay; without a relay if there is no observer.
    package func relayed() -> (NetworkRequest, ProgressRelay?) {
        guard let progress else { return (self, nil) }
        let relay = ProgressRelay(progress)
        var request = self
        request.progress = relay
        return (request, relay)
    }

    /// Returns the request with the observer of a further attempt.
    mutating func beginProgressOfAttempt() {
        if let relay = progress as? ProgressRelay { progress = relay.beginAttempt() }
    }
}
