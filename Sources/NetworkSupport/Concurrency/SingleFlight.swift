/// A coordinator of concurrent calls that need the result of the same operation: it runs once for each key at a time, and all
/// calls receive its value.
///
/// The operation runs in a separate task (``join(_:_:)``), or in the task of the first call (``lead(_:)``).
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// An operation that is running.
    package struct Flight: Sendable {
        fileprivate let key: Key
        fileprivate let number: Int
    }

    /// A call that waits for the value of an operation.
    package struct Call: Sendable {
        /// The value. It may also be resolved by the call itself, for example at its deadline.
        package let promise = Promise<Value>()
        /// Whether the operation was started for this call.
        package let isFirst: Bool
        fileprivate let flight: Flight
        fileprivate let ticket: Int
    }

    /// The part of a call in an operation that runs in the task of the first call.
    package enum Role: Sendable {
        /// The caller performs the operation, and then calls ``SingleFlight/finish(_:with:)``.
        case leader(Flight)
        /// Another call performs the operation.
        case follower(Call)
    }

    private struct Entry {
        let number: Int
        var waiting: [Int: Promise<Value>] = [:]
        var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func addFlight(_ key: Key) -> Flight {
            let flight = Flight(key: key, number: nextNumber())
            entries[key] = Entry(number: flight.number)
            return flight
        }

        mutating func addCall(_ flight: Flight, isFirst: Bool) -> Call {
            let call = Call(isFirst: isFirst, flight: flight, ticket: nextNumber())
            entries[flight.key]?.waiting[call.ticket] = call.promise
            return call
        }

        mutating func remove(_ flight: Flight) -> Entry? {
            entries[flight.key]?.number == flight.number ? entries.removeValue(forKey: flight.key) : nil
        }
    }

    private let state = Locked(State())
    private let cancelsUnused: Bool

    /// Creates a coordinator without running operations.
    ///
    /// - Parameter cancelsUnused: Whether an operation is cancelled when the last call that waits for it has left. Default:
    ///   `false`.
    package init(cancelsUnused: Bool = false) {
        self.cancelsUnused = cancelsUnused
    }

    // MARK: Calls

    /// Adds a call to the running operation of a key, or starts an operation.
    ///
    /// The caller awaits the promise of the result, and then calls ``leave(_:)``.
    ///
    /// - Parameter operation: Runs in a separate task, if none is running for the key.
    package func join(_ key: Key, _ operation: @escaping @Sendable () async -> Value) -> Call {
        let call = state.withLock { state in
            if let entry = state.entries[key] {
                return state.addCall(Flight(key: key, number: entry.number), isFirst: false)
            }
            return state.addCall(state.addFlight(key), isFirst: true)
        }
        if call.isFirst { start(call.flight, operation) }
        return call
    }

    /// Adds a call to the running operation of a key, or makes the call the one that performs the operation.
    package func lead(_ key: Key) -> Role {
        state.withLock { state in
            if let entry = state.entries[key] {
                return .follower(state.addCall(Flight(key: key, number: entry.number), isFirst: false))
            }
            return .leader(state.addFlight(key))
        }
    }

    /// Removes a call, which no longer waits for the value. Has no effect after the end of the operation.
    package func leave(_ call: Call) {
        let task: Task<Void, Never>? = state.withLock { state in
            let key = call.flight.key
            guard state.entries[key]?.number == call.flight.number else { return nil }
            state.entries[key]?.waiting[call.ticket] = nil
            guard cancelsUnused, state.entries[key]?.waiting.isEmpty == true else { return nil }
            return state.remove(call.flight)?.task
        }
        task?.cancel()
    }

    // MARK: Operations

    /// Ends an operation and resumes its calls with a value. Has no effect if the operation has ended already.
    package func finish(_ flight: Flight, with value: Value) {
        guard let entry = state.withLock({ $0.remove(flight) }) else { return }
        for promise in entry.waiting.values { promise.resolve(value) }
    }

    /// Cancels the running operation of a key, if there is one, and resumes its calls with a value.
    package func cancel(_ key: Key, with value: Value) {
        guard let entry = state.withLock({ $0.entries.removeValue(forKey: key) }) else { return }
        entry.task?.cancel()
        for promise in entry.waiting.values { promise.resolve(value) }
    }

    private func start(_ flight: Flight, _ operation: @escaping @Sendable () async -> Value) {
        let task = Task { finish(flight, with: await operation()) }
        let isRunning = state.withLock { state in
            guard state.entries[flight.key]?.number == flight.number else { return false }
            state.entries[flight.key]?.task = task
            return true
        }
        // Either the operation has ended already, or it was cancelled before its task was stored.
        if !isRunning { task.cancel() }
    }

    // MARK: State

    /// Returns whether an operation is running for a key.
    package func isRunning(_ key: Key) -> Bool { state.withLock { $0.entries[key] != nil } }

    /// Returns the number of calls that wait for the value of a key.
    package func waitingCount(_ key: Key) -> Int { state.withLock { $0.entries[key]?.waiting.count ?? 0 } }
}
