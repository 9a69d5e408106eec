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
