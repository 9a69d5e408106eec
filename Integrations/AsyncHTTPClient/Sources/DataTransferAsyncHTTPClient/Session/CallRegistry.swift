import Endpoints
import NIOConcurrencyHelpers
import NIOCore
import NetworkCore

/// The calls that are under way, and the closing of their session manager.
final class CallRegistry: Sendable {
    private struct State {
        var calls: [ObjectIdentifier: CallControl] = [:]
        var isClosing = false
        var ended = 0
        var cancelled: [TransportError] = []
        var cancelledCount = 0
        var report: ClosingReport?
        var waiters: [CheckedContinuation<ClosingReport, Never>] = []
    }

    private let state = NIOLockedValueBox(State())

    /// Adds a call.
    ///
    /// - Throws: ``TransportError/Code/sessionClosed``.
    func add(_ control: CallControl) throws(TransportError) {
        let isClosing = state.withLockedValue { state in
            if !state.isClosing { state.calls[ObjectIdentifier(control)] = control }
            return state.isClosing
        }
        guard isClosing else { return }
        throw TransportError(
            .sessionClosed, "the session manager was closed; the request was not sent", request: control.request)
    }

    /// Removes a call that has ended.
    func remove(_ control: CallControl) {
        control.end()
        let (report, waiters): (ClosingReport?, [CheckedContinuation<ClosingReport, Never>]) = state.withLockedValue { state in
            guard state.calls.removeValue(forKey: ObjectIdentifier(control)) != nil else { return (nil, []) }
            if state.isClosing { state.ended += 1 }
            return Self.finish(&state)
        }
        if let report { for waiter in waiters { waiter.resume(returning: report) } }
    }

    /// Refuses calls from now on.
    func beginClosing() {
        let (report, waiters) = state.withLockedValue { state in
            state.isClosing = true
            return Self.finish(&state)
        }
        if let report { for waiter in waiters { waiter.resume(returning: report) } }
    }

    /// Waits until nothing is under way.
    ///
    /// - Parameter grace: The time after which calls are cut off.
    func report(grace: Duration, on loop: any EventLoop) async -> ClosingReport {
        if grace <= .zero { cutOff() }
        let timer = loop.scheduleTask(in: TimeAmount(grace)) { [self] in cutOff() }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let report: ClosingReport? = state.withLockedValue { state in
                    if state.report == nil { state.waiters.append(continuation) }
                    return state.report
                }
                if let report { continuation.resume(returning: report) }
            }
        } onCancel: {
            cutOff()
        }
    }

    private func cutOff() {
        let calls = state.withLockedValue { state in state.report == nil ? Array(state.calls.values) : [] }
        for control in calls {
            let error = TransportError(
                .sessionClosed, "the session manager was closed before the request had ended", phase: control.phase,
                request: control.request)
            state.withLockedValue { state in
                guard state.calls[ObjectIdentifier(control)] != nil, control.failure == nil else { return }
                state.cancelledCount += 1
                if state.cancelled.count < ClosingReport.maximumListed { state.cancelled.append(error) }
            }
            control.fail(error)
        }
    }

    private static func finish(_ state: inout State) -> (ClosingReport?, [CheckedContinuation<ClosingReport, Never>]) {
        guard state.isClosing, state.calls.isEmpty, state.report == nil else { return (nil, []) }
        let report = ClosingReport(
            completed: state.ended - state.cancelledCount, cancelled: state.cancelled, cancelledCount: state.cancelledCount)
        state.report = report
        defer { state.waiters = [] }
        return (report, state.waiters)
    }
}
