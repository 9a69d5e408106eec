import Endpoints
import Foundation
import NetworkCore

extension CacheInterceptor {
    /// Under what the response to a request is kept: for `remove(.key(…))`.
    ///
    /// - Parameter request: With the credentials it has when it reaches the cache.
    public func key(for request: NetworkRequest) -> CacheKey {
        CacheKey(request, named: partition?(request))
    }

    /// Forgets what is selected: `.key(…)`, `.url(…)`, `.host(…)`, `.partition(…)`, `.storedBefore(…)` or `.all`. What is on its way is not kept either.
    ///
    /// - Returns: How many responses that were, as far as the store can tell.
    /// - Throws: ``CacheStoreError`` where the store fails. Even then nothing of it is used by this cache any more.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws(CacheStoreError) -> Int {
        ledger.void(selection)
        do throws(CacheStoreError) {
            return try await store.remove(selection, because: .removed)
        } catch {
            ledger.distrust(selection, until: now())
            throw error
        }
    }

    /// Forgets everything.
    ///
    /// - Throws: As ``remove(_:)``.
    public func removeAll() async throws(CacheStoreError) {
        try await remove(.all)
    }

    // MARK: On behalf of a request: what a store throws is logged, and goes no further.

    func entries(for key: CacheKey, _ request: NetworkRequest) async -> [CacheEntry] {
        do throws(CacheStoreError) {
            return try await store.entries(for: key)
        } catch {
            log(error, request)
            return []
        }
    }

    func save(_ entry: CacheEntry, _ ticket: CacheLedger.Ticket, _ request: NetworkRequest) async {
        guard ticket.isValid else { return }
        do throws(CacheStoreError) {
            try await store.save(entry)
        } catch {
            log(error, request)
        }
        // Forgotten while it was being saved.
        if !ticket.isValid { await forget(.key(entry.response.key), .invalidated, request) }
    }

    /// All that is kept of a URL, whoever it is for.
    func forget(_ url: String, _ request: NetworkRequest) async {
        var selection = CacheSelection()
        selection.url = url
        ledger.void(selection)
        await forget(selection, .invalidated, request)
    }

    func forget(_ selection: CacheSelection, _ reason: CacheRemoval, _ request: NetworkRequest) async {
        do throws(CacheStoreError) {
            try await store.remove(selection, because: reason)
        } catch {
            ledger.distrust(selection, until: now())
            log(error, request)
        }
    }

    func log(_ error: any Error, _ request: NetworkRequest) {
        guard let logger, logger.isEnabled else { return }
        logger.log(error: error, for: request.logged)
    }
}
