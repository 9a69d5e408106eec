import Endpoints
import Foundation

/// One request on its way through ``URLSessionEngine``, from the call to the answer, over all redirects.
///
/// Its answer is given once, by whoever comes first: the engine, the clock, a limit, or `cancel()`. Who gives it then has the
/// engine tear down what is left.
// Sendable although unchecked: `answer` and `activity` are behind their locks, `deadline` and `heapIndex` belong to the clock's
// lock, and each `var` below the mark is touched on the engine's queue alone.
final class URLSessionTransfer: NetworkCancellable, DeadlineMember, @unchecked Sendable {
    typealias Outcome = Result<NetworkResponse, TransportError>

    private let answer: Locked<(@Sendable (Outcome) -> Void)?>
    let activity: Locked<URLSessionActivity>
    private let engine: URLSessionEngine
    /// The first hop's.
    private let original: NetworkRequest
    /// `nil` when nobody listens.
    let progress: ProgressReporter?

    var deadline = UInt64.max
    var heapIndex = -1

    // MARK: The engine's own

    /// That of the current hop.
    var request: NetworkRequest
    var origin: String
    var redirects = 0
    var hop: URLSessionHop?
    /// Its place in the line of its origin.
    var ticket: UInt64?
    var isEnded = false

    /// - Parameter completion: Runs once, on a thread of the session's: it must not block.
    init(_ request: NetworkRequest, engine: URLSessionEngine, completion: @escaping @Sendable (Outcome) -> Void) {
        original = request
        self.request = request
        self.engine = engine
        origin = request.origin
        answer = Locked(completion)
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

    /// Answers at once, and has the transfer torn down behind it.
    func fail(_ error: TransportError) {
        if end(.failure(error)) { engine.discard(self) }
    }

    /// The same failure, with what is known of where the time went.
    private func timed(_ error: TransportError) -> TransportError {
        guard !error.isCancelled, error.timings == nil else { return error }
        var error = error
        error.timings = activity.withLock { $0.timings(at: URLSessionClock.now) }
        return error
    }

    /// Whether nobody waits any more.
    var isAnswered: Bool { answer.withLock { $0 == nil } }

    /// - Returns: `false` when it had been answered before.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        let completion = answer.withLock { answer in
            defer { answer = nil }
            return answer
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

    /// The head of the response has come.
    func endHeadBound() {
        activity.withLock { $0.endHeadBound() }
    }

    /// Bytes have moved.
    func move(to phase: TransportError.Phase) {
        let now = URLSessionClock.now
        activity.withLock { $0.move(to: phase, at: now) }
    }
}

/// What is known of how far a transfer has come, and when it last moved. Times are nanoseconds of ``URLSessionClock``.
struct URLSessionActivity: Sendable {
    /// When it was called.
    let submitted: UInt64
    private(set) var totalDeadline: UInt64
    /// The `totalDeadline` of a streamed response whose head has come.
    private let bodyDeadline: UInt64
    /// What bounds the time to the head of a streamed response, and then the time without a byte.
    private let headBound: Deadline?
    private let idleTimeout: Duration
    private let idleLimit: UInt64
    private let firstSignLimit: UInt64

    /// `nil` between leaving the queue and the first sign of life: connecting and waiting look alike.
    private(set) var phase: TransportError.Phase? = .queued
    private(set) var launched: UInt64?
    /// Nanoseconds of waiting, in all hops so far.
    private(set) var queued: UInt64 = 0
    private var entered: UInt64
    private var lastSign: UInt64?

    init(_ timeouts: RequestTimeouts, limits: SessionConfiguration, headBound: Deadline? = nil, now: UInt64) {
        submitted = now
        entered = now
        let total = timeouts.total ?? limits.totalTimeout
        bodyDeadline = total.map { now &+ $0.boundedNanoseconds } ?? .max
        totalDeadline = min(bodyDeadline, headBound.map { now &+ $0.remaining.boundedNanoseconds } ?? .max)
        idleTimeout = timeouts.idle ?? limits.idleTimeout
        idleLimit = min(idleTimeout, headBound?.limit ?? idleTimeout).boundedNanoseconds
        self.headBound = headBound
        firstSignLimit = min(idleLimit, timeouts.connect?.boundedNanoseconds ?? .max)
    }

    /// When it is late, as far as can be told now.
    var deadline: UInt64 {
        guard let launched else { return totalDeadline }
        let idleDeadline = lastSign.map { $0 &+ idleLimit } ?? (launched &+ firstSignLimit)
        return min(totalDeadline, idleDeadline)
    }

    /// The two times that are known of a transfer that has no response.
    func timings(at now: UInt64) -> TransferTimings {
        let waiting = launched == nil ? now - min(now, entered) : 0
        return TransferTimings(
            queued: .nanoseconds(Int64(clamping: queued + waiting)),
            total: .nanoseconds(Int64(clamping: now - min(now, submitted))))
    }

    mutating func enterQueue(at now: UInt64) {
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

    /// Bytes have moved.
    mutating func move(to phase: TransportError.Phase, at now: UInt64) {
        guard launched != nil else { return }
        self.phase = phase
        lastSign = now
    }

    /// The head of the response has come.
    mutating func endHeadBound() {
        totalDeadline = bodyDeadline
    }

    func lateness(at now: UInt64, of request: NetworkRequest) -> TransportError {
        let milliseconds = (now - min(now, submitted)) / 1_000_000
        let what =
            if totalDeadline <= now {
                totalDeadline < bodyDeadline ? Deadline.headLateness : "the total timeout ran out"
            } else if lastSign == nil, firstSignLimit < idleLimit {
                "no sign of life for the connect timeout"
            } else {
                Deadline.idleLateness(idleTimeout, headBound)
            }
        return TransportError(.timedOut, "\(what), \(milliseconds) ms after the call", phase: phase, request: request)
    }
}
