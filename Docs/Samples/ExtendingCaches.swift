import DataTransfer
import Foundation
import NetworkCache

let api = try APIConfiguration("https://api.example.com/3")

// snippet.store
actor EncodedStore: CacheStore {
    nonisolated var maximumEntryBytes: Int { 1 << 20 }
    private var responses: [CacheKey: [Data]] = [:]

    func entries(for key: CacheKey) throws(CacheStoreError) -> [CacheEntry] {
        var entries: [CacheEntry] = []
        for data in responses[key] ?? [] {
            entries.append(try CacheEntry(encoded: data))
        }
        return entries
    }

    func save(_ entry: CacheEntry) throws(CacheStoreError) {
        let others = try entries(for: entry.key).filter {
            !$0.isSameVariant(as: entry)
        }
        responses[entry.key] = (others + [entry]).map { $0.encoded() }
    }

    func remove(_ selection: CacheSelection, because reason: CacheRemoval)
        throws(CacheStoreError) -> Int
    {
        var count = 0
        for key in Array(responses.keys) {
            let all = try entries(for: key)
            let kept = all.filter {
                !selection.contains(key, storedAt: $0.storedAt)
            }
            count += all.count - kept.count
            responses[key] = kept.isEmpty ? nil : kept.map { $0.encoded() }
        }
        return count
    }
}

let cache = CacheInterceptor(store: EncodedStore())
let service = DefaultDataTransferService(
    configuration: api, interceptors: [cache])
// snippet.end

print(service)
