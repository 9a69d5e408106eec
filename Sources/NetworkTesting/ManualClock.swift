import Endpoints
import NetworkCore

/// A clock whose time changes only when ``advance(by:)`` is called.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(5)) }
/// await clock.waitForSleepers(1)
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
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: Sleeper] = [:]
        /// Sleepers whose task was cancelled before they were added to `sleepers`.
        var cancelled: Set<Int> = []
        var lastSleeper = 0
        var observers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        /// Observers whose task was cancelled before they were added to `observers`.
        var cancelledObservers: Set<Int> = []
    }

    private let state = Locked(State())

    /// Creates a clock whose time is 0.
    public init() {}

    /// The current time of the clock.
    public var now: Instant { state.withLock(\.now) }
    /// The smallest difference between two instants; always zero.
    public var minimumResolution: Duration { .zero }
    /// The number of tasks that are sleeping now.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

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
        for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
    }

    /// Suspends until the clock reaches `deadline`.
    ///
    /// - Parameter tolerance: Ignored.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let key = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        let wasWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in addSleeper(key, deadline, continuation) }
        } onCancel: {
            cancel(key)
        }
        // A cancellation after the wake-up added the key to `cancelled`.
        state.withLock { _ = $0.cancelled.remove(key) }
        if !wasWoken { throw CancellationError() }
    }

    /// Suspends until at least `count` tasks are sleeping, or the current task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        let key = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isOver = state.sleepers.count >= count || state.cancelledObservers.contains(key)
                    if !isOver { state.observers[key] = (count, continuation) }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let observer = state.withLock { state in
                state.cancelledObservers.insert(key)
                return state.observers.removeValue(forKey: key)
            }
            observer?.continuation.resume()
        }
        state.withLock { _ = $0.cancelledObservers.remove(key) }
    }

    private func addSleeper(_ key: Int, _ deadline: Instant, _ continuation: CheckedContinuation<Bool, Never>) {
        let (result, observers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.remove(key) != nil { return (false, []) }
            if deadline <= state.now { return (true, []) }
            state.sleepers[key] = Sleeper(deadline: deadline, continuation: continuation)
            let count = state.sleepers.count
            let met = state.observers.filter { $0.value.count <= count }
            for key in met.keys { state.observers[key] = nil }
            return (nil, met.values.map(\.continuation))
        }
        if let result { continuation.resume(returning: result) }
        for observer in observers { observer.resume() }
    }

    private func cancel(_ key: Int) {
        let sleeper = state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: key)
            if sleeper == nil { state.cancelled.insert(key) }
            return sleeper
        }
        sleeper?.continuation.resume(returning: false)
    }
}
