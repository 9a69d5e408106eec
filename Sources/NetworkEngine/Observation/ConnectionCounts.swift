import NetworkTransport

/// The connections of a session manager and the requests that wait for one, in all and for each origin.
///
/// Always, `total` is the sum of `byOrigin`, and each `open` is `idle + active`. No number is negative.
public struct PoolCounts: Sendable, Hashable {
    /// The numbers of all origins together.
    public var total: ConnectionCounts
    /// The numbers of each origin for which one of them is not 0. A key is a scheme, a host and a port, such as
    /// `https://api.example.com:443`.
    public var byOrigin: [String: ConnectionCounts]

    /// Creates counts whose total is the sum of those of the origins.
    public init(byOrigin: [String: ConnectionCounts] = [:]) {
        self.byOrigin = byOrigin.filter { $0.value != ConnectionCounts() }
        total = byOrigin.values.reduce(into: ConnectionCounts()) { $0.add($1) }
    }
}

/// Numbers of connections, and of requests that wait for one, at one moment.
public struct ConnectionCounts: Sendable, Hashable {
    /// The number of open HTTP/1.1 connections that no request uses.
    public var idle: Int
    /// The number of open HTTP/1.1 connections on which a request is sent or its response is received. Each has one request.
    public var active: Int
    /// The number of connections that are being made, before HTTP is sent on them.
    public var connecting: Int
    /// The number of requests in the queue: they wait for a connection, because a limit of the configuration is reached, or for a
    /// stream, because the server permits no more of them (RFC 9113 §5.1.2). Requests that wait until the version
    /// of HTTP of their origin is known are in none of these numbers.
    public var waiting: Int
    /// The number of requests that use HTTP/2, each as one stream.
    public var streams: Int
    /// The number of open connections over HTTP/2, idle ones included.
    public var multiplexed: Int
    /// The number of connections that were switched to another protocol, such as WebSocket.
    public var upgraded: Int

    /// The number of open HTTP/1.1 connections: `idle + active`.
    public var open: Int { idle &+ active }

    /// Creates counts. Each default is 0.
    public init(
        idle: Int = 0, active: Int = 0, connecting: Int = 0, waiting: Int = 0, streams: Int = 0, multiplexed: Int = 0,
        upgraded: Int = 0
    ) {
        self.idle = idle
        self.active = active
        self.connecting = connecting
        self.waiting = waiting
        self.streams = streams
        self.multiplexed = multiplexed
        self.upgraded = upgraded
    }

    /// Adds other counts. The numbers of a process fit; others wrap around.
    mutating func add(_ other: ConnectionCounts) {
        idle &+= other.idle
        active &+= other.active
        connecting &+= other.connecting
        waiting &+= other.waiting
        streams &+= other.streams
        multiplexed &+= other.multiplexed
        upgraded &+= other.upgraded
    }
}
