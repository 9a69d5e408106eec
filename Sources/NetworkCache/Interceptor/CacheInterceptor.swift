import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that stores responses and reuses them, as a private cache according to RFC 9111.
///
/// ```swift
/// let cache = CacheInterceptor(store: try DiskCacheStore(directory: folder))
/// let service = DefaultNetworkService(
///     configuration: api, interceptors: [cache] + RequestPipeline().interceptors)
/// ```
///
/// The cache stores responses to GET and to QUERY (RFC 10008), and uses those to GET also for HEAD, even if the request has
/// `If-None-Match` or `If-Modified-Since`, or asks for one range of bytes. Parts of the content with a strong entity tag are stored
/// too, and combined. The content of a QUERY is part of the key: it must be in
/// memory or in a file, and have at most 1 MiB. A response that was received after a redirect is not stored, because the redirect
/// may have been temporary; a redirect itself is stored only for requests that do not follow redirects (``Endpoints/RedirectPolicy/doNotFollow``).
/// The `Cache-Status` field (RFC 9211) of every response states how the cache handled the request.
/// If 16 responses to one URL are stored in a row, each in another partition, and none is used, that is logged once with the names of the fields that
/// separate them, and the response has the detail `unused-partitions`.
///
/// **Partitions.** Responses are separate for each set of credentials: all header fields with credentials are part of the key, as
/// a digest. Behind an interceptor that adds credentials, this needs no configuration. In front of it, as in the sample, the
/// cache does not see the credentials when it receives the request. It compares that request with the one that was actually sent,
/// and stores nothing if credentials were added, unless `partition` names the partition. Cookies of
/// ``NetworkCore/SessionConfiguration/cookies`` count as credentials. What a session manager adds itself, such as a client certificate or the
/// credentials of a proxy, is part of the key as its ``NetworkCore/SessionIdentity``, also if the partition is named.
///
/// **Position.** A hit skips all interceptors behind the cache. Put it behind authentication and in front of coalescing, circuit
/// breaker, rate limit and concurrency limit, where `RequestPipeline.cache` of NetworkPipeline puts it; or, with a partition, in
/// front of all others. Interceptors in front of it observe hits too. If an interceptor behind it returns a response without
/// sending a request, that response is not stored.
public final class CacheInterceptor: NetworkInterceptor {
    /// The store that holds the responses.
    package let store: any CacheStore
    /// The choices that RFC 9111 leaves to a cache.
    package let options: CacheOptions
    private let partition: (@Sendable (NetworkRequest) -> CachePartition)?
    let status: CacheStatus
    let logger: (any NetworkErrorLogger)?
    let now: @Sendable () -> Date
    let ledger = CacheLedger()
    /// The store, if it is in memory: it is called without a suspension.
    private let memory: MemoryCacheStore?
    private let digests = PartitionDigests()

    /// Creates a cache over a store.
    ///
    /// - Parameters:
    ///   - store: The store for the responses. Several caches may share a store. Default: 16 MiB of memory.
    ///   - options: The choices that RFC 9111 leaves to a cache.
    ///   - name: The name of the cache in `Cache-Status`.
    ///   - partition: Returns the partition for a request; for those that need no name, ``CachePartition/init(credentialsOf:)``, which is the
    ///     default. Called for each request, on the caller's task, and if the partition has no name, also for the request as it was sent: if
    ///     the results differ, the response is not stored.
    ///   - logger: Receives failures of the store and of revalidations in the background.
    ///   - now: Returns the current date, from which ages are calculated.
    public init(
        store: any CacheStore = MemoryCacheStore(), options: CacheOptions = CacheOptions(), name: String = "NetworkCache",
        partition: (@Sendable (NetworkRequest) -> CachePartition)? = nil, logger: (any NetworkErrorLogger)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        memory = store as? MemoryCacheStore
        self.options = options
        self.partition = partition
        self.logger = logger
        self.now = now
        status = CacheStatus(name: name)
    }

    /// - Parameter traits: The traits of the fields of the request, if they are known.
    func partition(of request: NetworkRequest, _ traits: FieldTraits = .unknown) -> CachePartition {
        if let partition { return partition(request) }
        return CachePartition(request, ignoring: options.ignoredFields, traits: traits, digests: digests)
    }

    /// Returns a stored response, or forwards the request.
    ///
    /// - Throws: Only errors of `next`. A failure of the store is treated as a miss.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError)
        -> NetworkResponse
    {
        let isHead = request.method == .head
        guard request.method == .query || (isHead || request.method == .get) && request.body == nil else {
            return try await forwardAndInvalidate(request, next)
        }
        let traits = FieldTraits(request.headers)
        let terms = RequestTerms(request.headers, traits)
        guard !terms.isForOrigin, !traits.contains(.replacesMethod) else { return try await bypass(request, terms, next) }
        var request = request
        if request.body != nil {
            guard let loaded = await withContentInMemory(request) else { return try await bypass(request, terms, next) }
            request = loaded
        }
        let exchange = CacheExchange(cache: self, request: request, terms: terms, traits: traits, next: next)
        // A store in memory is not awaited.
        let selection: CacheExchange.Selection
        if let memory {
            selection = exchange.select(from: memory.entries(for: exchange.key))
        } else {
            selection = exchange.select(from: await entries(for: exchange.key, request))
        }
        guard let entry = selection.match else {
            return try await respond(options.decision(terms, miss: selection.miss), exchange, selection)
        }
        guard ConditionRules.canServe(terms, isHead: isHead, entry) else {
            guard entry.response.isPart else { return try await bypass(request, terms, next) }
            if terms.onlyIfCached { return unavailable(request) }
            return try await exchange.forward(.partial, replacing: entry, mayServeOnFailure: false)
        }
        let decision = options.decision(terms, entry.terms, isHead: isHead, at: now().timeIntervalSinceReferenceDate)
        guard case .serve(let age, let ttl, let revalidates) = decision else {
            return try await respond(decision, exchange, selection)
        }
        if revalidates { exchange.revalidateInBackground(entry) }
        return exchange.makeResponse(entry, age: age, ttl: ttl)
    }

    /// Forwards a request for which no stored response may be used without validation.
    private func respond(
        _ decision: CacheDecision, _ exchange: CacheExchange, _ selection: CacheExchange.Selection
    ) async throws(TransportError) -> NetworkResponse {
        let terms = exchange.terms
        switch (decision, selection.match) {
        case (.validate(let reason), let entry?): return try await exchange.validate(entry, reason)
        case (.forward(let reason), nil) where exchange.request.method != .head && terms.conditions == nil:
            let complete = selection.others.filter { $0.response.statusCode == 200 && $0.terms.entityTag != nil }
            if complete.isEmpty || terms.noStore { return try await exchange.forward(reason, replacing: nil) }
            return try await exchange.select(among: complete)
        case (.forward(let reason), _):
            // A request with `no-store` leaves the stored response as it is.
            return try await exchange.forward(reason, replacing: terms.noStore ? nil : selection.match)
        default: return unavailable(exchange.request)
        }
    }

    /// The maximum length of the content of a QUERY whose response is stored, in bytes: 1 MiB.
    static let maximumContentBytes = 1 << 20

    /// Returns the request with its content in memory, so that what is sent is what the key contains. `nil` if the content is a
    /// stream, is longer than ``maximumContentBytes``, or cannot be read.
    private func withContentInMemory(_ request: NetworkRequest) async -> NetworkRequest? {
        guard let body = request.body else { return request }
        switch body.source {
        case .data(let text): return text.count <= Self.maximumContentBytes ? request : nil
        case .file:
            guard let content = try? await body.collected(maximumBytes: Self.maximumContentBytes) else { return nil }
            var request = request
            request.body = .data(content)
            return request
        case .stream, .sequence, .received: return nil
        }
    }

    /// Forwards a request with a method whose responses are not stored, or a GET or HEAD with a body, and removes the stored
    /// responses that it invalidates (RFC 9111 §4.4).
    private func forwardAndInvalidate(_ request: NetworkRequest, _ next: NetworkExchange) async throws(TransportError)
        -> NetworkResponse
    {
        let sent = SentRequest()
        var observed = request
        observed.addCallObserver(sent)
        let get = exchangeForGet(request, next)
        // It becomes invalid if another request changes the resource in the meantime.
        let before = get?.begin(sent)
        var response: NetworkResponse
        do throws(TransportError) {
            response = try await next(observed)
        } catch {
            for url in ValidationRules.invalidated(by: request, redirects: sent.redirects, nil) { await forget(url, request) }
            throw error
        }
        let isCurrent = before?.ticket.isValid ?? false
        for url in ValidationRules.invalidated(by: request, redirects: sent.redirects, response) { await forget(url, request) }
        if let get, let before, isCurrent {
            let attempt = CacheExchange.Attempt(
                request: before.request, sent: sent, ticket: ledger.begin(get.key), date: before.date)
            if get.isResponseToGet(response, attempt) {
                return await get.storeIfAllowed(response, attempt, .method, replacing: nil)
            }
        }
        response.note(status.forwarded(.method))
        return response
    }

    /// Returns what stores the response to a POST for later GET requests, if that is possible (RFC 9110 §9.3.3).
    private func exchangeForGet(_ request: NetworkRequest, _ next: NetworkExchange) -> CacheExchange? {
        guard request.method == .post, !request.headers.replaceMethod else { return nil }
        var get = request
        get.method = .get
        get.body = nil
        let terms = RequestTerms(request.headers)
        guard terms.conditions == nil, !terms.isForOrigin, !terms.noStore else { return nil }
        return CacheExchange(cache: self, request: get, terms: terms, sentAs: .post, next: next)
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

extension CacheInterceptor {
    /// Returns the key under which the response to a request is stored, for `remove(.key(…))`.
    ///
    /// - Parameters:
    ///   - request: The request as it reaches the cache, with its credentials. The body of a QUERY must be in memory; with another one, the key
    ///     selects no response.
    ///   - session: The session manager that sends it. Default: one with the identity ``NetworkCore/SessionIdentity/standard``. Without a stated
    ///     identity, the key selects no response.
    public func key(for request: NetworkRequest, sentBy session: (any NetworkSessionManager)? = nil) -> CacheKey {
        var request = request
        if let session { request.credentials.session = session.identity.text }
        return CacheKey(request, in: partition(of: request))
    }

    /// Removes the selected responses: `.key(…)`, `.url(…)`, `.host(…)`, `.partition(…)`, `.storedBefore(…)` or `.all`. Selected
    /// responses to requests in progress are not stored.
    ///
    /// - Returns: The number of removed responses, as reported by the store.
    /// - Throws: ``CacheStoreError`` if the store fails. Even then, this cache no longer uses the selected responses.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        ledger.invalidate(selection)
        do throws(CacheStoreError) {
            return try await store.remove(selection, because: .removed)
        } catch {
            ledger.distrust(selection, until: now())
            throw error
        }
    }

    // MARK: Store access during requests. Errors are logged and not rethrown.

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
        // The response was invalidated while it was being saved.
        if !ticket.isValid { await forget(.key(entry.response.key), .invalidated, request) }
    }

    /// Removes all responses for a URL, in all partitions.
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

    /// Notes that a response is stored in a partition without one for its URL. Logs, once, that such responses are never used.
    ///
    /// - Returns: Whether this is the response at which that is noticed.
    func noteUnused(_ key: CacheKey, _ request: NetworkRequest) -> Bool {
        let notice = ledger.store(key) {
            partition(of: request).isNamed ? [] : CachePartition.fields(of: request, ignoring: options.ignoredFields)
        }
        if let notice { log(notice, request) }
        return notice != nil
    }

    func log(_ error: any Error, _ request: NetworkRequest) {
        guard let logger, logger.isEnabled else { return }
        logger.log(error: error, for: request.logged)
    }
}

extension CacheInterceptor: RedactedStringConvertible {}
