import Foundation
import NetworkCore

/// Keeps decoded values under keys of the caller's own, in memory or in a directory, each for as long as the caller says.
///
/// ```swift
/// let cache = try ValueCache(directory: folder)
/// let movies = try await cache.value(for: "popular", lifetime: .seconds(300)) { try await service.request(popular) }
/// ```
///
/// It knows nothing of HTTP: what a server says about caching is for the HTTP cache, which stands in the way of requests. Here
/// the caller says what may be kept, under what key, and how long.
///
/// **Keys** are any text: they are never part of a path. Values of one key in different partitions have nothing to do with each
/// other; use ``partition(_:)`` for what belongs to a user. Values are kept as JSON; what cannot be decoded as the type that is
/// asked for is a miss.
///
/// **Limits** are finite: what was longest unused makes room. **Failures** of the directory never keep a value from the caller:
/// ``value(for:lifetime:allowingStale:make:)`` hands out what was made, and `onFailure` hears of it.
///
/// Copies share their values. In a directory, see ``DiskCacheStore`` for what holds when several processes share it, or one is
/// killed; a directory is for either of the two, not for both.
public struct ValueCache: Sendable {
    /// How much is kept.
    public struct Limits: Hashable, Sendable {
        /// All values together, in bytes of their JSON and some for each. 16 MiB in memory, 128 MiB in a directory.
        public var bytes: Int
        /// One value, in bytes; larger ones are not kept. 8 MiB; never more than ``bytes``.
        public var valueBytes = 8 << 20
        /// How many values. 100,000.
        public var values = 100_000

        /// The defaults, with a limit for all bytes together.
        public init(bytes: Int) {
            self.bytes = bytes
        }

        var maximumValueBytes: Int { max(0, min(valueBytes, bytes)) }
    }

    /// Whose values these are; empty unless ``partition(_:)`` made it.
    public let partition: String
    let storage: any ValueStorage
    let flights: ValueFlights
    private let clock: @Sendable () -> FileTime
    private let onFailure: (@Sendable (CacheStoreError) -> Void)?

    /// In memory, and gone with its last copy.
    ///
    /// - Parameters:
    ///   - limits: 16 MiB unless given. Numbers below zero count as zero, which keeps nothing.
    ///   - onFailure: Hears why a value was not kept. Runs on the task that wanted to keep it.
    public init(limits: Limits = Limits(bytes: 16 << 20), onFailure: (@Sendable (CacheStoreError) -> Void)? = nil) {
        self.init(MemoryValues(limits), clock: { .now }, onFailure: onFailure)
    }

    /// In a directory, which is made where it is not there.
    ///
    /// - Parameters:
    ///   - limits: 128 MiB unless given. Numbers below zero count as zero, which keeps nothing.
    ///   - onFailure: Hears why a value was not kept. Runs on the task that wanted to keep it.
    /// - Throws: ``CacheStoreError`` where it cannot be made, is not this user's alone, or may not be written.
    public init(
        directory: URL, limits: Limits = Limits(bytes: 128 << 20), onFailure: (@Sendable (CacheStoreError) -> Void)? = nil
    ) throws(CacheStoreError) {
        let clock: @Sendable () -> FileTime = { .now }
        self.init(try DiskValues(directory, limits, clock: clock), clock: clock, onFailure: onFailure)
    }

    init(
        _ storage: any ValueStorage, clock: @escaping @Sendable () -> FileTime,
        onFailure: (@Sendable (CacheStoreError) -> Void)? = nil
    ) {
        self.init(storage, ValueFlights(), partition: "", clock, onFailure)
    }

    private init(
        _ storage: any ValueStorage, _ flights: ValueFlights, partition: String, _ clock: @escaping @Sendable () -> FileTime,
        _ onFailure: (@Sendable (CacheStoreError) -> Void)?
    ) {
        self.storage = storage
        self.flights = flights
        self.partition = partition
        self.clock = clock
        self.onFailure = onFailure
    }

    /// The same cache, for values that are apart from all others: those of a user, a tenant, a server.
    ///
    /// - Parameter name: Any text; it replaces this cache's own ``partition``. On a disk it is written as it is, so it should be
    ///   no secret.
    public func partition(_ name: String) -> ValueCache {
        ValueCache(storage, flights, partition: name, clock, onFailure)
    }

    // MARK: With making

    /// The value of a key, or else what `make` makes, which is then kept.
    ///
    /// Calls for the same key and type at the same time have one of them make it: the others get what it gets, its error too.
    /// When it is cancelled, one of the others takes over; a call that is cancelled while it waits makes it for itself, in its
    /// cancelled task.
    ///
    /// - Parameters:
    ///   - key: Any text.
    ///   - lifetime: How long a value may be used, one that was kept for longer too. Nothing is kept for zero or less.
    ///   - staleness: How long beyond its lifetime a value may stand in when `make` fails. Zero unless given. Not when the task
    ///     was cancelled.
    ///   - make: Runs at most once for each call, in its task.
    /// - Throws: What `make` throws.
    public func value<Value: Codable & Sendable, Failure: Error>(
        for key: String, lifetime: Duration, allowingStale staleness: Duration = .zero,
        make: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let valueKey = ValueKey(partition: partition, name: key)
        let flight = ValueFlights.Key(value: valueKey, type: ObjectIdentifier(Value.self))
        while true {
            if let value: Value = await stored(valueKey, lifetime: lifetime, beyond: .zero) { return value }
            switch await flights.join(flight) {
            case .make:
                return try await lead(flight, lifetime: lifetime, staleness, make)
            case .made(let value):
                if let value = value as? Value { return value }
            case .failed(let error):
                guard let error = error as? Failure else { return try await make() }
                if staleness > .zero, let value: Value = await stored(valueKey, lifetime: lifetime, beyond: staleness) {
                    return value
                }
                throw error
            case .retry:
                continue
            case .cancelled:
                return try await make()
            }
        }
    }

    private func lead<Value: Codable & Sendable, Failure: Error>(
        _ flight: ValueFlights.Key, lifetime: Duration, _ staleness: Duration, _ make: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        // The last one may have landed just before this one began.
        if let value: Value = await stored(flight.value, lifetime: lifetime, beyond: .zero) {
            flights.finish(flight, .made(value))
            return value
        }
        do throws(Failure) {
            let value = try await make()
            await keep(value, for: flight.value, lifetime: lifetime)
            flights.finish(flight, .made(value))
            return value
        } catch {
            flights.finish(flight, Task.isCancelled ? .retry : .failed(error))
            if !Task.isCancelled, staleness > .zero,
                let value: Value = await stored(flight.value, lifetime: lifetime, beyond: staleness)
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

    // MARK: Without

    /// The value of a key, as long as its lifetime lasts; `nil` where there is none, or one of another type.
    public func value<Value: Codable>(for key: String, as type: Value.Type = Value.self) async -> Value? {
        await stored(ValueKey(partition: partition, name: key), lifetime: nil, beyond: .zero)
    }

    /// Keeps a value, in the place of what there was.
    ///
    /// - Parameter lifetime: How long it may be used. For zero or less it is not kept, and what there was is removed.
    /// - Throws: ``CacheStoreError``: with ``CacheStoreError/Code/encoding``, ``CacheStoreError/Code/tooLarge``, or for what is
    ///   the matter with the directory.
    public func set(_ value: some Encodable & Sendable, for key: String, lifetime: Duration) async throws(CacheStoreError) {
        try await set(value, for: ValueKey(partition: partition, name: key), lifetime: lifetime)
    }

    private func set(
        _ value: some Encodable & Sendable, for key: ValueKey, lifetime: Duration
    ) async throws(CacheStoreError) {
        guard lifetime > .zero else {
            var selection = ValueSelection()
            selection.key = key
            _ = try await storage.remove(selection)
            return
        }
        let json: Data
        do {
            json = try ValueCoding.encode(value)
        } catch {
            throw CacheStoreError(.encoding, "a value of type \(type(of: value)) cannot be encoded", underlying: error)
        }
        let now = clock()
        try await storage.set(StoredValue(storedAt: now, expiresAt: now.advanced(by: lifetime), json: json), for: key)
    }

    private func stored<Value: Decodable>(_ key: ValueKey, lifetime: Duration?, beyond staleness: Duration) async -> Value? {
        guard let stored = await storage.value(for: key) else { return nil }
        let now = clock()
        let end = min(stored.expiresAt, lifetime.map(stored.storedAt.advanced(by:)) ?? stored.expiresAt)
        // One from the future was stored before the clock was set back: nobody knows how old it is.
        guard stored.storedAt <= now, now < end.advanced(by: staleness) else { return nil }
        return try? ValueCoding.decode(Value.self, from: stored.json)
    }

    // MARK: Clearing

    /// Forgets the value of a key.
    ///
    /// - Throws: ``CacheStoreError`` where it is still there.
    public func remove(_ key: String) async throws(CacheStoreError) {
        var selection = ValueSelection()
        selection.key = ValueKey(partition: partition, name: key)
        _ = try await storage.remove(selection)
    }

    /// Forgets all values of this ``partition``: what a user leaves behind at a logout. In a directory the beginning of each file
    /// is read.
    ///
    /// - Returns: How many those were.
    /// - Throws: ``CacheStoreError`` where some are still there.
    @discardableResult
    public func removePartition() async throws(CacheStoreError) -> Int {
        var selection = ValueSelection()
        selection.partition = partition
        return try await storage.remove(selection)
    }

    /// Forgets all values of all partitions that were stored before a date. In a directory the beginning of each file is read.
    ///
    /// - Returns: How many those were.
    /// - Throws: ``CacheStoreError`` where some are still there.
    @discardableResult
    public func remove(storedBefore date: Date) async throws(CacheStoreError) -> Int {
        var selection = ValueSelection()
        selection.storedBefore = FileTime(date)
        return try await storage.remove(selection)
    }

    /// Forgets all values of all partitions whose lifetime is over; else they stay until room is needed. In a directory the
    /// beginning of each file is read.
    ///
    /// - Returns: How many those were.
    /// - Throws: ``CacheStoreError`` where some are still there.
    @discardableResult
    public func removeExpired() async throws(CacheStoreError) -> Int {
        var selection = ValueSelection()
        selection.expiredAt = clock()
        return try await storage.remove(selection)
    }

    /// Forgets all values of all partitions.
    ///
    /// - Returns: How many those were.
    /// - Throws: ``CacheStoreError`` where some are still there.
    @discardableResult
    public func removeAll() async throws(CacheStoreError) -> Int {
        try await storage.remove(ValueSelection())
    }
}
