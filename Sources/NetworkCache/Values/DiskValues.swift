import Foundation
import NetworkCore

/// Values in a directory: see ``DiskRecords``.
final class DiskValues: ValueStorage {
    let records: DiskRecords

    init(
        _ directory: URL, _ limits: ValueCache.Limits, noting interval: Duration = .seconds(60),
        clock: @escaping @Sendable () -> FileTime
    ) throws(CacheStoreError) {
        records = try DiskRecords(
            directory, limits: DiskLimits(bytes: limits.bytes, entries: limits.values, recordBytes: limits.maximumValueBytes),
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
            // What was there is older than what the caller has seen.
            if error.code == .tooLarge { try await records.update(RecordKey(key.bytes)) { _ in .nothing } }
            throw error
        }
    }

    func remove(_ selection: ValueSelection) async throws(CacheStoreError) -> Int {
        if let key = selection.key { return try await remove([key], selection) }
        let heads = await records.heads()
        let keys = heads.compactMap { head in
            ValueKey(head.key).flatMap { key in Self.isMeant(key, head.info, by: selection) ? key : nil }
        }
        guard selection.isAll else { return try await remove(keys, selection) }
        try await records.removeAll()
        return keys.count
    }

    private func remove(_ keys: [ValueKey], _ selection: ValueSelection) async throws(CacheStoreError) -> Int {
        var failure: CacheStoreError?
        let count = Locked(0)
        for key in keys {
            let isMeant = Locked(false)
            do throws(CacheStoreError) {
                try await records.update(RecordKey(key.bytes)) { old in
                    let isMeantNow = old.map { Self.isMeant(key, $0.info, by: selection) } ?? false
                    isMeant.withLock { $0 = isMeantNow }
                    return isMeantNow ? .nothing : .same
                }
                if isMeant.withLock(\.self) { count.withLock { $0 += 1 } }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return count.withLock(\.self)
    }

    /// What cannot be read is of no use to anybody.
    private static func isMeant(_ key: ValueKey, _ info: [UInt8], by selection: ValueSelection) -> Bool {
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
