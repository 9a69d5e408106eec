/// The limits and behavior of a ``LoopbackServer``.
public struct LoopbackServerConfiguration: Sendable {
    /// The maximum size of request line and header fields together, in bytes; also that of the trailers of a chunked request.
    /// A longer head gets a 431, and the connection is closed. Default: 64 KiB.
    public var maximumHeadBytes: Int

    /// The maximum size of a request body in bytes, without chunked framing. A longer body gets a 413, and the connection is
    /// closed. Default: 256 MiB.
    public var maximumBodyBytes: Int

    /// The maximum number of requests in ``LoopbackServer/requests``, which keeps the latest with their bodies; 0 keeps none.
    /// ``LoopbackServer/requestCount`` is not limited. Default: 10,000.
    public var maximumRecordedRequests: Int

    /// Whether the server responds to `Expect: 100-continue` with an interim 100 (RFC 9110 §10.1.1). With `false`, a test can
    /// observe how long a client waits. Default: `true`.
    public var sendsContinue: Bool

    /// The maximum number of connections that the system queues until they are accepted; the system's own limit also applies.
    /// Default: 1,024.
    public var backlog: Int

    /// What the server does with accepted connections. Default: ``LoopbackListenerBehavior/serve``.
    public var behavior: LoopbackListenerBehavior

    /// Creates a configuration. The parameters correspond to the properties of the same names.
    public init(
        maximumHeadBytes: Int = 64 << 10,
        maximumBodyBytes: Int = 256 << 20,
        maximumRecordedRequests: Int = 10_000,
        sendsContinue: Bool = true,
        backlog: Int = 1024,
        behavior: LoopbackListenerBehavior = .serve
    ) {
        self.maximumHeadBytes = maximumHeadBytes
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumRecordedRequests = maximumRecordedRequests
        self.sendsContinue = sendsContinue
        self.backlog = backlog
        self.behavior = behavior
    }
}

/// The behavior of a ``LoopbackServer`` towards accepted connections.
public enum LoopbackListenerBehavior: Hashable, Sendable {
    /// Reads and routes requests and sends responses.
    case serve

    /// Reads requests and records complete ones, but never sends a byte: no response, no interim 100, no 400. Handlers do not
    /// run.
    case neverRespond

    /// Closes each connection in an orderly way (FIN) as soon as it is accepted.
    case closeOnAccept

    /// Resets each connection (RST) as soon as it is accepted.
    case resetOnAccept
}
