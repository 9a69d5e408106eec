import Endpoints
import NetworkCore

/// A clock that moves only when it is told to.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(5)) }
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(5))
/// ```
public final class ManualClock: Clock {
    /// Time since the clock was made.
    public struct Instant: InstantProtocol {
        /// Since the clock was made; negative where it was moved back beyond.
        public var offset: Duration

        /// An instant this long after the clock was made.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// The instant this much later.
        ///
        /// Both this and the duration count as 10^12 seconds at most, either way.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: Self.bounded(offset) + Self.bounded(duration)) }
        /// The time from this instant to another; negative where that is earlier. Within the same bounds.
        public func duration(to other: Instant) -> Duration { Self.bounded(other.offset) - Self.bounded(offset) }
        /// Whether the left one is earlier.
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
        /// Sleepers whose task was cancelled before they lay down.
        var cancelled: Set<Int> = []
        var lastSleeper = 0
        var observers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        /// Observers whose task was cancelled before they began to wait.
        var cancelledObservers: Set<Int> = []
    }

    private let state = Locked(State())

    /// A clock that stands at 0.
    public init() {}

    /// Where the clock stands.
    public var now: Instant { state.withLock(\.now) }
    /// Zero.
    public var minimumResolution: Duration { .zero }
    /// Tasks that sleep now.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Moves the clock on and wakes whoever is due, earliest first. It may move back too, which wakes nobody.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
    }

    /// Sleeps until the clock was moved to `deadline`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let key = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        let wasWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in lieDown(key, deadline, continuation) }
        } onCancel: {
            cancel(key)
        }
        // A cancellation that came after the waking left its mark.
        state.withLock { _ = $0.cancelled.remove(key) }
        if !wasWoken { throw CancellationError() }
    }

    /// Returns once at least `count` tasks sleep, or its own task is cancelled.
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

    private func lieDown(_ key: Int, _ deadline: Instant, _ continuation: CheckedContinuation<Bool, Never>) {
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
