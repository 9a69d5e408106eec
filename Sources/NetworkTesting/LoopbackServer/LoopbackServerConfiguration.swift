/// Limits and habits of a ``LoopbackServer``.
public struct LoopbackServerConfiguration: Sendable {
    /// Request line and header fields together, in bytes; also the limit of a chunked request's trailers. A longer head is
    /// answered with 431 and the connection closed. 64 KiB by default.
    public var maximumHeadBytes: Int

    /// Request body in bytes, after the removal of chunked framing. A longer body is answered with 413 and the connection
    /// closed. 256 MiB by default.
    public var maximumBodyBytes: Int

    /// How many of the latest requests ``LoopbackServer/requests`` keeps, bodies included; zero keeps none.
    /// Counting goes on beyond it. 10,000 by default.
    public var maximumRecordedRequests: Int

    /// Whether `Expect: 100-continue` is answered with an interim 100 (RFC 9110 §10.1.1). A server that does not answer
    /// shows how long a client waits. `true` by default.
    public var answersExpectContinue: Bool

    /// How many connections the system may hold that were not accepted yet; the system's own limit applies too.
    /// 1,024 by default.
    public var backlog: Int

    /// What happens to a connection once it is accepted. ``LoopbackListenerBehavior/serve`` by default.
    public var behavior: LoopbackListenerBehavior

    /// - Parameters: see the properties of the same names.
    public init(
        maximumHeadBytes: Int = 64 << 10,
        maximumBodyBytes: Int = 256 << 20,
        maximumRecordedRequests: Int = 10_000,
        answersExpectContinue: Bool = true,
        backlog: Int = 1024,
        behavior: LoopbackListenerBehavior = .serve
    ) {
        self.maximumHeadBytes = maximumHeadBytes
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumRecordedRequests = maximumRecordedRequests
        self.answersExpectContinue = answersExpectContinue
        self.backlog = backlog
        self.behavior = behavior
    }
}
