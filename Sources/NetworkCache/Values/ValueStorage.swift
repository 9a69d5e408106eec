import Foundation
import NetworkCore

/// What a ``ValueCache`` keeps of a value.
struct StoredValue: Sendable, Equatable {
    var storedAt: FileTime
    var expiresAt: FileTime
    /// As JSON.
    var json: Data
}

/// Where a ``ValueCache`` keeps its values.
protocol ValueStorage: Sendable {
    /// Counts as a use.
    func value(for key: ValueKey) async -> StoredValue?
    func set(_ value: StoredValue, for key: ValueKey) async throws(CacheStoreError)
    /// Removes those that are meant: told their key, and when they were stored and expire.
    func remove(_ selection: ValueSelection) async throws(CacheStoreError) -> Int
}

/// Partition and the caller's key: any two texts, never mixed up.
struct ValueKey: Hashable, Sendable {
    var partition: String
    var name: String

    init(partition: String, name: String) {
        self.partition = partition
        self.name = name
    }

    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(Data(bytes))
        guard let partition = try? reader.text("partition"), let name = try? reader.text("name") else { return nil }
        self.init(partition: partition, name: name)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 8 + partition.utf8.count + name.utf8.count)
        writer.add(partition)
        writer.add(name)
        return Array(writer.data)
    }
}

/// Which values are meant.
struct ValueSelection: Sendable {
    var key: ValueKey?
    var partition: String?
    var storedBefore: FileTime?
    /// Those that have expired by then.
    var expiredAt: FileTime?

    var isAll: Bool { key == nil && partition == nil && storedBefore == nil && expiredAt == nil }

    func contains(_ other: ValueKey, storedAt: FileTime, expiresAt: FileTime) -> Bool {
        if let key, key != other { return false }
        if let partition, partition != other.partition { return false }
        if let storedBefore, storedAt >= storedBefore { return false }
        // What was stored later than now was stored before the clock was set back.
        if let expiredAt, storedAt <= expiredAt, expiredAt < expiresAt { return false }
        return true
    }
}
