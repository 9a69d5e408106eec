import Endpoints
import Foundation
import NetworkCore

/// Answers from responses it has kept, as RFC 9111 lets a private cache do, and keeps those that come.
///
/// ```swift
/// let cache = CacheInterceptor(store: MemoryCacheStore(maximumBytes: 64 << 20))
/// let service = DefaultNetworkService(configuration: api, interceptors: [cache] + RequestPipeline().interceptors)
/// ```
///
/// Kept are whole answers to GET; they answer GET and HEAD. A request with a `Range` or with conditions of its own goes to the origin
/// as it is, and its answer is not kept. Nor is one that came by a redirect, which may have been for once. Every response tells in
/// `Cache-Status` (RFC 9211) what became of the request.
///
/// **Whose responses.** Each credential has its own: all header fields that hold one are part of the key, as a digest. Behind an
/// interceptor that adds credentials that happens by itself. In front of it, as in the sample, the cache does not see them: then it notices
/// when it sees the request that was really sent, and keeps nothing, unless `partition` names whose responses they are. It cannot see what the session manager
/// adds: where ``NetworkCore/SessionConfiguration/storesCookies`` is on, or clients show certificates, name the partition, or give each session manager
/// a cache of its own.
///
/// **Where.** What stands behind it costs a hit nothing: put it in front of coalescing, breaker, rate and gate, behind authentication, which is where
/// `RequestPipeline.cache` of NetworkPipeline puts it; or, with a partition, in front of everything. What stands in front sees hits too. An interceptor behind it that answers by itself, without a request being sent, has its answers not kept.
public final class CacheInterceptor: NetworkInterceptor {
    /// Where responses are kept.
    public let store: any CacheStore
    /// What RFC 9111 leaves open.
    public let policy: CachePolicy
    let partition: (@Sendable (NetworkRequest) -> CachePartition?)?
    let status: CacheStatus
    let logger: (any NetworkErrorLogger)?
    let now: @Sendable () -> Date
    let ledger = CacheLedger()

    /// - Parameters:
    ///   - store: Where responses are kept; 16 MiB of memory unless given. Two caches may share one.
    ///   - policy: What RFC 9111 leaves open.
    ///   - name: What it is called in `Cache-Status`.
    ///   - partition: Whose the response to a request is, in place of its credentials; `nil` from it leaves it to the credentials. Runs
    ///     once per request, on the caller's task.
    ///   - logger: Hears of stores that fail, and of revalidations in the background that do.
    ///   - now: What ages are measured with.
    public init(
        store: any CacheStore = MemoryCacheStore(), policy: CachePolicy = CachePolicy(), name: String = "NetworkCache",
        partition: (@Sendable (NetworkRequest) -> CachePartition?)? = nil, logger: (any NetworkErrorLogger)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.policy = policy
        self.partition = partition
        self.logger = logger
        self.now = now
        status = CacheStatus(name: name)
    }

    /// Answers from what is kept, or sends the request on.
    ///
    /// - Throws: What `next` throws. Nothing else: a store that fails is a miss.
    public func intercept(_ request: NetworkRequest, next: @escaping NetworkExchange) async throws(TransportError)
        -> NetworkResponse
    {
        let isHead = request.method == .head
        guard isHead || request.method == .get, request.body == nil else { return try await forwardAndInvalidate(request, next) }
        let terms = RequestTerms(request.headers)
        if terms.isConditionalOrPartial { return try await bypass(request, terms, next) }
        let exchange = CacheExchange(cache: self, request: request, terms: terms, next: next)
        let (entry, miss) = await exchange.find()
        let date = now()
        let decision = policy.decision(
            terms, entry?.terms, miss: miss, isHead: isHead, at: date.timeIntervalSinceReferenceDate)
        switch (decision, entry) {
        case (.serve(let age, let ttl, let revalidates), let entry?):
            if revalidates { exchange.revalidateInBackground(entry) }
            return exchange.makeResponse(entry, age: age, status: status.hit(ttl: ttl), isValidated: false)
        case (.validate(let reason), let entry?): return try await exchange.validate(entry, reason)
        case (.forward(let reason), _): return try await exchange.forward(reason, replacing: entry)
        default: return unavailable(request)
        }
    }

    /// Neither GET nor HEAD: what it changes is forgotten (RFC 9111 §4.4).
    private func forwardAndInvalidate(_ request: NetworkRequest, _ next: NetworkExchange) async throws(TransportError)
        -> NetworkResponse
    {
        var response = try await next(request)
        for url in ValidationRules.invalidated(by: request, response) { await forget(url, request) }
        response.note(status.forwarded(.method))
        return response
    }

    private func bypass(
        _ request: NetworkRequest, _ terms: RequestTerms, _ next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        if terms.onlyIfCached { return unavailable(request) }
        var response = try await next(request)
        response.note(status.forwarded(.bypass))
        return response
    }

    private func unavailable(_ request: NetworkRequest) -> NetworkResponse {
        NetworkResponse(statusCode: 504, headers: ["Cache-Status": status.notForwarded()], url: request.url)
    }
}

extension NetworkInterceptor where Self == CacheInterceptor {
    /// Keeps responses in memory. Make one, and use it for all.
    ///
    /// - Parameter maximumBytes: What is kept at most. 16 MiB unless given.
    public static func cache(maximumBytes: Int = 16 << 20) -> CacheInterceptor {
        CacheInterceptor(store: MemoryCacheStore(maximumBytes: maximumBytes))
    }
}

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
        ledger.invalidate(selection)
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
        ledger.invalidate(selection)
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
