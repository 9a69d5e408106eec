import Endpoints
import NetworkCore
import NetworkSupport

/// Measures the time since the first attempt was sent.
///
/// Before that, the request may wait in a queue of this client, where a second one would wait too.
final class FirstAttempt: AttemptObserver {
    private let time: TimeSource
    private let began = Locked<Duration?>(nil)
    private let beginning = Promise<Bool>()

    init(_ time: TimeSource) {
        self.time = time
    }

    func attemptWillBegin(_ request: NetworkRequest) {
        let now = time.elapsed
        began.withLock { $0 = $0 ?? now }
        beginning.resolve(true)
    }

    func attemptDidEnd(_ response: NetworkResponse) {}
    func attemptDidFail(_ error: TransportError) {}

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
final class SecondAttempt: AttemptObserver {
    private let time: TimeSource
    private let observer: (any AttemptObserver)?
    private let events = HeldEvents<@Sendable (any AttemptObserver) -> Void>()
    private let progress: HeldProgress?
    private let informational = HeldEvents<InformationalResponse>()
    private let onInformationalResponse: (@Sendable (InformationalResponse) -> Void)?

    /// Creates an observer of a request, and adds it to the request in place of the present one.
    init(_ request: inout NetworkRequest, _ time: TimeSource) {
        self.time = time
        observer = request.attemptObserver
        progress = request.holdProgress()
        onInformationalResponse = request.onInformationalResponse
        if onInformationalResponse != nil { request.onInformationalResponse = informational.send }
        if observer != nil { request.attemptObserver = self }
    }

    /// Reports what has happened so far, and from now on reports at once.
    func takePlace() {
        progress?.release()
        if let observer { events.release { $0(observer) } }
        if let onInformationalResponse { informational.release(to: onInformationalResponse) }
    }

    func attemptWillBegin(_ request: NetworkRequest) {
        let began = time.elapsed
        report(request) { [time] in $0.attemptHasBegun($1, ago: time.elapsed - began) }
    }

    func attemptHasBegun(_ request: NetworkRequest, ago: Duration) {
        report(request) { $0.attemptHasBegun($1, ago: ago) }
    }

    func attemptWasRedirected(to request: NetworkRequest) {
        report(request) { $0.attemptWasRedirected(to: $1) }
    }

    func attemptDidReceive(_ response: InformationalResponse) {
        events.send { $0.attemptDidReceive(response) }
    }

    func attemptWasShared(_ request: NetworkRequest) {
        report(request) { $0.attemptWasShared($1) }
    }

    func attemptDidEnd(_ response: NetworkResponse) {
        events.send { $0.attemptDidEnd(response) }
    }

    func attemptDidFail(_ error: TransportError) {
        events.send { $0.attemptDidFail(error) }
    }

    func responseIsStored() {
        events.send { $0.responseIsStored() }
    }

    func observer<Observer: AttemptObserver>(_ type: Observer.Type) -> Observer? {
        observer?.observer(type)
    }

    private func report(
        _ request: NetworkRequest, _ call: @escaping @Sendable (any AttemptObserver, NetworkRequest) -> Void
    ) {
        // The request keeps its observer, so the event must not keep the request with this one.
        var request = request
        request.attemptObserver = observer
        events.send { [request] in call($0, request) }
    }
}
