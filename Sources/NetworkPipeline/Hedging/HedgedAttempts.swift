import Endpoints
import NetworkCore
import NetworkSupport

/// Measures the time since the first attempt was sent.
///
/// Before that, the request may wait in a queue of this client, where a second one would wait too.
final class FirstAttempt: CallObserver {
    private let time: TimeSource
    private let began = Locked<Duration?>(nil)
    private let beginning = Promise<Bool>()

    init(_ time: TimeSource) {
        self.time = time
    }

    func receive(_ event: CallEvent) {
        guard case .sent = event else { return }
        let now = time.elapsed
        began.withLock { $0 = $0 ?? now }
        beginning.resolve(true)
    }

    /// The time since the attempt was sent; `nil` if it was not sent.
    var latency: Duration? {
        guard let began = began.withLock(\.self) else { return nil }
        return time.elapsed - began
    }

    /// Returns `true` when the delay has passed since the attempt was sent, or `false` when the task is cancelled.
    func exceeds(_ delay: Duration) async -> Bool {
        guard await beginning.value(cancellation: { false }) else { return false }
        return (try? await time.sleep(for: delay)) != nil
    }
}

/// Keeps what the second attempt reports until it takes the place of the first one, so that observers see one attempt after the
/// other.
final class SecondAttempt: CallObserver {
    private let time: TimeSource
    private let observer: (any CallObserver)?
    private let events = HeldEvents<(CallEvent, at: Duration)>()
    private let progress: HeldProgress?
    private let informational = HeldEvents<InformationalResponse>()
    private let onInformationalResponse: (@Sendable (InformationalResponse) -> Void)?

    /// Creates an observer of a request, and adds it to the request in place of the present one.
    init(_ request: inout NetworkRequest, _ time: TimeSource) {
        self.time = time
        observer = request.callObserver
        progress = request.holdProgress()
        onInformationalResponse = request.onInformationalResponse
        if onInformationalResponse != nil { request.onInformationalResponse = informational.send }
        if observer != nil { request.callObserver = self }
    }

    /// Reports what has happened so far, and from now on reports at once.
    func takePlace() {
        progress?.release()
        if let observer {
            events.release { [time] event, moment in
                if case .sent(let request, let ago) = event {
                    observer.receive(.sent(request, ago: ago + time.elapsed - moment))
                } else {
                    observer.receive(event)
                }
            }
        }
        if let onInformationalResponse { informational.release(to: onInformationalResponse) }
    }

    func receive(_ event: CallEvent) {
        // The request keeps its observer, so the event must not keep the request with this one.
        events.send((event.observed(by: observer), at: time.elapsed))
    }
}
