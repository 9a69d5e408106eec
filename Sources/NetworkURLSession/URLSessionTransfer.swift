import Endpoints
import Foundation
import NetworkSupport
import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One call in ``URLSessionEngine``, from the request to the response, over all redirects.
///
/// It is completed once, by whichever comes first: the engine, the clock, a limit, or `cancel()`. Unless the engine completed it,
/// the engine then cancels its task.
// Sendable although unchecked: `pendingCompletion` and `activity` are protected by their locks, `deadline` and `heapIndex` by the
// clock's lock, and each `var` below the mark is only accessed on the engine's queue.
final class URLSessionTransfer: NetworkCancellable, DeadlineMember, @unchecked Sendable {
    typealias Outcome = Result<NetworkResponse, TransportError>

    private let pendingCompletion: Locked<(@Sendable (Outcome) -> Void)?>
    let activity: Locked<URLSessionActivity>
    private let engine: URLSessionEngine
    /// The request before any redirect.
    private let original: NetworkRequest
    /// Reports the progress; `nil` if there is no observer.
    let progress: ProgressReporter?

    var deadline = UInt64.max
    var heapIndex = -1

    // MARK: Only on the engine's queue

    /// The request of the current exchange.
    var request: NetworkRequest
    var origin: String
    var redirects = RedirectTrail()
    var exchange: URLSessionExchange?
    /// Its ticket in the queue of its origin.
    var ticket: UInt64?
    var isEnded = false

    /// - Parameter completion: Called once, on a thread of the session. It must not block.
    init(_ request: NetworkRequest, engine: URLSessionEngine, completion: @escaping @Sendable (Outcome) -> Void) {
        original = request
        self.request = request
        self.engine = engine
        origin = request.origin
        pendingCompletion = Locked(completion)
        progress = ProgressReporter(request.progress, submitted: monotonicNanoseconds())
        activity = Locked(
            URLSessionActivity(
                request.timeouts, limits: engine.limits, headBound: request.headDeadline, now: URLSessionClock.now))
    }

    func cancel() {
        fail(TransportError(.cancelled, "the request was cancelled", request: original))
    }

    func expire(at now: UInt64) {
        fail(activity.withLock { $0.lateness(at: now, of: original) })
    }

    /// Completes the transfer with an error at once, and cancels its task afterwards.
    func fail(_ error: TransportError) {
        if end(.failure(error)) { engine.discard(self) }
    }

    /// Returns the error with the timings that are known.
    private func timed(_ error: TransportError) -> TransportError {
        guard !error.isCancelled, error.timings == nil else { return error }
        var error = error
        error.timings = activity.withLock { $0.timings(at: URLSessionClock.now) }
        return error
    }

    /// Whether its completion was called.
    var isCompleted: Bool { pendingCompletion.withLock { $0 == nil } }

    /// Calls the completion.
    ///
    /// - Returns: `false` if it was called before.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        let completion = pendingCompletion.withLock { pending in
            defer { pending = nil }
            return pending
        }
        guard let completion else { return false }
        let outcome = outcome.mapError(timed)
        progress?.finish { progress in
            guard case .success(let response) = outcome else { return }
            progress.bytesSent = response.timings.bytesSent
            progress.totalBytesToSend = progress.bytesSent
            progress.bytesReceived = response.timings.bytesReceived
            progress.totalBytesToReceive = progress.bytesReceived
        }
        original.progress.whenSettled { completion(outcome) }
        return true
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
}

/// The phase of a transfer and the time of its last activity. Times are nanoseconds of ``URLSessionClock``.
struct URLSessionActivity: Sendable {
    /// The time of the call.
    let submitted: UInt64
    private(set) var totalDeadline: UInt64
    /// The `totalDeadline` of a streamed response whose head was received.
    private let bodyDeadline: UInt64
    /// The deadline for the head of a streamed response, and then for the time without a byte.
    private let headBound: Deadline?
    private let idleTimeout: Duration
    private let idleLimit: UInt64
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

    init(_ timeouts: RequestTimeouts, limits: SessionConfiguration, headBound: Deadline? = nil, now: UInt64) {
        submitted = now
        entered = now
        let total = timeouts.total(limits.totalTimeout)
        bodyDeadline = total.map { now &+ $0.boundedNanoseconds } ?? .max
        totalDeadline = min(bodyDeadline, headBound.map { now &+ $0.remaining.boundedNanoseconds } ?? .max)
        idleTimeout = timeouts.idle ?? limits.idleTimeout
        idleLimit = min(idleTimeout, headBound?.limit ?? idleTimeout).boundedNanoseconds
        self.headBound = headBound
        firstSignLimit = min(idleLimit, timeouts.connect?.boundedNanoseconds ?? .max)
    }

    /// The time at which the transfer is late, as far as is known now.
    var deadline: UInt64 {
        guard let launched else { return totalDeadline }
        let idleDeadline = lastSign.map { $0 &+ idleLimit } ?? (launched &+ firstSignLimit)
        return min(totalDeadline, idleDeadline)
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
    }

    /// Records that bytes were transferred.
    mutating func move(to phase: TransportError.Phase, at now: UInt64) {
        guard launched != nil else { return }
        self.phase = phase
        lastSign = now
    }

    /// Records that the head of the response was received.
    mutating func endHeadBound() {
        totalDeadline = bodyDeadline
    }

    func lateness(at now: UInt64, of request: NetworkRequest) -> TransportError {
        let milliseconds = (now - min(now, submitted)) / 1_000_000
        let what =
            if totalDeadline <= now {
                totalDeadline < bodyDeadline ? Deadline.headLateness : "the total timeout ran out"
            } else if lastSign == nil, firstSignLimit < idleLimit {
                "no activity within the connect timeout"
            } else {
                Deadline.idleLateness(idleTimeout, headBound)
            }
        return TransportError(.timedOut, "\(what), \(milliseconds) ms after the attempt began", phase: phase, request: request)
    }
}
