import NetworkCore
import NetworkSupport

extension ValueCache {
    /// Returns the stored value of a key, or the value that `make` returns, which is then stored.
    ///
    /// If several calls for the same key and type are made concurrently, one of them calls `make`, and the others receive its
    /// value or its error. If it is cancelled, one of the others calls `make` instead. A call that is cancelled while it waits
    /// calls `make` itself, in its cancelled task.
    ///
    /// - Parameters:
    ///   - key: The key, which may be any text.
    ///   - lifetime: How long a value may be used. It also applies to a value that was stored with a longer lifetime. With zero
    ///     or less, nothing is stored.
    ///   - staleness: How long after its lifetime a stored value may be returned if `make` fails, unless the task was cancelled.
    ///     Default: zero.
    ///   - make: Makes the value. Called at most once per call, in its task.
    /// - Throws: An error of `make`.
    public func value<Value: Codable & Sendable, Failure: Error>(
        for key: String, lifetime: Duration, allowingStale staleness: Duration = .zero,
        make: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let key = MadeValue.Key(value: ValueKey(partition: partition, name: key), type: ObjectIdentifier(Value.self))
        while true {
            if let value: Value = await stored(key.value, lifetime: lifetime, beyond: .zero) { return value }
            let call: MadeValue.Flights.Call
            switch flights.lead(key) {
            case .leader(let flight): return try await lead(flight, key, lifetime: lifetime, staleness, make)
            case .follower(let follower): call = follower
            }
            defer { flights.leave(call) }
            switch await call.promise.value(cancellation: { .cancelled }) {
            case .made(let value):
                if let value = value as? Value { return value }
            case .failed(let error):
                guard let error = error as? Failure else { return try await make() }
                if staleness > .zero, let value: Value = await stored(key.value, lifetime: lifetime, beyond: staleness) {
                    return value
                }
                throw error
            case .abandoned:
                continue
            case .cancelled:
                return try await make()
            }
        }
    }

    private func lead<Value: Codable & Sendable, Failure: Error>(
        _ flight: MadeValue.Flights.Flight, _ key: MadeValue.Key, lifetime: Duration, _ staleness: Duration,
        _ make: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        // Another call may have stored the value just before this one joined.
        if let value: Value = await stored(key.value, lifetime: lifetime, beyond: .zero) {
            flights.finish(flight, with: .made(value))
            return value
        }
        do throws(Failure) {
            let value = try await make()
            await keep(value, for: key.value, lifetime: lifetime)
            flights.finish(flight, with: .made(value))
            return value
        } catch {
            flights.finish(flight, with: Task.isCancelled ? .abandoned : .failed(error))
            if !Task.isCancelled, staleness > .zero,
                let value: Value = await stored(key.value, lifetime: lifetime, beyond: staleness)
            {
                return value
            }
            throw error
        }
    }

    private func keep(_ value: some Encodable & Sendable, for key: ValueKey, lifetime: Duration) async {
        do throws(CacheStoreError) {
            try await set(value, for: key, lifetime: lifetime)
        } catch {
            onFailure?(error)
        }
    }
}

/// The outcome of making a value, for the calls that wait for it.
enum MadeValue: Sendable {
    case made(any Sendable)
    case failed(any Error)
    /// The call that made the value was cancelled, so another one makes it.
    case abandoned
    /// The waiting call itself was cancelled.
    case cancelled

    /// The values that are being made. Each is made in the task of a call.
    typealias Flights = SingleFlight<Key, MadeValue>

    /// What is made once at a time: the value of a key, as one type.
    struct Key: Hashable, Sendable {
        var value: ValueKey
        var type: ObjectIdentifier
    }
}
