// How an API is asked.

/// Says what caches may do with the answers of an ``API``.
public protocol APICaching: Sendable {
    /// Sent as `Cache-Control`. What the protocol's rules say by default.
    var cachePolicy: RequestCachePolicy { get }
}

extension APICaching {
    /// ``RequestCachePolicy/protocolRules``.
    public var cachePolicy: RequestCachePolicy { .protocolRules }
}

/// Says how long an ``API`` may take.
public protocol APITimeout: Sendable {
    /// For everything, from the call to the last byte, 1 ms...10^6 s; `nil` for the session manager's. `nil` by default. An API that sets
    /// limits for connecting and for silence states ``Requestable/timeouts`` instead.
    var timeout: Duration? { get }
    /// What becomes of the service's deadline. ``RequestDeadline/default`` by default: it holds.
    var deadline: RequestDeadline { get }
}

extension APITimeout {
    /// `nil`: the session manager's.
    public var timeout: Duration? { nil }
    /// The service's.
    public var deadline: RequestDeadline { .default }
}

/// Says whether loggers hear of an ``API``.
public protocol APILogging: Sendable {
    /// Whether the network logger is told of request, response and failure. `true` by default. What a caller gets thrown, and the logger of
    /// the data transfer layer, do not depend on it.
    var shouldLog: Bool { get }
}

extension APILogging {
    /// `true`
    public var shouldLog: Bool { true }
}

extension RequestContext {
    private enum SilenceKey: RequestContextKey { typealias Value = Bool }

    /// Whether the network logger is told of the request, its response and its failure. `true` unless set.
    public var isLogged: Bool {
        get { self[SilenceKey.self] != true }
        set { self[SilenceKey.self] = newValue ? nil : true }
    }
}
