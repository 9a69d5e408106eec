import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A record of the requests and revalidations in progress, and of removals that the store failed to perform.
///
/// A response that was requested before its URL was invalidated or the cache was cleared is not saved afterwards. If a store
/// fails to remove responses, those that it still returns are ignored.
final class CacheLedger: Sendable {
    /// A token for a request in progress. The request is registered until the token is deallocated.
    final class Ticket: Sendable {
        let number: Int
        private let ledger: CacheLedger

        fileprivate init(number: Int, ledger: CacheLedger) {
            self.number = number
            self.ledger = ledger
        }

        deinit { ledger.end(number) }

        /// Whether the response may still be saved: `false` after an invalidation of its key.
        var isValid: Bool { ledger.isValid(number) }
    }

    private struct State {
        var tickets: [Int: CacheKey] = [:]
        var last = 0
        var revalidating: Set<Variant> = []
        var distrusted: [(selection: CacheSelection, until: Date)] = []
        var unused = PartitionWatch()
    }

    /// The identity of a stored response, which is revalidated at most once at a time.
    struct Variant: Hashable {
        var key: CacheKey
        var varying: [StoredResponse.VaryingField]
    }

    private static let maximumDistrusted = 256

    private let state = Locked(State())

    func begin(_ key: CacheKey) -> Ticket {
        let number = state.withLock { state in
            state.last += 1
            state.tickets[state.last] = key
            return state.last
        }
        return Ticket(number: number, ledger: self)
    }

    private func isValid(_ number: Int) -> Bool {
        state.withLock { $0.tickets[number] != nil }
    }

    private func end(_ number: Int) {
        state.withLock { _ = $0.tickets.removeValue(forKey: number) }
    }

    /// Invalidates the tickets of requests in progress whose key is selected, so that their responses are not saved.
    func invalidate(_ selection: CacheSelection) {
        state.withLock { state in
            for (number, key) in state.tickets where selection.contains(key, storedAt: .distantFuture) {
                state.tickets[number] = nil
            }
        }
    }

    // MARK: Unused responses

    /// Records that a stored response is used.
    func use(_ key: CacheKey) { state.withLock { $0.unused.use(key) } }

    /// Records that a response is stored for a URL, in a partition without one. Returns a notice, at most once.
    func store(_ key: CacheKey, _ fields: () -> [HeaderFields.Field]) -> UnusedPartitions? {
        let fields = fields()
        return state.withLock { $0.unused.store(key, fields) }
    }

    // MARK: Failed removals

    /// Ignores the selected responses that were received until a date.
    func distrust(_ selection: CacheSelection, until date: Date) {
        state.withLock { state in
            // Beyond the limit, one entry that covers all responses replaces the list.
            if state.distrusted.count >= Self.maximumDistrusted { state.distrusted = [(.all, date)] }
            state.distrusted.append((selection, date))
        }
    }

    /// Returns the entries that no failed removal has selected.
    func trusted(_ entries: [CacheEntry]) -> [CacheEntry] {
        state.withLock { state in
            guard !state.distrusted.isEmpty else { return entries }
            return entries.filter { entry in
                state.distrusted.allSatisfy { selection, until in
                    let date = entry.response.responseTime
                    return date > until || !selection.contains(entry.response.key, storedAt: date)
                }
            }
        }
    }

    // MARK: Revalidations

    /// Registers a revalidation.
    ///
    /// - Returns: `false` if the variant is already being revalidated, or the maximum number of revalidations is reached.
    func beginRevalidation(_ variant: Variant, maximum: Int) -> Bool {
        state.withLock { $0.revalidating.count < maximum && $0.revalidating.insert(variant).inserted }
    }

    func endRevalidation(_ variant: Variant) {
        state.withLock { _ = $0.revalidating.remove(variant) }
    }
}
