/// A named stretch of a transfer, such as name lookup, connect or the wait for the first byte.
public struct LoggedPhase: Sendable, Hashable {
    /// What was going on, in lower-case words: `dns`, `connect`, `tls`, `first byte`.
    public var name: String
    /// How long it took.
    public var duration: Duration

    /// Makes a phase.
    public init(name: String, duration: Duration) {
        self.name = name
        self.duration = duration
    }
}
