import Endpoints
import NetworkSupport
import NetworkTransport

/// A connection that carries several requests at the same time, each on a stream.
protocol MultiplexedConnection: AnyObject {
    var key: ConnectionKey { get }
    /// Whether it takes another request now.
    var hasRoom: Bool { get }
    /// Whether it is one of the connections of which there is a largest number. One that takes no more requests need not be: it is needed by at least
    /// one request, the number of which is limited too.
    var isCounted: Bool { get }
    /// Whether it is about to become known how many requests it takes, so that no other connection is made meanwhile.
    var isSettling: Bool { get }
}

extension MultiplexedConnection {
    var isCounted: Bool { true }
}

/// The connections of an event loop that carry several requests, and the requests that wait for room on one of them.
///
/// A state machine that owns no socket: its caller makes the connections, sends the requests and reports what has changed.
struct StreamPool<Connection: MultiplexedConnection, Member> {
    /// What to do with a request.
    enum Placement {
        /// Send it on this connection.
        case use(Connection)
        /// Make a connection for it, and report that with ``beginAttempt(_:)``.
        case connect
        /// Let it wait, with ``wait(_:for:priority:)``.
        case wait
    }

    private struct Group {
        var connections: [Connection] = []
        /// The number of connections that are being made and may turn out to carry several requests.
        var attempts = 0
        var waiting = PriorityQueue<Member>()

        var isEmpty: Bool { connections.isEmpty && attempts == 0 && waiting.isEmpty }
    }

    /// The largest number of connections for a key.
    private let maximum: Int
    private var groups: [ConnectionKey: Group] = [:]
    /// Until when no connection is made for a key.
    private var pauses: [ConnectionKey: UInt64] = [:]
    private var nextTicket: UInt64 = 0
    /// The number of requests that wait, for any key.
    private(set) var waiting = 0

    /// Creates an empty pool.
    ///
    /// - Parameter maximum: The largest number of connections for a key, at least 1.
    init(maximum: Int) {
        self.maximum = maximum
    }

    /// All connections, in no particular order.
    var connections: [Connection] { groups.values.flatMap(\.connections) }

    /// The number of requests that wait for a key.
    func waitingCount(_ key: ConnectionKey) -> Int { groups[key]?.waiting.count ?? 0 }

    /// Decides what to do with a request.
    ///
    /// - Parameter isSuitable: Whether the request may be sent on a connection. One that may not is used only if no other can be made.
    func place(_ key: ConnectionKey, at now: UInt64, where isSuitable: (Connection) -> Bool = { _ in true }) -> Placement {
        guard let group = groups[key] else { return isPaused(key, at: now) ? .wait : .connect }
        if let connection = connection(key, where: isSuitable) { return .use(connection) }
        if group.attempts > 0 || group.connections.contains(where: { $0.isSettling && isSuitable($0) }) { return .wait }
        if group.connections.count(where: \.isCounted) < maximum { return isPaused(key, at: now) ? .wait : .connect }
        return group.connections.first(where: \.hasRoom).map { .use($0) } ?? .wait
    }

    /// Returns a connection that has room and is suitable, if there is one.
    func connection(_ key: ConnectionKey, where isSuitable: (Connection) -> Bool) -> Connection? {
        groups[key]?.connections.first { $0.hasRoom && isSuitable($0) }
    }

    /// Whether there is a connection for a key, so that its requests wait for room rather than for a connection.
    func hasConnection(_ key: ConnectionKey) -> Bool { groups[key]?.connections.isEmpty == false }

    // MARK: Connections

    /// Notes that a connection is being made.
    mutating func beginAttempt(_ key: ConnectionKey) {
        groups[key, default: Group()].attempts += 1
    }

    /// Notes that the connection that was being made exists, speaks another protocol, or could not be made.
    mutating func endAttempt(_ key: ConnectionKey) {
        guard groups[key] != nil else { return }
        groups[key]?.attempts -= 1
        forget(key)
    }

    mutating func add(_ connection: Connection) {
        groups[connection.key, default: Group()].connections.append(connection)
    }

    /// Removes a connection that was closed.
    mutating func remove(_ connection: Connection) {
        groups[connection.key]?.connections.removeAll { $0 === connection }
        forget(connection.key)
    }

    // MARK: Pauses

    /// Makes no connection for a key until that time, because the server has asked for calm.
    mutating func pause(_ key: ConnectionKey, until time: UInt64) {
        pauses[key] = time
    }

    private func isPaused(_ key: ConnectionKey, at now: UInt64) -> Bool {
        !pauses.isEmpty && now < pauses[key] ?? 0
    }

    /// When the next pause ends; `UInt64.max` without one.
    var pauseEnd: UInt64 { pauses.isEmpty ? .max : pauses.values.min() ?? .max }

    /// Ends the pauses whose time has come, and returns their keys.
    mutating func endPauses(at now: UInt64) -> [ConnectionKey] {
        if pauses.isEmpty { return [] }
        let keys = pauses.filter { $0.value <= now }.map(\.key)
        for key in keys { pauses[key] = nil }
        return keys
    }

    // MARK: Waiting requests

    /// Lets a request wait.
    ///
    /// - Returns: The ticket with which it can be removed.
    mutating func wait(_ member: Member, for key: ConnectionKey, priority: RequestPriority) -> UInt64 {
        nextTicket += 1
        groups[key, default: Group()].waiting.append(member, ticket: nextTicket, priority: priority)
        waiting += 1
        return nextTicket
    }

    /// Removes a request that waits no longer.
    mutating func stopWaiting(_ key: ConnectionKey, ticket: UInt64) {
        if groups[key]?.waiting.remove(ticket) != nil { waiting -= 1 }
        forget(key)
    }

    /// Removes and returns the next waiting request, if it need not wait any longer. Its caller places it again.
    mutating func takeWaiting(_ key: ConnectionKey, at now: UInt64) -> Member? {
        guard let group = groups[key], !group.waiting.isEmpty else { return nil }
        if case .wait = place(key, at: now) { return nil }
        guard let next = groups[key]?.waiting.popFirst() else { return nil }
        waiting -= 1
        return next.member
    }

    /// Removes and returns all requests that wait for a key.
    mutating func takeAllWaiting(_ key: ConnectionKey) -> [Member] {
        var members: [Member] = []
        while let next = groups[key]?.waiting.popFirst() { members.append(next.member) }
        waiting -= members.count
        forget(key)
        return members
    }

    /// Calls a closure with each request that waits for a key.
    func forEachWaiting(_ key: ConnectionKey, _ body: (Member) -> Void) {
        groups[key]?.waiting.forEach(body)
    }

    private mutating func forget(_ key: ConnectionKey) {
        if groups[key]?.isEmpty == true { groups[key] = nil }
    }
}
