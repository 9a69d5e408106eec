import Foundation
import NetworkCore

/// Values in memory, the longest unused of which make room.
final class MemoryValues: ValueStorage {
    private struct State {
        var table = RecencyTable<ValueKey, StoredValue>()
        var bytes = 0
    }

    /// What holds a value, roughly.
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
        let limit = limits.maximumValueBytes
        guard size <= limit else {
            remove(key)
            throw CacheStoreError(.tooLarge, "a value takes \(size) bytes, and one may take \(limit)")
        }
        state.withLock { state in
            if let old = state.table.peek(key) { state.bytes -= Self.size(key, old) }
            state.table.set(value, for: key)
            state.bytes += size
            while state.bytes > limits.bytes || state.table.count > limits.values, let oldest = state.table.oldestKey {
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
