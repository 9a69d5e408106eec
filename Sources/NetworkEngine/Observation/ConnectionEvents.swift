import NetworkTransport
import NetworkSupport

/// Something that happened to a connection over HTTP/1.1 or HTTP/2, or to a request in the queue in front of the connections.
public struct ConnectionEvent: Sendable, Hashable {
    /// What happened. More values may be added in later versions.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name of the kind.
        public var rawValue: String

        /// Creates a kind with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// Why a connection was closed. More values may be added in later versions.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The name of the reason.
        public var rawValue: String

        /// Creates a reason with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// What happened.
    public var kind: Kind
    /// The scheme, host and port, such as `https://api.example.com:443`.
    public var origin: String
    /// Why the connection was closed, if the kind is ``Kind/closed``; otherwise `nil`.
    public var reason: Reason?
    /// The total number of events that were dropped so far because the reader was late and its buffer was full.
    public var missed: Int

    /// Creates an event.
    public init(_ kind: Kind, origin: String, reason: Reason? = nil, missed: Int = 0) {
        self.kind = kind
        self.origin = origin
        self.reason = reason
        self.missed = missed
    }
}

extension ConnectionEvent.Kind {
    /// A connection was made: TCP, and TLS if the scheme is `https`.
    public static let opened = Self(rawValue: "opened")
    /// A request uses a connection that was used before: an idle one, or one over HTTP/2 that carries other requests too.
    public static let reused = Self(rawValue: "reused")
    /// A connection is kept for the next request.
    public static let becameIdle = Self(rawValue: "becameIdle")
    /// A connection was closed; ``ConnectionEvent/reason`` says why.
    public static let closed = Self(rawValue: "closed")
    /// A connection was switched to another protocol, such as WebSocket (status 101).
    public static let upgraded = Self(rawValue: "upgraded")
    /// A request waits in the queue, because a limit on connections is reached.
    public static let queued = Self(rawValue: "queued")
    /// A request has left the queue and may use a connection.
    public static let admitted = Self(rawValue: "admitted")
    /// A request has left the queue without being sent: it was cancelled, or its total timeout ended.
    public static let withdrawn = Self(rawValue: "withdrawn")
}

extension ConnectionEvent.Reason {
    /// It was idle for `idleConnectionLifetime`, or for the time of `Keep-Alive: timeout`.
    public static let idleTimeout = Self(rawValue: "idleTimeout")
    /// The server has closed the idle connection, or has sent something on it that was not requested.
    public static let server = Self(rawValue: "server")
    /// A limit of the configuration: `maximumIdleConnections`, `maximumConnections`, `maximumUsesPerConnection`.
    public static let limit = Self(rawValue: "limit")
    /// No other request can follow, for example after `Connection: close` (RFC 9112 §9.6).
    public static let notReusable = Self(rawValue: "notReusable")
    /// Its request was cancelled or has failed.
    public static let unfinished = Self(rawValue: "unfinished")
    /// The session manager was closed or released.
    public static let sessionClosed = Self(rawValue: "sessionClosed")
}

/// Passes events to the streams of observers, each of which has a bounded buffer.
final class ConnectionEventHub: Sendable {
    private final class Observer: Sendable {
        let continuation: AsyncStream<ConnectionEvent>.Continuation
        let missed = Locked(0)

        init(_ continuation: AsyncStream<ConnectionEvent>.Continuation) {
            self.continuation = continuation
        }

        func send(_ event: ConnectionEvent) {
            var event = event
            event.missed = missed.withLock { $0 }
            if case .dropped = continuation.yield(event) { missed.withLock { $0 += 1 } }
        }
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var nextKey = 0
        var isFinished = false
    }

    private let state = Locked(State())

    deinit {
        finish()
    }

    /// Whether there is an observer.
    var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

    /// Creates the stream of an observer.
    ///
    /// - Parameters:
    ///   - maximum: The number of events in its buffer, at least 1.
    ///   - onChange: Called when the stream has ended.
    func stream(maximum: Int, onChange: @escaping @Sendable () -> Void) -> AsyncStream<ConnectionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionEvent.self, bufferingPolicy: .bufferingOldest(max(maximum, 1)))
        let key: Int? = state.withLock { state in
            if state.isFinished { return nil }
            state.nextKey += 1
            state.observers[state.nextKey] = Observer(continuation)
            return state.nextKey
        }
        guard let key else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.remove(key)
            onChange()
        }
        return stream
    }

    /// Passes an event to the observers. Events of one thread stay in order.
    func send(_ kind: ConnectionEvent.Kind, _ origin: String, _ reason: ConnectionEvent.Reason? = nil) {
        let observers = state.withLock { Array($0.observers.values) }
        let event = ConnectionEvent(kind, origin: origin, reason: reason)
        for observer in observers { observer.send(event) }
    }

    /// Ends all streams, and those that are created later.
    func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return Array(state.observers.values)
        }
        for observer in observers { observer.continuation.finish() }
    }

    private func remove(_ key: Int) {
        // Released after the lock.
        _ = state.withLock { $0.observers.removeValue(forKey: key) }
    }
}
