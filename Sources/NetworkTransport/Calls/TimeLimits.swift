import Endpoints
import NetworkSupport

/// The time limits of a call, as deadlines in nanoseconds of the monotonic clock, and what follows when one has passed.
package struct TimeLimits: Sendable {
    /// When the total timeout ends.
    package private(set) var total = UInt64.max
    /// The idle timeout, in nanoseconds.
    package private(set) var idleNanoseconds: UInt64 = 0
    /// When the connect timeout ends.
    package var connect = UInt64.max
    /// Until when the body of a request with `Expect: 100-continue` waits for a 100.
    package var continuation = UInt64.max
    /// The limit of the time until the head of a streamed response is received, and after that of the time without a byte.
    private var headBound: Deadline?
    /// The `total` of a streamed response from when its head was received.
    private var totalOfBody = UInt64.max

    /// Creates limits that have no effect.
    package init() {}

    /// Creates the limits of a request that was submitted at that time.
    ///
    /// - Parameters:
    ///   - totalTimeout: The total timeout of the session manager.
    ///   - idleTimeout: Its idle timeout, for a request that has no other.
    ///   - now: The current time; `nil` for that of the monotonic clock.
    package init(
        of request: NetworkRequest, totalTimeout: Duration?, idleTimeout: Duration, submitted: UInt64, now: UInt64? = nil
    ) {
        let timeouts = request.timeouts
        if let limit = timeouts.total(totalTimeout) { total = submitted &+ limit.boundedNanoseconds }
        idleNanoseconds = (timeouts.idle ?? idleTimeout).boundedNanoseconds
        guard let deadline = request.headDeadline else { return }
        headBound = deadline
        totalOfBody = total
        total = min(total, (now ?? monotonicNanoseconds()) &+ deadline.remaining.boundedNanoseconds)
        idleNanoseconds = min(idleNanoseconds, deadline.limit.boundedNanoseconds)
    }

    /// Ends the limit of the time until the head, when the head of a streamed response was received.
    package mutating func endHeadBound() {
        guard headBound != nil else { return }
        total = totalOfBody
    }

    /// The reason for an error when `total` has passed.
    package var totalLateness: String {
        headBound != nil && total < totalOfBody ? Deadline.headLateness : "the total timeout ran out"
    }

    /// Returns the reason for an error when no byte was sent or received for the idle timeout.
    package func idleLateness(_ timeout: Duration) -> String { Deadline.idleLateness(timeout, headBound) }

    // MARK: What follows when the time has come

    /// What a transfer does at the moment of a check.
    package enum Activity {
        /// Its connection is being made, or its version of HTTP is found out.
        case connecting
        /// Its body waits for a 100.
        case awaitingContinue
        /// It sends and receives.
        ///
        /// - Parameters:
        ///   - since: When a byte last moved.
        ///   - isUnseen: Whether bytes of the request may leave the socket without an event, so that two looks have to be compared.
        case exchanging(since: UInt64, isUnseen: Bool)
    }

    /// What is done with a transfer after a check.
    package enum Action: Equatable {
        /// The total timeout ran out.
        case endTotal
        /// The connect timeout ran out.
        case endConnecting
        /// No byte has moved for the idle timeout.
        case endIdle
        /// Send the body although there was no 100, and check again at that time.
        case sendBody(nextCheck: UInt64)
        /// Check again at that time.
        case check(at: UInt64)
    }

    /// Decides what to do with a transfer whose check is due.
    package func action(at now: UInt64, for activity: Activity) -> Action {
        if total <= now { return .endTotal }
        switch activity {
        case .connecting: return connect <= now ? .endConnecting : .check(at: min(connect, total))
        case .awaitingContinue: return .sendBody(nextCheck: min(now &+ idleNanoseconds, total))
        case .exchanging(let since, let isUnseen):
            let idle = since &+ idleNanoseconds
            if idle <= now { return .endIdle }
            // What is unseen is compared with what was there half the time before.
            let next = isUnseen ? min(idle, now &+ idleNanoseconds / 2) : idle
            return .check(at: min(next, total))
        }
    }
}
