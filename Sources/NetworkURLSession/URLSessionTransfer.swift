import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends the requests of a ``URLSessionTransfer``.
protocol URLSessionTransferOwner: AnyObject, Sendable {
    /// Sends the request of a call.
    func start(_ transfer: URLSessionTransfer)
    /// Sends the request that a redirect leads to.
    func follow(_ transfer: URLSessionTransfer, _ next: NetworkRequest, cookies: String?)
    /// Cancels the task of a call that has ended, or removes the call between two requests.
    func discard(_ transfer: URLSessionTransfer)
}

/// One call in ``URLSessionEngine``: a task for its request, and then one for each redirect that is followed.
// Sendable although unchecked: `activity` is protected by its lock, `deadline` and `heapIndex` by the clock's lock, and each `var` below the
// mark is only accessed on the engine's queue.
final class URLSessionTransfer: Exchange, DeadlineMember, @unchecked Sendable {
    let driver: CallDriver
    let activity: Locked<URLSessionActivity>
    /// The reader of a streamed response; `nil` if the response is collected.
    let reader: StreamReader?
    private let engine: any URLSessionTransferOwner
    private let upload: URLSessionUpload?

    var deadline = UInt64.max
    var heapIndex = -1

    // MARK: Only on the engine's queue

    /// The request of the current exchange.
    var request: NetworkRequest
    /// The stored cookies that are sent with it.
    var cookies: String?
    var origin: String
    /// The number of redirects that were followed.
    var redirects = 0
    var exchange: URLSessionExchange?
    /// The ticket in the queue of the origin.
    var ticket: UInt64?
    var isEnded = false

    /// The body that is sent with the current request; `nil` for none, as after some redirects.
    var currentUpload: URLSessionUpload? { request.body == nil ? nil : upload }

    init(
        _ request: NetworkRequest, upload: URLSessionUpload? = nil, rules: CallRules, engine: any URLSessionTransferOwner
    ) {
        self.request = request
        self.upload = upload
        self.engine = engine
        let reader = request.isStreamed ? StreamReader() : nil
        self.reader = reader
        driver = CallDriver(
            request, rules: rules,
            download: reader.map { reader in ResponseBodyPipe { reader.exchange?.continueReading() } })
        origin = request.origin
        activity = Locked(URLSessionActivity(request, limits: rules.configuration, now: URLSessionClock.now))
    }

    func send(_ request: NetworkRequest, cookies: String?) {
        guard driver.redirectCount == 0 else { return engine.follow(self, request, cookies: cookies) }
        self.cookies = cookies
        engine.start(self)
    }

    func withdraw() {
        engine.discard(self)
    }

    func expire(at now: UInt64) {
        fail(activity.withLock { $0.lateness(at: now, of: driver.original) })
    }

    /// Completes the transfer with an error at once, and cancels its task afterwards.
    func fail(_ error: TransportError) {
        if driver.stop(timed(error)) { engine.discard(self) }
    }

    /// Returns the error with the timings that are known.
    func timed(_ error: TransportError) -> TransportError {
        guard !error.isCancelled, error.timings == nil else { return error }
        var error = error
        error.timings = activity.withLock { $0.timings(at: URLSessionClock.now) }
        return error
    }

    /// Records that the head of the response was received.
    func endHeadBound() {
        activity.withLock { $0.endHeadBound() }
    }

    /// Records that bytes were transferred.
    func move(to phase: TransportError.Phase) {
        let now = URLSessionClock.now
        activity.withLock { $0.move(to: phase, at: now) }
    }

    /// Stops the idle timeout until the next byte is transferred, because there is no network (`waitsForConnectivity`).
    func waitForNetwork() {
        activity.withLock { $0.waitForNetwork() }
    }

    /// Stops the idle timeout while the transfer waits for the reader of a streamed response.
    func pauseIdleTimeout(_ isPaused: Bool) {
        let now = URLSessionClock.now
        activity.withLock { $0.pauseIdleTimeout(isPaused, at: now) }
    }
}

/// The reader of a streamed response, as the exchange that receives the body knows it.
final class StreamReader: Sendable {
    private struct Source {
        weak var exchange: URLSessionExchange?
    }

    private let source = Locked(Source())

    /// The exchange that continues when there is room.
    var exchange: URLSessionExchange? {
        get { source.withLock(\.exchange) }
        set { source.withLock { $0.exchange = newValue } }
    }
}

/// The phase of a transfer and the time of its last activity. Times are nanoseconds of ``URLSessionClock``.
struct URLSessionActivity: Sendable {
    /// The time of the call.
    let submitted: UInt64
    private var limits: TimeLimits
    private let idleTimeout: Duration
    private let firstSignLimit: UInt64

    /// The current phase; `nil` from leaving the queue until the first activity, since connecting and waiting cannot be
    /// distinguished.
    private(set) var phase: TransportError.Phase? = .queued
    private(set) var launched: UInt64?
    /// The time spent in the queue, in nanoseconds, over all redirects so far.
    private(set) var queued: UInt64 = 0
    private var entered: UInt64
    /// How many requests of the call have entered the queue.
    private var requests = 0
    private var lastSign: UInt64?
    /// Whether bytes wait for the reader of a streamed response.
    private var waitsForReader = false
    /// Whether there is no network, and the task waits for one.
    private var waitsForNetwork = false
    /// Whether the call has ended.
    private(set) var hasEnded = false

    init(_ request: NetworkRequest, limits: SessionConfiguration, now: UInt64) {
        submitted = now
        entered = now
        idleTimeout = request.timeouts.idle ?? limits.idleTimeout
        self.limits = TimeLimits(
            of: request, totalTimeout: limits.totalTimeout, idleTimeout: limits.idleTimeout, submitted: now, now: now)
        firstSignLimit = min(self.limits.idleNanoseconds, request.timeouts.connect?.boundedNanoseconds ?? .max)
    }

    /// The time at which the transfer is late, as far as is known now.
    func deadline(at now: UInt64) -> UInt64 {
        guard let launched else { return limits.total }
        if waitsForReader || waitsForNetwork { return min(limits.total, now &+ limits.idleNanoseconds) }
        let idleDeadline = lastSign.map { $0 &+ limits.idleNanoseconds } ?? (launched &+ firstSignLimit)
        return min(limits.total, idleDeadline)
    }

    /// Returns the durations and the number of redirects that are known of a transfer without a response.
    func timings(at now: UInt64) -> TransferTimings {
        let waiting = launched == nil ? now - min(now, entered) : 0
        return TransferTimings(
            queued: .nanoseconds(Int64(clamping: queued + waiting)),
            total: .nanoseconds(Int64(clamping: now - min(now, submitted))), redirects: max(requests - 1, 0))
    }

    mutating func enterQueue(at now: UInt64) {
        requests += 1
        entered = now
        phase = .queued
        launched = nil
        lastSign = nil
    }

    mutating func launch(at now: UInt64) {
        phase = nil
        queued &+= now - min(now, entered)
        launched = now
        lastSign = nil
        waitsForNetwork = false
    }

    /// Stops the idle timeout until the next byte is transferred.
    mutating func waitForNetwork() {
        waitsForNetwork = launched != nil
    }

    /// Records that bytes were transferred.
    mutating func move(to phase: TransportError.Phase, at now: UInt64) {
        guard launched != nil else { return }
        self.phase = phase
        lastSign = now
        waitsForNetwork = false
    }

    /// Stops the idle timeout, or starts it again.
    mutating func pauseIdleTimeout(_ isPaused: Bool, at now: UInt64) {
        waitsForReader = isPaused
        lastSign = now
    }

    /// Records that the call has ended.
    mutating func end() {
        hasEnded = true
    }

    /// Records that the head of the response was received.
    mutating func endHeadBound() {
        limits.endHeadBound()
    }

    func lateness(at now: UInt64, of request: NetworkRequest) -> TransportError {
        let milliseconds = (now - min(now, submitted)) / 1_000_000
        let what =
            if limits.total <= now {
                limits.totalLateness
            } else if lastSign == nil, firstSignLimit < limits.idleNanoseconds {
                "no activity within the connect timeout"
            } else {
                limits.idleLateness(idleTimeout)
            }
        return TransportError(.timedOut, "\(what), \(milliseconds) ms after the attempt began", phase: phase, request: request)
    }
}
