#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    /// The time limits of a transfer, as deadlines in nanoseconds of the monotonic clock.
    struct TimeLimits {
        /// When the total timeout ends.
        private(set) var total = UInt64.max
        /// The idle timeout, in nanoseconds.
        private(set) var idleNanoseconds: UInt64 = 0
        /// When the connect timeout ends.
        var connect = UInt64.max
        /// Until when the body of a request with `Expect: 100-continue` waits for a 100.
        var continuation = UInt64.max
        /// The limit of the time until the head of a streamed response is received, and after that of the time without a byte.
        private var headBound: Deadline?
        /// The `total` of a streamed response from when its head was received.
        private var totalOfBody = UInt64.max

        /// Creates limits that have no effect.
        init() {}

        /// Creates the limits of a request that was submitted at that time.
        init(of request: NetworkRequest, _ configuration: SessionConfiguration, submitted: UInt64) {
            let timeouts = request.timeouts
            if let limit = timeouts.total(configuration.totalTimeout) { total = submitted &+ limit.boundedNanoseconds }
            idleNanoseconds = (timeouts.idle ?? configuration.idleTimeout).boundedNanoseconds
            guard let deadline = request.headDeadline else { return }
            headBound = deadline
            totalOfBody = total
            total = min(total, monotonicNanoseconds() &+ deadline.remaining.boundedNanoseconds)
            idleNanoseconds = min(idleNanoseconds, deadline.limit.boundedNanoseconds)
        }

        /// Ends the limit of the time until the head, when the head of a streamed response was received.
        mutating func endHeadBound() {
            guard headBound != nil else { return }
            total = totalOfBody
        }

        /// The reason for an error when `total` has passed.
        var totalLateness: String {
            headBound != nil && total < totalOfBody ? Deadline.headLateness : "the total timeout ran out"
        }

        /// Returns the reason for an error when no byte was sent or received for the idle timeout.
        func idleLateness(_ timeout: Duration) -> String { Deadline.idleLateness(timeout, headBound) }
    }

    extension LoopTransfer {
        /// The reason for an error when no byte was sent or received for the idle timeout.
        var idleLateness: String { timeLimits.idleLateness(request.timeouts.idle ?? limits.idleTimeout) }

        /// Creates the error for a time limit that was exceeded.
        func lateness(_ what: String, phase: TransportError.Phase?, _ now: UInt64) -> TransportError {
            let milliseconds = (now - min(now, submitted)) / 1_000_000
            var error = TransportError(
                .timedOut, "\(what), \(milliseconds) ms after the attempt began", phase: phase, request: request)
            if phase == .queued { error.timings = timings(now) }
            return error
        }
    }
#endif
