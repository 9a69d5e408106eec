#if !canImport(Darwin)
    /// The clock that `ContinuousClock` reads.
    var continuousClockID: clockid_t { clockid_t(CLOCK_BOOTTIME) }
#endif
