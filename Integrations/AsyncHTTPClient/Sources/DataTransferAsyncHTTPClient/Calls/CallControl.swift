import Endpoints
import NIOConcurrencyHelpers
import NIOCore
import NetworkCore
@_spi(SessionManagers) import NetworkTransport

/// What can end a call from outside: its time limits, the cancellation of its task, and the closing of the session manager.
///
/// A call is always in one step: in the queue, or in an exchange. Each step says how it is ended, with ``begin(_:stop:)``.
final class CallControl: Sendable {
    private struct State {
        var failure: TransportError?
        var stop: (@Sendable (TransportError) -> Void)?
        var phase: TransportError.Phase? = .queued
        var timers: [Scheduled<Void>] = []
        var headTimer: Scheduled<Void>?
        var isOver = false
    }

    let request: NetworkRequest
    /// The time of the call.
    let begin = NIODeadline.now()
    private let state = NIOLockedValueBox(State())

    init(_ request: NetworkRequest) {
        self.request = request
    }

    /// The stage that the call is in, for errors.
    var phase: TransportError.Phase? {
        get { state.withLockedValue(\.phase) }
        set { state.withLockedValue { $0.phase = newValue } }
    }

    /// The failure that ended the call from outside; `nil` if there is none.
    var failure: TransportError? { state.withLockedValue(\.failure) }

    /// Starts the limits of time.
    func start(_ driver: CallDriver, on loop: any EventLoop) {
        if let total = driver.totalTimeout {
            let timer = loop.scheduleTask(in: TimeAmount(total)) { [weak self] in
                if let self { fail(timeout("the total timeout ran out")) }
            }
            keep {
                $0.timers.append(timer)
            } orCancel: {
                timer.cancel()
            }
        }
        if let head = driver.headTimeout {
            let timer = loop.scheduleTask(in: TimeAmount(head)) { [weak self] in
                if let self { fail(timeout("the deadline for the response's head ran out")) }
            }
            keep {
                $0.headTimer = timer
            } orCancel: {
                timer.cancel()
            }
        }
    }

    private func keep(_ change: (inout State) -> Void, orCancel: () -> Void) {
        let isOver = state.withLockedValue { state in
            if !state.isOver { change(&state) }
            return state.isOver
        }
        if isOver { orCancel() }
    }

    /// Returns the error of a limit of time that has passed.
    func timeout(_ what: String, in phase: TransportError.Phase? = nil) -> TransportError {
        let elapsed = (NIODeadline.now() - begin).nanoseconds
        return TransportError(
            .timedOut, "\(what), \(elapsed / 1_000_000) ms after the attempt began", phase: phase ?? self.phase, request: request)
    }

    /// Records that the head of the final response was received: the limit for it no longer applies.
    func endHeadLimit() {
        state.withLockedValue { state in
            defer { state.headTimer = nil }
            return state.headTimer
        }?.cancel()
    }

    /// Ends the call. Only the first failure has an effect.
    func fail(_ error: TransportError) {
        let stop: (@Sendable (TransportError) -> Void)? = state.withLockedValue { state in
            guard state.failure == nil, !state.isOver else { return nil }
            state.failure = error
            return state.stop
        }
        stop?(error)
    }

    /// Begins a step.
    ///
    /// - Parameter stop: Ends the step. Called at most once, on any thread; before this method returns if the call has ended already.
    func begin(_ phase: TransportError.Phase, stop: @escaping @Sendable (TransportError) -> Void) {
        let failure: TransportError? = state.withLockedValue { state in
            state.phase = phase
            state.stop = stop
            return state.failure
        }
        if let failure { stop(failure) }
    }

    /// Records that the call has ended: nothing can end it any more.
    func end() {
        let timers: [Scheduled<Void>] = state.withLockedValue { state in
            state.isOver = true
            state.stop = nil
            defer {
                state.timers = []
                state.headTimer = nil
            }
            return state.timers + [state.headTimer].compactMap(\.self)
        }
        for timer in timers { timer.cancel() }
    }
}

extension TimeAmount {
    /// The same time, at most about three years.
    init(_ duration: Duration) {
        let bounded = min(max(duration, .zero), .seconds(100_000_000))
        let (seconds, attoseconds) = bounded.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

extension Duration {
    init(_ amount: TimeAmount) {
        self = .nanoseconds(amount.nanoseconds)
    }
}
