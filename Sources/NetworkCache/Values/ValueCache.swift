import Foundation
import NetworkCore
import NetworkSupport
import NetworkLogging

/// A cache for decoded values in memory or in a directory, with keys and lifetimes that the caller chooses.
///
/// ```swift
/// let cache = try ValueCache(directory: folder)
/// let movies = try await cache.value(for: "popular", lifetime: .seconds(300)) {
///     try await service.request(popular)
/// }
/// ```
///
/// It is independent of HTTP and ignores the caching directives of servers, which ``CacheInterceptor`` applies. The caller
/// determines which values are stored, under which key, and for how long.
///
/// **Keys** are arbitrary texts, and are never part of a path. Values with the same key in different partitions are independent;
/// use ``partition(_:)`` for values that belong to a user. Values are stored as JSON. A value that cannot be decoded as the
/// requested type is a miss.
///
/// **Limits** are finite: the least recently used values are evicted. **Failures** of the directory do not affect the caller:
/// ``value(for:lifetime:allowingStale:make:)`` returns the value that was made, and `onFailure` is called.
///
/// Copies share their values. In a directory, the guarantees of ``DiskCacheStore`` apply when several processes share it or a
/// process is killed. Do not use the same directory for a `ValueCache` and a ``DiskCacheStore``.
public struct ValueCache: Sendable {
    /// The limits of a value cache.
    public struct Limits: Hashable, Sendable {
        /// The maximum size of all values, in bytes of their JSON plus an overhead for each. Default: 16 MiB in memory, 128 MiB
        /// in a directory.
        public var maximumBytes: Int
        /// The maximum size of one value, in bytes. Larger values are not stored. Never more than ``maximumBytes``. Default: 8 MiB.
        public var maximumValueBytes: Int
        /// The maximum number of values. Default: 100,000.
        public var maximumValues: Int

        /// Creates limits. The parameters are described at the properties of the same names.
        public init(maximumBytes: Int, maximumValueBytes: Int = 8 << 20, maximumValues: Int = 100_000) {
            self.maximumBytes = maximumBytes
            self.maximumValueBytes = maximumValueBytes
            self.maximumValues = maximumValues
        }

        /// The effective maximum size of one value, in bytes.
        var boundedValueBytes: Int { max(0, min(maximumValueBytes, maximumBytes)) }
    }

    /// The name of the partition, or an empty string if the cache was not created with ``partition(_:)``.
    package let partition: String
    let storage: any ValueStorage
    let flights: MadeValue.Flights
    private let clock: @Sendable () -> FileTime
    let onFailure: (@Sendable (CacheStoreError) -> Void)?

    /// Creates a cache in memory, whose values are released with its last copy.
    ///
    /// - Parameters:
    ///   - limits: The limits. Default: 16 MiB. Negative numbers count as zero, with which nothing is stored.
    ///   - onFailure: Called with the reason if a made value could not be stored, on the task of the call that made it.
    public init(limits: Limits = Limits(maximumBytes: 16 << 20), onFailure: (@Sendable (CacheStoreError) -> Void)? = nil) {
        self.init(MemoryValues(limits), clock: { .now }, onFailure: onFailure)
    }

    /// Creates a cache in a directory, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - directory: The URL of the directory.
    ///   - limits: The limits. Default: 128 MiB. Negative numbers count as zero, with which nothing is stored.
    ///   - onFailure: Called with the reason if a made value could not be stored, on the task of the call that made it.
    /// - Throws: ``CacheStoreError`` if the directory cannot be created, is not accessible to this user alone, or is not
    ///   writable.
    public init(
        directory: URL, limits: Limits = Limits(maximumBytes: 128 << 20), onFailure: (@Sendable (CacheStoreError) -> Void)? = nil
    ) throws {
        let clock: @Sendable () -> FileTime = { .now }
        self.init(try DiskValues(directory, limits, clock: clock), clock: clock, onFailure: onFailure)
    }

    init(
        _ storage: any ValueStorage, clock: @escaping @Sendable () -> FileTime,
        onFailure: (@Sendable (CacheStoreError) -> Void)? = nil
    ) {
        self.init(storage, MadeValue.Flights(), partition: "", clock, onFailure)
    }

    private init(
        _ storage: any ValueStorage, _ flights: MadeValue.Flights, partition: String, _ clock: @escaping @Sendable () -> FileTime,
        _ onFailure: (@Sendable (CacheStoreError) -> Void)?
    ) {
        self.storage = storage
        self.flights = flights
        self.partition = partition
        self.clock = clock
        self.onFailure = onFailure
    }

    /// Returns a cache that shares the storage and has a separate partition, for example for a user, a tenant or a server.
    ///
    /// - Parameter name: The name of the partition, which replaces that of this cache. It may be any text. It is stored
    ///   on disk as plain text, so it must not be secret.
    public func partition(_ name: String) -> ValueCache {
        ValueCache(storage, flights, partition: name, clock, onFailure)
    }

    // MARK: Reading and writing

    /// Returns the stored value of a key, or `nil` if there is none, its lifetime is over, or it has another type.
    public func value<Value: Codable>(for key: String, as type: Value.Type = Value.self) async -> Value? {
        await stored(ValueKey(partition: partition, name: key), lifetime: nil, beyond: .zero)
    }

    /// Stores a value, replacing the existing value of the key.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which may be any text.
    ///   - lifetime: How long the value may be used. With zero or less, it is not stored, and the existing value is removed.
    /// - Throws: ``CacheStoreError`` with ``CacheStoreError/Code/encoding``, ``CacheStoreError/Code/tooLarge``, or the code of a
    ///   failure of the directory.
    public func set(_ value: some Encodable & Sendable, for key: String, lifetime: Duration) async throws {
        try await set(value, for: ValueKey(partition: partition, name: key), lifetime: lifetime)
    }

    func set(
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
            throw CacheStoreError(
                .encoding, "a value of type \(type(of: value)) cannot be encoded: \(ErrorText(error))", underlying: error)
        }
        let now = clock()
        try await storage.set(StoredValue(storedAt: now, expiresAt: now.advanced(by: lifetime), json: json), for: key)
    }

    func stored<Value: Decodable>(_ key: ValueKey, lifetime: Duration?, beyond staleness: Duration) async -> Value? {
        guard let stored = await storage.value(for: key) else { return nil }
        let now = clock()
        let end = min(stored.expiresAt, lifetime.map(stored.storedAt.advanced(by:)) ?? stored.expiresAt)
        // A value that was stored in the future was stored before the clock was set back: its age is unknown.
        guard stored.storedAt <= now, now < end.advanced(by: staleness) else { return nil }
        return try? ValueCoding.decode(Value.self, from: stored.json)
    }

    // MARK: Removing

    /// Removes the value of a key.
    ///
    /// - Throws: ``CacheStoreError`` if the value could not be removed.
    public func remove(_ key: String) async throws {
        var selection = ValueSelection()
        selection.key = ValueKey(partition: partition, name: key)
        _ = try await storage.remove(selection)
    }

    /// Removes all values of this partition, for example when a user logs out. In a directory the beginning of each file is
    /// read.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``CacheStoreError`` if values could not be removed.
    @discardableResult
    public func removePartition() async throws -> Int {
        var selection = ValueSelection()
        selection.partition = partition
        return try await storage.remove(selection)
    }

    /// Removes all values that were stored before a date, in all partitions. In a directory the beginning of each file is read.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``CacheStoreError`` if values could not be removed.
    @discardableResult
    public func remove(storedBefore date: Date) async throws -> Int {
        var selection = ValueSelection()
        selection.storedBefore = FileTime(date)
        return try await storage.remove(selection)
    }

    /// Removes all values whose lifetime is over, in all partitions. Otherwise they remain until they are evicted. In a directory
    /// the beginning of each file is read.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``CacheStoreError`` if values could not be removed.
    @discardableResult
    public func removeExpired() async throws -> Int {
        var selection = ValueSelection()
        selection.expiredAt = clock()
        return try await storage.remove(selection)
    }

    /// Removes all values of all partitions.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``CacheStoreError`` if values could not be removed.
    @discardableResult
    public func removeAll() async throws -> Int {
        try await storage.remove(ValueSelection())
    }
}

extension ValueCache: RedactedStringConvertible {}
