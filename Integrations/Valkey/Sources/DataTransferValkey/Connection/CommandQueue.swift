import Foundation

/// Commands that wait for a connection, and the threads that send them, each over its own connection.
///
/// Commands are taken in the order of their arrival, so whatever is in progress has an earlier deadline than those that wait: each
/// ends at its deadline at the latest, however long the server is silent.
final class CommandQueue: @unchecked Sendable {  // `state` is guarded by `condition`.
    typealias Outcome = Result<[ValkeyReply], ValkeyError>

    private struct Item {
        var commands: [[Data]]
        var deadline: ContinuousClock.Instant
        var finish: @Sendable (Outcome) -> Void
    }

    private struct State {
        var items: [Item] = []
        /// The items before this index have been taken.
        var first = 0
        var threads = 0
        var idle = 0
        var isClosed = false
        var reconnect = ReconnectState()

        var count: Int { items.count - first }

        mutating func take() -> Item? {
            guard first < items.count else { return nil }
            let item = items[first]
            first += 1
            if first == items.count {
                items.removeAll(keepingCapacity: true)
                first = 0
            } else if first >= 1024 {
                items.removeFirst(first)
                first = 0
            }
            return item
        }
    }

    private let configuration: ValkeyConfiguration
    private let condition = NSCondition()
    private var state = State()

    init(_ configuration: ValkeyConfiguration) {
        self.configuration = configuration
    }

    /// Adds commands that are sent together. The closure is called once, on the thread of a connection, or on that of the caller if the
    /// commands fail at once.
    func add(_ commands: [[Data]], _ finish: @escaping @Sendable (Outcome) -> Void) {
        let now = ContinuousClock.now
        let item = Item(commands: commands, deadline: now + configuration.commandTimeout, finish: finish)
        condition.lock()
        var error: ValkeyError?
        if state.isClosed {
            error = ValkeyError(.unreachable, "the client was closed")
        } else if let refusal = state.reconnect.refusal(now: now) {
            error = refusal
        } else if state.count >= configuration.maximumQueuedCommands {
            error = ValkeyError(.limitExceeded, "\(configuration.maximumQueuedCommands) commands already wait")
        }
        if let error {
            condition.unlock()
            finish(.failure(error))
            return
        }
        state.items.append(item)
        let needsThread = state.idle < state.count && state.threads < min(64, max(1, configuration.maximumConnections))
        if needsThread { state.threads += 1 }
        condition.signal()
        condition.unlock()
        if needsThread {
            let thread = Thread { [self] in run() }
            thread.name = "valkey"
            thread.start()
        }
    }

    /// Ends the threads after the commands that wait.
    func close() {
        condition.lock()
        state.isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    private func run() {
        var connection: ValkeyConnection?
        while let item = next() {
            item.finish(Outcome.from { () throws(ValkeyError) in try send(item, over: &connection) })
        }
    }

    private func next() -> Item? {
        condition.lock()
        defer { condition.unlock() }
        state.idle += 1
        defer { state.idle -= 1 }
        while true {
            if let item = state.take() { return item }
            if state.isClosed { return nil }
            condition.wait()
        }
    }

    private func send(_ item: Item, over connection: inout ValkeyConnection?) throws(ValkeyError) -> [ValkeyReply] {
        let now = ContinuousClock.now
        guard now < item.deadline else { throw ValkeyError(.timeout, "no connection was free in time") }
        if connection?.isIdle == false { connection = nil }
        let open: ValkeyConnection
        if let connection {
            open = connection
        } else {
            open = try connect(deadline: min(item.deadline, now + configuration.connectTimeout))
            connection = open
        }
        do throws(ValkeyError) {
            return try open.send(item.commands, deadline: item.deadline)
        } catch {
            // What the server sends later would be taken for the reply to another command.
            connection = nil
            guarded { $0.reconnect.fail(error, now: .now, maximum: configuration.maximumReconnectDelay) }
            throw error
        }
    }

    private func connect(deadline: ContinuousClock.Instant) throws(ValkeyError) -> ValkeyConnection {
        if let refusal = guarded({ $0.reconnect.begin(now: .now) }) { throw refusal }
        do throws(ValkeyError) {
            let connection = try ValkeyConnection(configuration, deadline: deadline)
            guarded { $0.reconnect.succeed() }
            return connection
        } catch {
            guarded { $0.reconnect.fail(error, now: .now, maximum: configuration.maximumReconnectDelay) }
            throw error
        }
    }

    private func guarded<Value>(_ body: (inout State) -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body(&state)
    }
}

/// When the server is tried again after failures: a pure state machine. While it has failed, one connection at a time is tried, and other
/// commands fail at once.
struct ReconnectState {
    private static let initialDelay = Duration.milliseconds(50)

    private var failures = 0
    private var error: ValkeyError?
    private var retryAt = ContinuousClock.now
    private var isTrying = false

    /// Returns the error of a command that would have to wait for the server to be tried again.
    func refusal(now: ContinuousClock.Instant) -> ValkeyError? {
        guard failures > 0, isTrying || now < retryAt else { return nil }
        return error
    }

    /// Begins to connect, or returns the error of the last failure.
    mutating func begin(now: ContinuousClock.Instant) -> ValkeyError? {
        if let refusal = refusal(now: now) { return refusal }
        isTrying = failures > 0
        return nil
    }

    mutating func succeed() {
        self = ReconnectState()
    }

    mutating func fail(_ error: ValkeyError, now: ContinuousClock.Instant, maximum: Duration) {
        let delay = min(maximum, Self.initialDelay * (1 << min(failures, 10)))
        failures += 1
        self.error = error
        isTrying = false
        // Processes that lost the same server at the same time return at different times.
        retryAt = now + delay * Double.random(in: 0.5...1)
    }
}

extension Result {
    /// Creates a result from what a closure returns or throws.
    static func from(_ body: () throws(Failure) -> Success) -> Self {
        do throws(Failure) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}
