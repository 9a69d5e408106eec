import Endpoints
import Foundation
import NetworkCore

/// The processing of a single request by the cache.
struct CacheExchange: Sendable {
    let cache: CacheInterceptor
    let request: NetworkRequest
    let terms: RequestTerms
    let next: NetworkExchange
    let key: CacheKey
    /// Whether the caller's closure named the partition, so that the credentials do not determine it.
    let isNamed: Bool

    init(cache: CacheInterceptor, request: NetworkRequest, terms: RequestTerms, next: @escaping NetworkExchange) {
        self.cache = cache
        self.request = request
        self.terms = terms
        self.next = next
        let named = cache.partition?(request)
        isNamed = named != nil
        key = CacheKey(request, named: named)
    }

    /// Returns the newest stored response that matches the request (RFC 9111 §4.1), and the reason to forward if there is none.
    func find() async -> (CacheEntry?, ForwardReason) {
        let entries = await cache.entries(for: key, request)
        var found: CacheEntry?
        for entry in entries where entry.response.key == key && StorageRules.matches(entry.response.varying, request.headers) {
            guard cache.ledger.trusts(entry) else { continue }
            if let other = found, other.response.responseTime >= entry.response.responseTime { continue }
            found = entry
        }
        return (found, entries.isEmpty ? .uriMiss : .varyMiss)
    }

    /// Creates the response for the caller from a stored one.
    ///
    /// - Parameter isValidated: Whether the origin has validated the stored response. If not, the fields that `no-cache` lists
    ///   are removed (§5.2.2.4).
    func makeResponse(_ entry: CacheEntry, age: Double, status: String, isValidated: Bool) -> NetworkResponse {
        request.attemptObserver?.responseIsStored()
        let stored = entry.response
        var response = NetworkResponse(
            statusCode: stored.statusCode, headers: stored.headers, body: request.method == .head ? Data() : stored.body,
            url: stored.url)
        if !isValidated { for name in entry.terms.hiddenFields { response.headers.remove(name) } }
        response.headers.reserveCapacity(response.headers.count + 2)
        response.headers.set(String(CacheStatus.whole(age)), for: "Age")
        response.note(status)
        return response
    }

    // MARK: Forwarding

    /// Forwards the request unchanged, and stores the response if that is allowed.
    func forward(_ reason: ForwardReason, replacing entry: CacheEntry?) async throws(TransportError) -> NetworkResponse {
        let attempt = begin()
        let response: NetworkResponse
        do throws(TransportError) {
            response = try await next(attempt.request)
        } catch {
            if let entry, let stale = staleResponse(entry, reason, error) { return stale }
            throw error
        }
        if let entry, let stale = staleResponse(entry, reason, response) { return stale }
        return request.method == .head
            ? await updateStoredResponse(response, attempt, reason, entry)
            : await storeIfAllowed(response, attempt, reason, replacing: entry)
    }

    /// Validates a stored response with the origin (§4.3).
    func validate(_ entry: CacheEntry, _ reason: ForwardReason) async throws(TransportError) -> NetworkResponse {
        let attempt = begin()
        let response: NetworkResponse
        do throws(TransportError) {
            response = try await next(ValidationRules.conditional(attempt.request, entry.terms))
        } catch {
            if let stale = staleResponse(entry, reason, error) { return stale }
            throw error
        }
        guard response.statusCode == 304 else {
            if let stale = staleResponse(entry, reason, response) { return stale }
            return await storeIfAllowed(response, attempt, reason, replacing: entry)
        }
        response.stream?.stop()
        // The 304 is for another resource, another response or other credentials: request the complete response.
        guard matchesRequest(response, attempt), ValidationRules.isAbout(response.headers, entry.terms) else {
            return try await forward(reason, replacing: nil)
        }
        let renewed = CacheEntry(renewed(entry.response, by: response, attempt))
        let isKept = StorageRules.mayStore(terms, renewed.response, renewed.terms, cache.policy)
        if attempt.sent.isShared {
            // The exchange that sent the request updates the store.
        } else if isKept {
            await cache.save(renewed, attempt.ticket, request)
        } else if !terms.noStore {
            await cache.forget(.key(key), .invalidated, request)
        }
        let freshness = cache.policy.freshness(renewed.terms, at: cache.now().timeIntervalSinceReferenceDate)
        let status = cache.status.forwarded(
            reason, status: 304, isStored: isKept && !attempt.sent.isShared, isCollapsed: attempt.sent.isShared,
            ttl: freshness.ttl)
        return makeResponse(renewed, age: freshness.age, status: status, isValidated: true)
    }

    /// Revalidates a stored response in a separate task, at most one per variant at a time (RFC 5861 §3). Later requests use the
    /// result.
    func revalidateInBackground(_ entry: CacheEntry) {
        let variant = CacheLedger.Variant(key: key, varying: entry.response.varying)
        guard cache.ledger.beginRevalidation(variant, maximum: cache.policy.maximumRevalidations) else { return }
        var request = request
        request.progress = nil
        request.attemptObserver = nil
        request.deadline = Deadline(after: cache.policy.revalidationTimeout, clock: ContinuousClock())
        let exchange = CacheExchange(cache: cache, request: request, terms: terms, next: next)
        Task {
            defer { cache.ledger.endRevalidation(variant) }
            do throws(TransportError) {
                let response =
                    entry.terms.hasValidator
                    ? try await exchange.validate(entry, .stale) : try await exchange.forward(.stale, replacing: entry)
                var remaining = cache.store.maximumEntryBytes
                guard let stream = response.stream else { return }
                for try await chunk in stream {
                    remaining -= chunk.count
                    if remaining < 0 { break }
                }
            } catch {
                cache.log(error, request)
            }
        }
    }

    /// A request that is forwarded, with what is needed to store its response.
    struct Attempt: Sendable {
        var request: NetworkRequest
        let sent: SentRequest
        let ticket: CacheLedger.Ticket
        let date: Date
    }

    private func begin() -> Attempt {
        let sent = SentRequest()
        var request = request
        request.addAttemptObserver(sent)
        return Attempt(request: request, sent: sent, ticket: cache.ledger.begin(key), date: cache.now())
    }
}
