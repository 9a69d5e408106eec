import NetworkSupport

/// The properties that a connection must have in order to be used for a request.
struct ConnectionKey: Hashable {
    /// Which versions of HTTP a connection speaks, or may turn out to speak while it is being made.
    enum Versions: Hashable {
        case http1
        case http2
        /// One of the two, by which the handshake agrees on one (RFC 7301).
        case either
        /// Over QUIC.
        case http3

        var includesHTTP1: Bool { self == .http1 || self == .either }
        var includesHTTP2: Bool { self == .http2 || self == .either }
    }

    var origin: String
    /// The number of the trust policy.
    var trust: Int
    var versions = Versions.http1

    /// The same for connections that speak HTTP/2.
    var overHTTP2: ConnectionKey { ConnectionKey(origin: origin, trust: trust, versions: .http2) }
}

/// How many connections an event loop may have, and for how long.
struct ConnectionLimits {
    /// The maximum number of idle connections; with 0, none is kept.
    var maximumIdle: Int
    /// The number of connections from which on a new one replaces one that no request uses.
    var maximumOpen: Int
    /// How long a connection may stay idle, in nanoseconds; with 0, none is kept.
    var idleLifetime: UInt64
    /// The maximum number of requests on one connection; `nil` for no limit.
    var maximumUses: Int?

    /// Whether connections are kept after their request.
    var keepsConnections: Bool { maximumIdle > 0 && idleLifetime > 0 }
}

/// Which connections that no request uses an event loop keeps for later ones, how many it has, and which of them have to be closed.
///
/// A state machine that owns no socket: its caller performs the actions that it returns.
struct ConnectionPool<Connection: PoolMember> {
    /// What became of a connection whose request has ended.
    enum Keeping {
        /// It is idle. If there are now too many, the one with the least time left was removed and has to be closed.
        case kept(surplus: Connection?)
        /// It is not in the pool and has to be closed.
        case refused
    }

    /// What makes room for a new connection.
    enum Eviction {
        /// Give up an attempt to connect that no request waits for.
        case giveUpAttempt
        /// Close this connection, which was idle and is no longer in the pool.
        case close(Connection)
    }

    let limits: ConnectionLimits
    private var idle = KeyedPool<Connection>()
    /// The number of connections: in use, idle and being made.
    private(set) var open = 0

    init(_ limits: ConnectionLimits) {
        self.limits = limits
    }

    /// All idle connections, in no particular order.
    var idleConnections: [Connection] { idle.all }

    /// When the next idle connection has to be closed; `UInt64.max` without one.
    var deadline: UInt64 { idle.first?.deadline ?? .max }

    /// Counts an attempt to connect, or an upgraded connection that has to be closed as any other.
    mutating func add() {
        open += 1
    }

    /// Stops counting a connection: it was closed or upgraded, or the attempt to make it has ended.
    mutating func subtract() {
        open -= 1
    }

    /// Removes and returns the idle connection with this key that was used last, so that the others can expire.
    mutating func take(_ key: ConnectionKey) -> Connection? {
        idle.take(key)
    }

    /// Removes an idle connection. Does nothing if it is in use.
    mutating func remove(_ connection: Connection) {
        idle.remove(connection)
    }

    /// Keeps a connection whose request has ended, unless the limits forbid that.
    ///
    /// - Parameters:
    ///   - uses: The number of requests that were sent on it.
    ///   - seconds: How long the server keeps it open (`Keep-Alive: timeout`, RFC 2068 §19.7.1.1); `nil` if it does not say.
    mutating func keep(_ connection: Connection, uses: Int, serverSeconds seconds: Int?, at now: UInt64) -> Keeping {
        var lifetime = limits.idleLifetime
        if let seconds {
            // The server's time began earlier.
            lifetime = min(
                lifetime,
                seconds < 2 ? UInt64(max(seconds, 0)) * 500_000_000 : UInt64(min(seconds, 1_000_000) - 1) * 1_000_000_000)
        }
        let isSpent = limits.maximumUses.map { uses >= $0 } ?? false
        guard limits.maximumIdle > 0, lifetime > 0, !isSpent else { return .refused }
        connection.deadline = now &+ lifetime
        idle.put(connection)
        guard idle.count > limits.maximumIdle else { return .kept(surplus: nil) }
        return .kept(surplus: removeFirst())
    }

    /// Removes and returns an idle connection whose time is over. To be called until it returns `nil`.
    mutating func removeLate(at now: UInt64) -> Connection? {
        guard let first = idle.first, first.deadline <= now else { return nil }
        return removeFirst()
    }

    /// Removes and returns the idle connection with the least time left.
    mutating func removeFirst() -> Connection? {
        guard let first = idle.first else { return nil }
        idle.remove(first)
        return first
    }

    /// Returns what to end so that a new connection is within the limit; `nil` if nothing has to or can be ended. To be called until it
    /// returns `nil`.
    ///
    /// - Parameters:
    ///   - attempts: The number of connections that are being made, which are not counted here.
    ///   - hasAttempts: Whether there is an attempt that no request waits for.
    mutating func makeRoom(beside attempts: Int, hasAttempts: Bool) -> Eviction? {
        guard open + attempts >= limits.maximumOpen else { return nil }
        return hasAttempts ? .giveUpAttempt : removeFirst().map { .close($0) }
    }
}
