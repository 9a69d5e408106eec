import Endpoints

/// The limits of a session manager, and whom it trusts. All limits are finite unless said otherwise, and each can be changed.
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
    /// Connections at a time, over all hosts, idle ones included; further requests wait, first come first served, with each host
    /// taking its turn. Idle connections to other hosts make room. A host that speaks HTTP/2 counts with its requests, but as no more
    /// than ``maximumConnectionsPerHost``. 512.
    public var maximumConnections = 512
    /// Connections kept open for reuse, over all hosts. 256.
    public var maximumIdleConnections = 256
    /// How long an idle connection is kept at most; shorter where the server says `Keep-Alive: timeout`. 60 seconds. For
    /// `CurlSessionManager`.
    public var idleConnectionLifetime: Duration = .seconds(60)
    /// Requests that one HTTP/1.1 connection serves before it is closed; `nil`, the default, sets no limit. For `CurlSessionManager`.
    public var maximumUsesPerConnection: Int?
    /// How many times larger than it was received a body may become when its content coding is undone, once it is larger than 1 MiB. Default:
    /// 200, which text hardly reaches; a single gzip or deflate cannot exceed 1,032. For `CurlSessionManager`.
    public var maximumDecodingRatio = 200
    /// Requests in flight on one host that speaks HTTP/2, where they share connections. 100, as RFC 9113 §6.5.2 recommends.
    public var maximumStreamsPerHost = 100
    /// Threads that move bytes, each with connections of its own; 1...64, and no more than ``maximumConnections``. Two or more pay
    /// off where one keeps a processor busy and others are free. Limits hold for all loops together: each gets its share, as evenly as
    /// numbers allow, and who waits takes the first place that becomes free in any. For `CurlSessionManager`. 1.
    public var eventLoops = 1
    /// Straight or through a proxy. What the environment says by default.
    public var proxy = ProxyConfiguration.environment
    /// A Unix domain socket that all requests are sent to, whatever their URL's host; at most 107 bytes. `nil`: TCP.
    public var unixSocketPath: String?
    /// Whether cookies are stored, in memory, and sent back (RFC 6265). `false`.
    public var storesCookies = false
    /// Sent unless a request has its own; `nil` sends none.
    public var userAgent: String? = "swift-data-transfer"

    /// What servers have to show over TLS. The system's authorities and TLS 1.2 by default.
    public var trust = TrustPolicy()
    /// Policies of their own, in place of ``trust``, for some hosts. Not merged with it; a redirect is followed under the policy
    /// of the host it leads to.
    ///
    /// Keys are host names or addresses without a port, compared without case: `internal.example`, `127.0.0.1`, `::1`. With
    /// `*.example.com`, one label stands for the star, as in certificates (RFC 9525 §6.3): `a.example.com`, but neither
    /// `a.b.example.com` nor `example.com`. An exact name goes first. While there are any, an `https` URL whose host is in no clear
    /// form, such as `127.1`, is an error (``TransportError/Code/trustUnavailable``).
    public var trustByHost: [String: TrustPolicy] = [:]

    /// The defaults.
    ///
    /// Times must lie between 1 millisecond and 10^6 seconds, `maximumHeaderBytes` must be at least 1024,
    /// `maximumConnectionsPerHost`, `maximumStreamsPerHost`, `maximumConnections`, `maximumUsesPerConnection` and `maximumDecodingRatio` at least 1, the other counts at least 0;
    /// `eventLoops` must lie in 1...64 and not exceed `maximumConnections`. Session managers refuse each request otherwise.
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
            ("idleConnectionLifetime", idleConnectionLifetime),
        ]
        for (name, value) in durations where value < .milliseconds(1) || value > .seconds(1_000_000) {
            throw TransportError(.invalidConfiguration, "\(name) is \(value); it must lie in 1 ms...1000000 s")
        }
        let counts = [
            ("maximumBodyBytes", maximumBodyBytes, 0), ("maximumHeaderBytes", maximumHeaderBytes, 1024),
            ("maximumRedirects", maximumRedirects, 0), ("maximumConnectionsPerHost", maximumConnectionsPerHost, 1),
            ("maximumIdleConnections", maximumIdleConnections, 0), ("maximumStreamsPerHost", maximumStreamsPerHost, 1),
            ("maximumConnections", maximumConnections, 1), ("eventLoops", eventLoops, 1),
            ("maximumUsesPerConnection", maximumUsesPerConnection ?? 1, 1), ("maximumDecodingRatio", maximumDecodingRatio, 1),
        ]
        for (name, value, minimum) in counts where value < minimum {
            throw TransportError(.invalidConfiguration, "\(name) is \(value); it must be at least \(minimum)")
        }
        guard eventLoops <= 64 else {
            throw TransportError(.invalidConfiguration, "eventLoops is \(eventLoops); it must lie in 1...64")
        }
        guard eventLoops <= maximumConnections else {
            throw TransportError(
                .invalidConfiguration,
                "eventLoops is \(eventLoops) and maximumConnections \(maximumConnections); each loop needs a connection")
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

extension SessionConfiguration {
    func gateLimits(lanes: Int) -> GateLimits {
        GateLimits(
            connectionsPerOrigin: maximumConnectionsPerHost, streamsPerOrigin: maximumStreamsPerHost,
            connections: maximumConnections, lanes: lanes)
    }

    /// What one loop gets of a limit that is for all.
    func share(of limit: Int, loop: Int) -> Int {
        GateLimits.share(of: limit, lane: loop, lanes: eventLoops)
    }
}
