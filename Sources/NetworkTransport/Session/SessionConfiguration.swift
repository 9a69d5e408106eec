import Endpoints
import Foundation

/// The configuration of a session manager: limits, proxy, cookies and trust. All limits are finite unless noted otherwise.
public struct SessionConfiguration: Sendable, Hashable {
    /// The maximum time for name lookup, TCP connect and TLS handshake together. Default: 10 seconds. For `SocketSessionManager`; with
    /// `URLSessionManager`, only `timeouts.connect` of a request limits the time to its first activity.
    public var connectTimeout: Duration = .seconds(10)
    /// The maximum time without a byte in either direction, once the connection is ready. Default: 60 seconds.
    public var idleTimeout: Duration = .seconds(60)
    /// The maximum time from the call to the last byte, including redirects and waiting for a connection. Default: no limit.
    public var totalTimeout: Duration?
    /// The maximum size of a body in memory, in bytes, after content decoding. Default: 64 MiB.
    public var maximumBodyBytes = 64 << 20
    /// The maximum size of the response head, its interim responses and its trailers together, in bytes. Default: 256 KiB.
    public var maximumHeaderBytes = 256 << 10
    /// The maximum number of field lines of the response head, and of its trailers. Default: 1,000, each of which can have 262 bytes within the
    /// default of ``maximumHeaderBytes``. Session managers that receive the values of one name joined count them as one line.
    public var maximumHeaderFields = 1000
    /// The maximum number of redirects to follow. With 0, a redirect is returned as the response. Default: 10.
    public var maximumRedirects = 10
    /// Whether an `https` URL may redirect to an `http` one. If not, such a redirect is an error. Default: `false`.
    public var allowsInsecureRedirects = false
    /// The maximum number of simultaneous connections to one host and port. Default: 6.
    ///
    /// Further requests wait, in the order of their priority and then of their arrival.
    public var maximumConnectionsPerHost = 6
    /// The maximum number of simultaneous connections to all hosts, including idle ones. Default: 512.
    ///
    /// Further requests wait, in the order of their priority and then of their arrival, and the hosts take turns. Idle connections
    /// to other hosts are closed to make room. For a host that uses HTTP/2, each request counts as a connection, up to ``maximumConnectionsPerHost``.
    public var maximumConnections = 512
    /// The maximum number of connections that were switched to another protocol, such as WebSocket, to all hosts. Default: 1,000. For
    /// `SocketSessionManager`.
    ///
    /// They do not count towards the other limits. A further one is closed, and its request fails with
    /// ``TransportError/Code/outOfResources``.
    public var maximumUpgradedConnections = 1_000
    /// The maximum number of idle connections that are kept open for reuse, to all hosts. Default: 256.
    public var maximumIdleConnections = 256
    /// The maximum time that an idle connection is kept open. Default: 60 seconds. For `SocketSessionManager`.
    ///
    /// A shorter time in the server's `Keep-Alive: timeout` takes precedence.
    public var idleConnectionLifetime: Duration = .seconds(60)
    /// The maximum number of requests that one connection over HTTP/1.1 or HTTP/2 serves before it is closed. Default: no limit.
    ///
    /// For `SocketSessionManager`.
    public var maximumUsesPerConnection: Int?
    /// The maximum ratio of a body's size after content decoding to its size before, checked once the body is larger than 1 MiB.
    /// Default: 200. For `SocketSessionManager`.
    ///
    /// Text rarely reaches the default; a single gzip or deflate coding cannot exceed 1,032.
    public var maximumDecodingRatio = 200
    /// The maximum number of simultaneous requests to one host that uses HTTP/2, where they share connections. Default: 100, as
    /// RFC 9113 §6.5.2 recommends.
    public var maximumStreamsPerHost = 100
    /// Which versions of HTTP are used. Default: ``HTTPVersionChoice/automatic``.
    public var httpVersion = HTTPVersionChoice.automatic
    /// Which versions of HTTP are used for particular hosts, instead of ``httpVersion``.
    ///
    /// Keys are those of ``trustByHost``: `internal.example`, `*.example.com`, `127.0.0.1`, `::1`. An exact name takes precedence, and a
    /// redirect is followed with the choice for the host to which it leads. While any choice is set here, a URL whose host is not in
    /// canonical form, such as `127.1`, is an error (``TransportError/Code/unsupported``).
    public var httpVersionByHost: [String: HTTPVersionChoice] = [:]
    /// The number of threads that transfer bytes, each with separate connections. Default: 1. For `SocketSessionManager`.
    ///
    /// It must lie in 1...64 and not exceed ``maximumConnections``. Two or more help if one loop keeps a processor busy while
    /// others are free. Limits apply to all loops together: each receives its share, as evenly as possible, and a waiting request
    /// takes the first free place in any loop.
    public var eventLoops = 1
    /// Where completions are called. Default: ``CompletionPlace/inBackground``. For `SocketSessionManager`.
    public var completions = CompletionPlace.inBackground
    /// The proxy of the connections. Default: the proxy settings of the environment.
    public var proxy = ProxyConfiguration.environment
    /// How connections reach servers: name lookup, IP family, local address, keep-alive probes. Default: as the system does it.
    public var route = RouteOptions()
    /// Whether hosts are remembered that ask to be contacted over TLS only (HSTS). Default: ``StrictTransport/off``.
    public var strictTransport = StrictTransport.off
    /// The path of a Unix domain socket to which all requests are sent, whatever the host of their URL; at most 107 bytes.
    /// For `SocketSessionManager`; with it, each request of a `URLSessionManager` fails (``TransportError/Code/invalidConfiguration``).
    /// Default: `nil`, which uses TCP.
    public var unixSocketPath: String?
    /// Whether cookies are stored and sent with later requests (RFC 6265), and where. Default: ``SessionCookies/ignored``.
    public var cookies = SessionCookies.ignored
    /// The name of the user or profile that the cookies of ``cookies`` belong to; it must not be secret. Default: `nil`.
    ///
    /// Each store of cookies is a separate ``SessionIdentity``, whose cached responses are not found by the next run of the program. With a name, they
    /// are; different users must have different names.
    public var profile: String?
    /// The `User-Agent` field of requests that do not set one; `nil` sends none.
    public var userAgent: String? = "swift-data-transfer"

    /// The trust policy for servers. Default: the system's certificate authorities and TLS 1.2 or later.
    public var trust = TrustPolicy()
    /// The trust policies for particular hosts, used instead of ``trust`` and not merged with it.
    ///
    /// A redirect is followed under the policy of the host to which it leads.
    ///
    /// Keys are host names or addresses without a port, compared without case: `internal.example`, `127.0.0.1`, `::1`. In
    /// `*.example.com`, the star matches one label, as in certificates (RFC 9525 §6.3): `a.example.com`, but neither
    /// `a.b.example.com` nor `example.com`. An exact name takes precedence. While any policy is set here, an `https` URL whose
    /// host is not in canonical form, such as `127.1`, is an error (``TransportError/Code/trustUnavailable``).
    public var trustByHost: [String: TrustPolicy] = [:]
    /// The file to which the secrets of TLS connections are appended, with which programs such as Wireshark decrypt what was recorded of them (the
    /// format of NSS, as in `SSLKEYLOGFILE`). Default: `nil`, which writes none, whatever the environment contains. For `SocketSessionManager`.
    ///
    /// A program that reads the file can read everything that was sent and received. It is created so that only this user can read it.
    public var tlsKeyLogFile: URL?

    /// Creates a configuration with the defaults, and changes it: `SessionConfiguration { $0.maximumConnectionsPerHost = 64 }`.
    ///
    /// Times must lie between 1 millisecond and 10^6 seconds, `maximumHeaderBytes` must be at least 1024,
    /// `maximumHeaderFields`, `maximumConnectionsPerHost`, `maximumStreamsPerHost`, `maximumConnections`, `maximumUsesPerConnection` and
    /// `maximumDecodingRatio` at least 1, the other counts at least 0; `eventLoops` must lie in 1...64 and not exceed
    /// `maximumConnections`; `httpVersion` must be one of the choices that are defined. Otherwise, session managers fail each request with ``TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameter change: Called once with the defaults, before the initializer returns. Default: changes nothing.
    public init(_ change: (inout SessionConfiguration) -> Void = { _ in }) {
        change(&self)
    }

    /// Checks that all values are valid.
    ///
    /// - Throws: A ``TransportError`` that names the invalid value.
    package func validate() throws(TransportError) {
        let durations = [
            ("connectTimeout", connectTimeout), ("idleTimeout", idleTimeout), ("totalTimeout", totalTimeout ?? .seconds(1)),
            ("idleConnectionLifetime", idleConnectionLifetime),
        ]
        for (name, value) in durations where value < .milliseconds(1) || value > .seconds(1_000_000) {
            throw TransportError(.invalidConfiguration, "\(name) is \(value); it must lie in 1 ms...1000000 s")
        }
        let counts = [
            ("maximumBodyBytes", maximumBodyBytes, 0), ("maximumHeaderBytes", maximumHeaderBytes, 1024),
            ("maximumHeaderFields", maximumHeaderFields, 1),
            ("maximumRedirects", maximumRedirects, 0), ("maximumConnectionsPerHost", maximumConnectionsPerHost, 1),
            ("maximumIdleConnections", maximumIdleConnections, 0),
            ("maximumUpgradedConnections", maximumUpgradedConnections, 0), ("maximumStreamsPerHost", maximumStreamsPerHost, 1),
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
        _ = try HTTPVersionTable(self)
        try route.validate()
        let agent = HeaderFields([HeaderFields.Field(name: "User-Agent", value: userAgent ?? "")])
        if agent[0].value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw TransportError(.invalidConfiguration, "userAgent has a control character")
        }
    }
}

/// What a session manager does with cookies.
public enum SessionCookies: Sendable, Hashable {
    /// They are neither stored nor sent, except for the `Cookie` field that a request sets itself.
    case ignored
    /// They are stored in memory, separately for each session manager, even if two have the same configuration.
    case separate
    /// They are stored in this store, which other session managers may use too, and which can be listed, saved and loaded.
    case stored(in: CookieStore)

    /// The store of a new session manager.
    package var store: CookieStore? {
        switch self {
        case .ignored: nil
        case .separate: CookieStore()
        case .stored(let store): store
        }
    }
}

/// Where `SocketSessionManager` calls completions.
public enum CompletionPlace: Sendable, Hashable {
    /// On ``BackgroundThreads/completions``, where a completion may do work that blocks.
    case inBackground
    /// On the thread of an event loop of the session manager: one change of thread less for each request.
    ///
    /// The response is decoded there too, and error resolvers and loggers run there, even if a queue was passed for the completion. None of
    /// them may block, because all requests of the loop would wait. It has no effect on requests that pass interceptors, or whose body has
    /// files: their completions are called on ``BackgroundThreads/completions``.
    case onEventLoop
}

extension SessionConfiguration {
    package func gateLimits(shards: Int) -> GateLimits {
        GateLimits(
            connectionsPerOrigin: maximumConnectionsPerHost, streamsPerOrigin: maximumStreamsPerHost,
            connections: maximumConnections, shards: shards)
    }

    /// Returns the share of one loop in a limit that applies to all loops together.
    package func share(of limit: Int, loop: Int) -> Int {
        GateLimits.share(of: limit, shard: loop, shards: eventLoops)
    }
}
