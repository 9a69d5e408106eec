/// Tells the time since now on a clock. For the continuous one without the detour through its protocol.
package func stopwatch<Time: Clock<Duration>>(_ clock: Time) -> @Sendable () -> Duration {
    if let clock = clock as? ContinuousClock {
        let start = clock.now
        return { start.duration(to: ContinuousClock.now) }
    }
    let start = clock.now
    return { start.duration(to: clock.now) }
}
