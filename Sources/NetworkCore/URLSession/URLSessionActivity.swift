import Endpoints
import Foundation

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
