import DataTransfer

/// How a ``ReplaySessionManager`` finds answers and gives them.
public struct ReplayOptions: Sendable {
    /// Whether query items may stand in another order than recorded; those of one name may not. `true`.
    public var ignoresQueryOrder = true
    /// Names of query items that do not matter, such as a time stamp. None.
    public var ignoredQueryItems: Set<String> = []
    /// Whether scheme, host and port do not matter, as with a server on a port of its own in each run. `false`.
    public var ignoresOrigin = false
    /// Whether the body matters. `true`; with `false` it is not even read.
    public var matchesBody = true
    /// Whether a request that was answered as often as it was recorded gets the last of these answers again. `true`; with `false` it fails.
    public var repeatsLastAnswer = true
    /// Whether an answer takes as long as it did when it was recorded. `false`.
    public var reproducesDelays = false
    /// What such a delay is measured with.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// What secrets a recorded multipart form has lost; as given to the ``RecordingSessionManager``.
    public var redaction = Redaction.default
    /// The largest request body that is compared, in bytes. 64 MiB.
    public var maximumBodyBytes = 64 << 20

    /// The defaults.
    public init() {}

    /// Made in place: `ReplayOptions { $0.ignoresOrigin = true }`.
    ///
    /// - Parameter change: Runs at once.
    public init(_ change: (inout ReplayOptions) -> Void) {
        change(&self)
    }
}
