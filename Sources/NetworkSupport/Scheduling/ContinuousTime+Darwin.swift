#if canImport(Darwin)
    import Darwin

    /// The clock that `ContinuousClock` reads.
    var continuousClockID: clockid_t { CLOCK_MONOTONIC_RAW }
#endif
