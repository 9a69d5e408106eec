import Endpoints

/// The limits of a session manager. All are finite unless said otherwise, and each can be changed.
public struct SessionConfiguration: Sendable, Hashable {
    /// Name lookup, TCP and TLS together. 10 seconds.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest time without a byte in either direction, once the connection is ready. 60 seconds.
    public var idleTimeout: Duration = .seconds(60)
    /// Everything, from the call to the last byte, waiting for a connection and redirects included. None by default.
    public var totalTimeout: Duration?
    /// The largest body kept in memory, counted after content decoding. 64 MiB.
    public var maximumBodyBytes = 64 << 20
    /// The largest response head, all field lines together. 256 KiB.
    public var maximumHeaderBytes = 256 << 10
    /// 10; with 0, a redirect is handed back as it is.
    public var maximumRedirects = 10
    /// Whether an `https` URL may redirect to an `http` one. `false`: it is an error.
    public var allowsInsecureRedirects = false
    /// Connections to one host and port at a time; further requests wait, first come first served. 6.
    public var maximumConnectionsPerHost = 6
    /// Connections kept open for reuse, over all hosts. 256.
    public var maximumIdleConnections = 256
    /// Requests in flight on one host that speaks HTTP/2, where they share connections. 100, as RFC 9113 §6.5.2 recommends.
    public var maximumStreamsPerHost = 100
    /// Straight or through a proxy. What the environment says by default.
    public var proxy = ProxyConfiguration.environment
    /// A Unix domain socket that all requests are sent to, whatever their URL's host; at most 107 bytes. `nil`: TCP.
    public var unixSocketPath: String?
    /// Whether cookies are stored, in memory, and sent back (RFC 6265). `false`.
    public var storesCookies = false
    /// Sent unless a request has its own; `nil` sends none.
    public var userAgent: String? = "swift-data-transfer"

    /// The defaults.
    ///
    /// Times must lie between 1 millisecond and 10^6 seconds, `maximumHeaderBytes` must be at least 1024,
    /// `maximumConnectionsPerHost` at least 1, the other counts at least 0. Session managers refuse each request otherwise.
    public init() {}

    /// Made in place: `SessionConfiguration { $0.maximumConnectionsPerHost = 64 }`.
    ///
    /// - Parameter change: Runs at once.
    public init(_ change: (inout SessionConfiguration) -> Void) {
        change(&self)
    }

    /// - Throws: A ``TransportError`` that names the limit which makes no sense.
    func validate() throws(TransportError) {
        let durations = [
            ("connectTimeout", connectTimeout), ("idleTimeout", idleTimeout), ("totalTimeout", totalTimeout ?? .seconds(1)),
        ]
        for (name, value) in durations where value < .milliseconds(1) || value > .seconds(1_000_000) {
            throw TransportError(.invalidConfiguration, "\(name) is \(value); it must lie in 1 ms...1000000 s")
        }
        let counts = [
            ("maximumBodyBytes", maximumBodyBytes, 0), ("maximumHeaderBytes", maximumHeaderBytes, 1024),
            ("maximumRedirects", maximumRedirects, 0), ("maximumConnectionsPerHost", maximumConnectionsPerHost, 1),
            ("maximumIdleConnections", maximumIdleConnections, 0), ("maximumStreamsPerHost", maximumStreamsPerHost, 1),
        ]
        for (name, value, minimum) in counts where value < minimum {
            throw TransportError(.invalidConfiguration, "\(name) is \(value); it must be at least \(minimum)")
        }
        if let path = unixSocketPath, !(1...107).contains(path.utf8.count) || path.utf8.contains(0) {
            throw TransportError(
                .invalidConfiguration, "unixSocketPath has \(path.utf8.count) bytes; it must have 1...107, none of them NUL")
        }
        try proxy.validate()
        let agent = HTTPHeaders([HTTPHeaders.Field(name: "User-Agent", value: userAgent ?? "")])
        if agent[0].value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw TransportError(.invalidConfiguration, "userAgent has a control character")
        }
    }
}
