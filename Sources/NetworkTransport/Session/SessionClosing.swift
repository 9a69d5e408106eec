import Endpoints
import NetworkSupport

/// A session manager that can be closed: it refuses new requests, and waits for those that are under way.
public protocol ClosableSessionManager: NetworkSessionManager {
    /// Closes the session manager: refuses new requests from now on, waits for those that are under way, and cancels those that have
    /// not ended when the grace period is over.
    ///
    /// A request that is refused or cancelled by this fails with ``TransportError/Code/sessionClosed``. A streamed response is under
    /// way until its body was received, so a reader that is slow uses the grace period. Requests in the queue are still sent.
    ///
    /// Closing cannot be undone. It may be called several times, also concurrently, and all calls return the same report: the grace
    /// period that ends first applies. If the task is cancelled, the grace period ends at once, and the call still waits for the
    /// transfers to end.
    ///
    /// - Parameter grace: The grace period. With zero or less, everything is cancelled at once.
    /// - Returns: What was completed and cancelled, when nothing is under way any more.
    func close(grace: Duration) async -> ClosingReport
}

extension ClosableSessionManager {
    /// Closes the session manager with a grace period of 10 seconds. See ``close(grace:)``.
    @discardableResult
    public func close() async -> ClosingReport { await close(grace: .seconds(10)) }
}

/// What happened to the requests that were under way when a session manager was closed.
public struct ClosingReport: Sendable {
    /// The maximum number of errors in ``cancelled``: 100.
    public static let maximumListed = 100

    /// The number of requests that ended in the grace period: with a response, with an error, or because their caller cancelled them.
    public var completed: Int
    /// The errors that the cancelled requests failed with, at most ``maximumListed`` of them. ``TransportError/request`` is the
    /// method and the URL without its query, and ``TransportError/phase`` is what the request waited for.
    public var cancelled: [TransportError]
    /// The number of requests that were cancelled at the end of the grace period.
    public var cancelledCount: Int

    /// Creates a report. By default, nothing was under way.
    public init(completed: Int = 0, cancelled: [TransportError] = [], cancelledCount: Int = 0) {
        self.completed = completed
        self.cancelled = cancelled
        self.cancelledCount = cancelledCount
    }
}

extension TransportError {
    /// Returns the error of a request that a closed session manager did not accept.
    package static func refusedByClosedSession(_ request: NetworkRequest) -> TransportError {
        TransportError(.sessionClosed, "the session manager was closed; the request was not sent", request: request)
    }

    /// Returns the error of a request that had not ended when the grace period was over.
    package static func cutOff(_ request: NetworkRequest, phase: Phase?) -> TransportError {
        TransportError(
            .sessionClosed, "the session manager was closed before the request had ended", phase: phase, request: request)
    }
}

/// How far the closing of a session manager has come.
package enum ClosingStage: Comparable, Sendable {
    case open
    /// New requests are refused, and those that are under way may end.
    case draining
    /// The requests that are left are cancelled.
    case cutOff
}

/// The closing of a session manager, which several tasks may wait for.
package final class SessionClosing: Sendable {
    private struct State {
        /// The number of parts that may have transfers.
        var busyParts = 0
        var cancelled: [TransportError] = []
        var cancelledCount = 0
        var report: ClosingReport?
        var waiting: [Promise<ClosingReport>] = []
    }

    private let state = Locked(State())

    package init() {}

    /// Adds a part that has to end before the closing is complete.
    package func retainPart() {
        state.withLock { $0.busyParts += 1 }
    }

    /// Records that a part has ended.
    ///
    /// - Returns: Whether it was the last one.
    package func releasePart() -> Bool {
        state.withLock { state in
            state.busyParts -= 1
            return state.busyParts == 0 && state.report == nil
        }
    }

    /// Records a request that was cut off.
    package func note(_ error: TransportError) {
        state.withLock { state in
            state.cancelledCount += 1
            if state.cancelled.count < ClosingReport.maximumListed { state.cancelled.append(error) }
        }
    }

    /// Completes the closing, unless it is complete.
    ///
    /// - Parameter ended: The number of requests that have ended since it began, in whichever way.
    package func finish(ended: Int) {
        let (waiting, report): ([Promise<ClosingReport>], ClosingReport?) = state.withLock { state in
            guard state.report == nil else { return ([], nil) }
            let report = ClosingReport(
                completed: ended - state.cancelledCount, cancelled: state.cancelled, cancelledCount: state.cancelledCount)
            state.report = report
            defer { state.waiting = [] }
            return (state.waiting, report)
        }
        guard let report else { return }
        for promise in waiting { promise.resolve(report) }
    }

    /// Waits until the closing is complete.
    ///
    /// - Parameter cutOff: Cancels the requests that are left. Called at the end of the grace period, when the task is cancelled, or
    ///   not at all; several times if several tasks wait.
    package func report(
        grace: Duration, on time: TimeSource, cutOff: @escaping @Sendable () -> Void
    ) async -> ClosingReport {
        let promise = Promise<ClosingReport>()
        let known = state.withLock { state in
            if state.report == nil { state.waiting.append(promise) }
            return state.report
        }
        if let known { return known }
        var timer: Task<Void, Never>?
        if grace > .zero {
            // An unstructured task: it does not run on an event loop, even if this one does.
            timer = Task { if (try? await time.sleep(for: grace)) != nil { cutOff() } }
        } else {
            cutOff()
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await promise.value()
        } onCancel: {
            cutOff()
        }
    }
}
