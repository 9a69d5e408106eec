import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A value of a ``ValueCache`` in its stored form.
struct StoredValue: Sendable, Equatable {
    var storedAt: FileTime
    var expiresAt: FileTime
    /// The value, encoded as JSON.
    var json: Data
}

/// A storage for the values of a ``ValueCache``.
protocol ValueStorage: Sendable {
    /// Returns the value of a key and marks it as used.
    func value(for key: ValueKey) async -> StoredValue?
    func set(_ value: StoredValue, for key: ValueKey) async throws(CacheStoreError)
    /// Removes the selected values, and returns their number.
    func remove(_ selection: ValueSelection) async throws(CacheStoreError) -> Int
}

/// A partition and a key of the caller. Both are arbitrary texts, and different pairs are never confused.
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

/// A selection of values: those that meet all conditions that are set.
struct ValueSelection: Sendable {
    var key: ValueKey?
    var partition: String?
    var storedBefore: FileTime?
    /// The time at which the values have expired.
    var expiredAt: FileTime?

    var isAll: Bool { key == nil && partition == nil && storedBefore == nil && expiredAt == nil }

    func contains(_ other: ValueKey, storedAt: FileTime, expiresAt: FileTime) -> Bool {
        if let key, key != other { return false }
        if let partition, partition != other.partition { return false }
        if let storedBefore, storedAt >= storedBefore { return false }
        // A value that was stored in the future was stored before the clock was set back, and counts as expired.
        if let expiredAt, storedAt <= expiredAt, expiredAt < expiresAt { return false }
        return true
    }
}

/// A storage for values in memory, which evicts the least recently used ones.
final class MemoryValues: ValueStorage {
    private struct State {
        var table = RecencyTable<ValueKey, StoredValue>()
        var bytes = 0
    }

    /// The approximate memory overhead of a value, in bytes.
    private static let overhead = 256

    private let limits: ValueCache.Limits
    private let state = Locked(State())

    init(_ limits: ValueCache.Limits) {
        self.limits = limits
    }

    func value(for key: ValueKey) -> StoredValue? {
        state.withLock { $0.table.use(key) }
    }

    func set(_ value: StoredValue, for key: ValueKey) throws(CacheStoreError) {
        let size = Self.size(key, value)
        let limit = limits.boundedValueBytes
        guard size <= limit else {
            remove(key)
            throw CacheStoreError(.tooLarge, "the value takes \(size) bytes, and the limit for one is \(limit)")
        }
        state.withLock { state in
            if let old = state.table.peek(key) { state.bytes -= Self.size(key, old) }
            state.table.set(value, for: key)
            state.bytes += size
            while state.bytes > limits.maximumBytes || state.table.count > limits.maximumValues,
                let oldest = state.table.oldestKey
            {
                if let old = state.table.remove(oldest) { state.bytes -= Self.size(oldest, old) }
            }
        }
    }

    func remove(_ selection: ValueSelection) -> Int {
        state.withLock { state in
            let keys = selection.key.map { [$0] } ?? Array(state.table.keys)
            var count = 0
            for key in keys {
                guard let value = state.table.peek(key),
                    selection.contains(key, storedAt: value.storedAt, expiresAt: value.expiresAt)
                else { continue }
                state.table.remove(key)
                state.bytes -= Self.size(key, value)
                count += 1
            }
            return count
        }
    }

    private func remove(_ key: ValueKey) {
        var selection = ValueSelection()
        selection.key = key
        _ = remove(selection)
    }

    private static func size(_ key: ValueKey, _ value: StoredValue) -> Int {
        overhead + value.json.count + key.name.utf8.count + key.partition.utf8.count
    }
}

/// A storage for values in a directory: see ``DiskRecords``.
final class DiskValues: ValueStorage {
    let records: DiskRecords

    init(
        _ directory: URL, _ limits: ValueCache.Limits, noting interval: Duration = .seconds(60),
        clock: @escaping @Sendable () -> FileTime
    ) throws(CacheStoreError) {
        records = try DiskRecords(
            directory,
            limits: DiskLimits(bytes: limits.maximumBytes, entries: limits.maximumValues, recordBytes: limits.boundedValueBytes),
            noting: interval, clock: clock)
    }

    func value(for key: ValueKey) async -> StoredValue? {
        guard let record = await records.read(RecordKey(key.bytes)), let times = Self.times(in: record.info) else { return nil }
        return StoredValue(storedAt: times.storedAt, expiresAt: times.expiresAt, json: record.payload)
    }

    func set(_ value: StoredValue, for key: ValueKey) async throws(CacheStoreError) {
        var info: [UInt8] = []
        info.append(number: value.storedAt.nanoseconds)
        info.append(number: value.expiresAt.nanoseconds)
        do throws(CacheStoreError) {
            try await records.write(RecordKey(key.bytes), info: info, payload: value.json)
        } catch {
            // The existing value is older than the one that the caller has.
            if error.code == .tooLarge { try await records.update(RecordKey(key.bytes)) { _ in .nothing } }
            throw error
        }
    }

    func remove(_ selection: ValueSelection) async throws(CacheStoreError) -> Int {
        if let key = selection.key { return try await remove([key], selection) }
        let heads = await records.heads()
        let keys = heads.compactMap { head in
            ValueKey(head.key).flatMap { key in Self.isSelected(key, head.info, by: selection) ? key : nil }
        }
        guard selection.isAll else { return try await remove(keys, selection) }
        try await records.removeAll()
        return keys.count
    }

    private func remove(_ keys: [ValueKey], _ selection: ValueSelection) async throws(CacheStoreError) -> Int {
        var failure: CacheStoreError?
        let count = Locked(0)
        for key in keys {
            let isSelected = Locked(false)
            do throws(CacheStoreError) {
                try await records.update(RecordKey(key.bytes)) { old in
                    let isSelectedNow = old.map { Self.isSelected(key, $0.info, by: selection) } ?? false
                    isSelected.withLock { $0 = isSelectedNow }
                    return isSelectedNow ? .nothing : .same
                }
                if isSelected.withLock(\.self) { count.withLock { $0 += 1 } }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return count.withLock(\.self)
    }

    /// Returns whether a value is selected. An unreadable value always is, because it is useless.
    private static func isSelected(_ key: ValueKey, _ info: [UInt8], by selection: ValueSelection) -> Bool {
        guard let times = times(in: info) else { return true }
        return selection.contains(key, storedAt: times.storedAt, expiresAt: times.expiresAt)
    }

    private static func times(in info: [UInt8]) -> (storedAt: FileTime, expiresAt: FileTime)? {
        guard info.count == 16 else { return nil }
        return info.withUnsafeBytes {
            (FileTime(nanoseconds: $0.number(at: 0)), FileTime(nanoseconds: $0.number(at: 8)))
        }
    }
}

/// The JSON encoding of values. Infinite numbers and NaN are encoded as strings, and dates as numbers, which keep fractions of a
/// second.
enum ValueCoding {
    private static let encoder: TransferJSONEncoder = {
        let encoder = TransferJSONEncoder()
        encoder.dateEncodingStrategy = .deferredToDate
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return encoder
    }()

    private static let decoder: TransferJSONDecoder = {
        let decoder = TransferJSONDecoder()
        decoder.dateDecodingStrategy = .deferredToDate
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return decoder
    }()

    static func encode(_ value: some Encodable) throws -> Data {
        try encoder.encodeBounded(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        try decoder.decode(type, from: json)
    }
}
