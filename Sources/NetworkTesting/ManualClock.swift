import Endpoints
import NetworkCore
import NetworkSupport

/// A clock whose time changes only when ``advance(by:)`` is called.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(5)) }
/// await clock.waitForSleepers(count: 1)
/// clock.advance(by: .seconds(5))
/// ```
public final class ManualClock: Clock {
    /// A point in time, measured from the creation of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the creation of the clock; negative if the clock was moved back further than that.
        public var offset: Duration

        /// Creates an instant this long after the creation of the clock.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// Returns the instant that is later by a duration, or earlier if the duration is negative.
        ///
        /// The offset and the duration are each limited to ±10^12 seconds.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: Self.bounded(offset) + Self.bounded(duration)) }
        /// Returns the time from this instant to another; negative if the other is earlier.
        ///
        /// Both offsets are limited to ±10^12 seconds.
        public func duration(to other: Instant) -> Duration { Self.bounded(other.offset) - Self.bounded(offset) }
        /// Returns whether the left instant is earlier than the right one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        private static func bounded(_ duration: Duration) -> Duration {
            duration.clamped(to: .seconds(-1_000_000_000_000)...(.seconds(1_000_000_000_000)))
        }
    }

    private struct Sleeper {
        var deadline: Instant
        /// Its value is `false` if the task was cancelled.
        var wakeUp: Promise<Bool>
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: Sleeper] = [:]
        var observers: [Int: (count: Int, promise: Promise<Void>)] = [:]
        var lastKey = 0

        mutating func nextKey() -> Int {
            lastKey += 1
            return lastKey
        }
    }

    private let state = Locked(State())

    /// Creates a clock whose time is 0.
    public init() {}

    /// The current time of the clock.
    public var now: Instant { state.withLock(\.now) }
    /// The smallest difference between two instants; always zero.
    public var minimumResolution: Duration { .zero }
    /// The number of tasks that are sleeping now.
    package var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Advances the clock, and resumes the tasks whose deadline is reached, earliest deadline first.
    ///
    /// A negative duration moves the clock back and resumes no task.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in due { sleeper.wakeUp.resolve(true) }
    }

    /// Suspends until the clock reaches `deadline`.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the task is resumed.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let wakeUp = Promise<Bool>()
        let (key, observers): (Int?, [Promise<Void>]) = state.withLock { state in
            if deadline <= state.now { return (nil, []) }
            let key = state.nextKey()
            state.sleepers[key] = Sleeper(deadline: deadline, wakeUp: wakeUp)
            let count = state.sleepers.count
            let met = state.observers.filter { $0.value.count <= count }
            for key in met.keys { state.observers[key] = nil }
            return (key, met.values.map(\.promise))
        }
        guard let key else { return }
        for observer in observers { observer.resolve(()) }
        let wasWoken = await wakeUp.value(cancellation: { [state] in
            state.withLock { $0.sleepers[key] = nil }
            return false
        })
        if !wasWoken { throw CancellationError() }
    }

    /// Suspends until at least `count` tasks are sleeping, or the current task is cancelled.
    public func waitForSleepers(count: Int) async {
        let promise = Promise<Void>()
        let key: Int? = state.withLock { state in
            if state.sleepers.count >= count { return nil }
            let key = state.nextKey()
            state.observers[key] = (count, promise)
            return key
        }
        guard let key else { return }
        await promise.value(cancellation: { [state] in state.withLock { $0.observers[key] = nil } })
    }
}
