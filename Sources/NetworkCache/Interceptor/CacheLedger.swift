import Foundation
import NetworkCore

/// Who is about to save a response, and what must not be believed any more.
///
/// A response that was asked for before its URL was changed, or the cache cleared, is not saved after it. Where a store fails to
/// forget, what it hands out is measured against this.
final class CacheLedger: Sendable {
    /// Held while a response is on its way.
    final class Ticket: Sendable {
        let number: Int
        private let ledger: CacheLedger

        fileprivate init(number: Int, ledger: CacheLedger) {
            self.number = number
            self.ledger = ledger
        }

        deinit { ledger.end(number) }

        /// Whether what was asked for may still be saved.
        var isValid: Bool { ledger.isValid(number) }
    }

    private struct State {
        var tickets: [Int: CacheKey] = [:]
        var last = 0
        var revalidating: Set<Variant> = []
        var distrusted: [(selection: CacheSelection, until: Date)] = []
    }

    /// What is revalidated at most once at a time.
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

    /// No one who is on the way saves what is selected.
    func invalidate(_ selection: CacheSelection) {
        state.withLock { state in
            for (number, key) in state.tickets where selection.contains(key, storedAt: .distantFuture) {
                state.tickets[number] = nil
            }
        }
    }

    // MARK: Stores that fail to forget

    /// What is selected and was received until a date is not used.
    func distrust(_ selection: CacheSelection, until date: Date) {
        state.withLock { state in
            // One that covers all, rather than to forget.
            if state.distrusted.count >= Self.maximumDistrusted { state.distrusted = [(.all, date)] }
            state.distrusted.append((selection, date))
        }
    }

    func trusts(_ entry: CacheEntry) -> Bool {
        state.withLock { state in
            state.distrusted.allSatisfy { selection, until in
                let date = entry.response.responseTime
                return date > until || !selection.contains(entry.response.key, storedAt: date)
            }
        }
    }

    // MARK: Revalidations

    /// - Returns: `false` where one is under way already, or too many.
    func beginRevalidation(_ variant: Variant, maximum: Int) -> Bool {
        state.withLock { $0.revalidating.count < maximum && $0.revalidating.insert(variant).inserted }
    }

    func endRevalidation(_ variant: Variant) {
        state.withLock { _ = $0.revalidating.remove(variant) }
    }
}
