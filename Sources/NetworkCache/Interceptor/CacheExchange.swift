import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The processing of a single request by the cache.
struct CacheExchange: Sendable {
    let cache: CacheInterceptor
    let request: NetworkRequest
    let terms: RequestTerms
    let next: NetworkExchange
    let key: CacheKey
    /// The partition of the request, without the scope of the key.
    private let partition: CachePartition
    /// The method with which the request is sent: that of the request, or POST if its response is that to a later GET.
    private let sentMethod: RequestMethod

    /// - Parameter traits: The traits of the fields of the request, if they are known.
    init(
        cache: CacheInterceptor, request: NetworkRequest, terms: RequestTerms, traits: FieldTraits = .unknown,
        sentAs method: RequestMethod? = nil, next: NetworkExchange
    ) {
        self.cache = cache
        self.request = request
        self.terms = terms
        self.next = next
        partition = cache.partition(of: request, traits)
        key = CacheKey(request, in: partition, traits: traits)
        sentMethod = method ?? request.method
    }

    /// The stored responses for a request.
    struct Selection: Sendable {
        /// The newest one that matches the request (RFC 9111 §4.1).
        var match: CacheEntry?
        /// Those that were selected by other values of the fields that `Vary` names.
        var others: [CacheEntry]
        /// The reason to forward if there is no match.
        var miss: ForwardReason
    }

    /// Selects from the entries that the store returned for ``key``.
    func select(from entries: [CacheEntry]) -> Selection {
        var found: CacheEntry?
        var others: [CacheEntry] = []
        var isKnown = false
        for entry in cache.ledger.trusted(entries) where entry.response.key == key && isForRequest(entry) {
            isKnown = true
            guard StorageRules.matches(entry, request.headers) else {
                others.append(entry)
                continue
            }
            if let other = found, other.response.responseTime >= entry.response.responseTime { continue }
            found = entry
        }
        return Selection(match: found, others: others, miss: isKnown ? .varyMiss : .uriMiss)
    }

    /// Creates the response for the caller from a stored one that may be used without validation.
    func makeResponse(_ entry: CacheEntry, age: Double, ttl: Double) -> NetworkResponse {
        guard terms.conditions == nil else {
            return makeResponse(entry, age: age, status: cache.status.hit(ttl: CacheStatus.whole(ttl)), isValidated: false)
        }
        request.report(.stored)
        cache.ledger.use(key)
        let (age, ttl, status) = (CacheStatus.whole(age), CacheStatus.whole(ttl), cache.status)
        var response = entry.hit(age: age, ttl: ttl, of: status.hitPrefix) { $0.note(status.hit(ttl: ttl), age: age) }
        if request.method == .head { response.body = .empty }
        return response
    }

    /// Creates the response for the caller from a stored one, after evaluating the conditions and the range of the request.
    ///
    /// - Parameter isValidated: Whether the origin has validated the stored response. If not, the fields that `no-cache` lists
    ///   are removed (§5.2.2.4).
    func makeResponse(_ entry: CacheEntry, age: Double, status: String, isValidated: Bool) -> NetworkResponse {
        request.report(.stored)
        cache.ledger.use(key)
        var response = isValidated ? entry.whole : entry.served
        let isHead = request.method == .head
        if isHead { response.body = .empty }
        if let conditions = terms.conditions {
            change(&response, to: ConditionRules.form(conditions, isHead: isHead, entry), entry.response)
        }
        response.note(status, age: CacheStatus.whole(age))
        return response
    }

    private func change(_ response: inout NetworkResponse, to form: ServedForm?, _ stored: StoredResponse) {
        switch form {
        case .whole, nil: return
        case .part(let part):
            response.statusCode = 206
            for name in StorageRules.digestsOfContent { response.headers.remove(name) }
            response.headers.set(part.field, for: "Content-Range")
            response.headers.set(String(part.positions.count), for: "Content-Length")
            let body = stored.body
            let start = body.startIndex + part.positions.lowerBound - (stored.span?.positions.lowerBound ?? 0)
            response.body = .data(body.subdata(in: start..<(start + part.positions.count)))
        case .notModified:
            response.statusCode = 304
            response.headers = ConditionRules.withoutContent(response.headers)
            response.body = .empty
        case .unsatisfiable(let length):
            response.statusCode = 416
            response.headers = ConditionRules.withoutContent(response.headers)
            response.headers.set("bytes */\(length)", for: "Content-Range")
            response.body = .empty
        }
    }

    // MARK: Forwarding

    /// Forwards the request unchanged, and stores the response if that is allowed.
    ///
    /// - Parameters:
    ///   - entry: The stored response that a new one replaces.
    ///   - mayServeOnFailure: Whether the stored response may be returned if the origin fails. `false` if it is known to be outdated.
    func forward(
        _ reason: ForwardReason, replacing entry: CacheEntry?, mayServeOnFailure: Bool = true
    ) async throws(TransportError) -> NetworkResponse {
        let attempt = begin()
        let response: NetworkResponse
        do throws(TransportError) {
            response = try await next(attempt.request)
        } catch {
            if mayServeOnFailure, let entry, let stale = staleResponse(entry, reason, error) { return stale }
            throw error
        }
        if mayServeOnFailure, let entry, let stale = staleResponse(entry, reason, response) { return stale }
        let hasContent = response.statusCode == 200 || response.statusCode == 206 && PartRules.isUsable(response.headers)
        if request.method == .head || terms.conditions != nil && !hasContent {
            return await updateStoredResponse(response, attempt, reason, entry)
        }
        return await storeIfAllowed(response, attempt, reason, replacing: entry)
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
        response.body.stop()
        // The 304 is for another resource or other credentials: request the complete response.
        guard matchesRequest(response, attempt) else { return try await forward(reason, replacing: nil) }
        // The 304 is for another response, so that the stored one is outdated. Without validators, it is for the one in the request.
        guard ValidationRules.isAbout(response.headers, entry.terms) ?? true else {
            return try await forward(reason, replacing: entry, mayServeOnFailure: false)
        }
        return await serve(entry, validatedBy: response, attempt, reason)
    }

    /// Asks the origin whether one of the stored responses that were selected by other values of the fields that `Vary` names is the one for this
    /// request too (§4.3.1). A 304 names it by its entity tag; it is then stored for these values too.
    func select(among others: [CacheEntry]) async throws(TransportError) -> NetworkResponse {
        let attempt = begin()
        let response = try await next(ValidationRules.conditional(attempt.request, others.compactMap(\.terms.entityTag)))
        guard response.statusCode == 304 else { return await storeIfAllowed(response, attempt, .varyMiss, replacing: nil) }
        response.body.stop()
        guard matchesRequest(response, attempt), let named = ValidationRules.named(by: response.headers, among: others) else {
            return try await forward(.varyMiss, replacing: nil)
        }
        return await serve(named, validatedBy: response, attempt, .varyMiss)
    }

    /// Returns a stored response with the fields of the 304 that confirms it, and updates the store.
    private func serve(
        _ entry: CacheEntry, validatedBy response: NetworkResponse, _ attempt: Attempt, _ reason: ForwardReason
    ) async -> NetworkResponse {
        let renewed = CacheEntry(renewed(entry.response, by: response, attempt))
        let isKept = StorageRules.mayStore(terms, renewed.response, renewed.terms, cache.options)
        if attempt.sent.isShared {
            // The exchange that sent the request updates the store.
        } else if isKept {
            await cache.save(renewed, attempt.ticket, request)
        } else if !terms.noStore {
            await cache.forget(.key(key), .invalidated, request)
        }
        let freshness = cache.options.freshness(renewed.terms, at: cache.now().timeIntervalSinceReferenceDate)
        let status = cache.status.forwarded(
            reason, status: 304, isStored: isKept && !attempt.sent.isShared, isCollapsed: attempt.sent.isShared,
            ttl: freshness.ttl)
        return makeResponse(renewed, age: freshness.age, status: status, isValidated: true)
    }

    /// Revalidates a stored response in a separate task, at most one per variant at a time (RFC 5861 §3). Later requests use the
    /// result.
    func revalidateInBackground(_ entry: CacheEntry) {
        let variant = CacheLedger.Variant(key: key, varying: entry.response.varying)
        guard cache.ledger.beginRevalidation(variant, maximum: cache.options.maximumRevalidations) else { return }
        var (request, terms) = (request, terms)
        terms.conditions = nil
        for name in RequestConditions.names { request.headers.remove(name) }
        request.progress = nil
        request.onInformationalResponse = nil
        request.callObserver = nil
        // A closure of the caller is not called after its request has ended.
        if !request.redirects.isDefault { request.redirects = .doNotFollow }
        request.deadline = Deadline(after: cache.options.revalidationTimeout, clock: ContinuousClock())
        let exchange = CacheExchange(cache: cache, request: request, terms: terms, next: next)
        guard exchange.key == key else { return cache.ledger.endRevalidation(variant) }
        Task {
            defer { cache.ledger.endRevalidation(variant) }
            do throws(TransportError) {
                let response =
                    entry.terms.hasValidator
                    ? try await exchange.validate(entry, .stale) : try await exchange.forward(.stale, replacing: entry)
                var remaining = cache.store.maximumEntryBytes
                for try await chunk in response.body {
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

    func begin(_ sent: SentRequest = SentRequest()) -> Attempt {
        var request = request
        request.addCallObserver(sent)
        return Attempt(request: request, sent: sent, ticket: cache.ledger.begin(key), date: cache.now())
    }
}

extension CacheExchange {
    /// Stores a response if that is allowed. A streamed response is stored after it was read to its end.
    func storeIfAllowed(
        _ response: NetworkResponse, _ attempt: Attempt, _ reason: ForwardReason, replacing entry: CacheEntry?
    ) async -> NetworkResponse {
        var response = response
        if attempt.sent.isShared {
            // The exchange that sent the request stores the response.
            response.note(cache.status.forwarded(reason, status: response.statusCode, isCollapsed: true))
            return response
        }
        let head = stored(response, attempt)
        let headTerms = ResponseTerms(head)
        guard matchesRequest(response, attempt), isForRequest(head), fits(response), attempt.ticket.isValid,
            StorageRules.mayStore(terms, head, headTerms, cache.options)
        else {
            response.note(cache.status.forwarded(reason, status: response.statusCode))
            // The stored response is no longer what the origin returns.
            if entry != nil, !terms.noStore, StatusRules.describesResource(response.statusCode) {
                await cache.forget(.key(key), .expired, request)
            }
            return response
        }
        let ttl = cache.options.freshness(headTerms, at: head.responseTime.timeIntervalSinceReferenceDate).ttl
        let isUnused = reason == .uriMiss && cache.noteUnused(key, request)
        let status = cache.status.forwarded(
            reason, status: response.statusCode, isStored: true, ttl: ttl, detail: isUnused ? "unused-partitions" : nil)
        let cache = cache
        let request = request
        let announced = announcedLength(response)
        let keep: @Sendable (Data) async -> Void = { body in
            if let announced, announced != body.count { return }
            var received = head
            received.body = body
            guard received.span != nil else { return }
            if received.isPart {
                let combined = PartRules.combined(received, with: entry?.response)
                if combined.footprint <= cache.store.maximumEntryBytes { received = combined }
            }
            let new = CacheEntry(received)
            guard new.footprint <= cache.store.maximumEntryBytes else { return }
            await cache.save(new, attempt.ticket, request)
        }
        if let data = response.body.data {
            await keep(data)
        } else {
            response.body = response.body.kept(upTo: cache.store.maximumEntryBytes, keep)
        }
        response.note(status)
        return response
    }

    /// Updates or removes the stored response to GET according to a response without content: to HEAD (RFC 9111 §4.3.5), or 304 to
    /// the conditions of the caller, which must name the stored response with its validators (§4.3.4). Other responses change nothing.
    func updateStoredResponse(
        _ response: NetworkResponse, _ attempt: Attempt, _ reason: ForwardReason, _ entry: CacheEntry?
    ) async -> NetworkResponse {
        var noted = response
        noted.note(cache.status.forwarded(reason, status: response.statusCode))
        guard let entry, !attempt.sent.isShared, !terms.noStore, matchesRequest(response, attempt) else { return noted }
        let isSame: Bool
        switch (response.statusCode, request.method) {
        case (304, _):
            isSame = true
            guard ValidationRules.isAbout(response.headers, entry.terms) == true else { return noted }
        case (200, .head):
            let isOfContent = entry.response.statusCode == 200 || entry.response.isPart
            isSame = isOfContent && ValidationRules.agrees(response.headers, with: entry.response)
        default: return noted
        }
        let renewed = CacheEntry(renewed(entry.response, by: response, attempt))
        if isSame, StorageRules.mayStore(terms, renewed.response, renewed.terms, cache.options) {
            await cache.save(renewed, attempt.ticket, request)
        } else {
            await cache.forget(.key(key), .invalidated, request)
        }
        return noted
    }

    /// Returns the stored response with the fields of a response that validated it (§4.3.4).
    func renewed(_ old: StoredResponse, by response: NetworkResponse, _ attempt: Attempt) -> StoredResponse {
        var renewed = old
        renewed.requestTime = attempt.date
        renewed.responseTime = cache.now()
        renewed.headers = StorageRules.updatedHeaders(old.headers, by: response.headers, receivedAt: renewed.responseTime)
        renewed.varying = StorageRules.varying(StorageRules.varyingNames(renewed.headers) ?? [], request.headers)
        return renewed
    }

    /// Returns whether the response to a POST is the one to a later GET.
    func isResponseToGet(_ response: NetworkResponse, _ attempt: Attempt) -> Bool {
        let head = stored(response, attempt)
        return StorageRules.isResponseToGet(head, ResponseTerms(head))
    }

    private func stored(_ response: NetworkResponse, _ attempt: Attempt) -> StoredResponse {
        let date = cache.now()
        return StoredResponse(
            key: key, varying: StorageRules.varying(StorageRules.varyingNames(response.headers) ?? [], request.headers),
            statusCode: response.statusCode, headers: StorageRules.keptHeaders(response.headers, receivedAt: date),
            url: response.url, requestTime: attempt.date, responseTime: date)
    }

    // MARK: Checks of the response

    /// Returns whether the response to the request may be a stored one with regard to redirects: a request that follows them, or decides about each
    /// of them, must not receive one that was returned to another request.
    private func isForRequest(_ entry: CacheEntry) -> Bool { !entry.isRedirect || request.redirects.followsNone }

    private func isForRequest(_ response: StoredResponse) -> Bool { !response.isRedirect || request.redirects.followsNone }

    /// Returns whether the request that was sent behind the cache is equivalent to the request that the cache received, so that
    /// the response may be stored: the same method, URL, `Host` and content of a QUERY, without redirects, the same credentials unless the
    /// partition is named, and the same values of the fields in `Vary`.
    func matchesRequest(_ response: NetworkResponse, _ attempt: Attempt) -> Bool {
        guard let sent = attempt.sent.request, sent.method == sentMethod, response.timings.redirects == 0,
            NormalURL.text(of: sent.url) == key.url, NormalURL.text(of: response.url) == key.url,
            sentMethod == .post || CacheKey.content(of: sent) == key.content,
            KeyScope.text(of: sent, selectedByFields: partition.isNamed)
                == KeyScope.text(of: request, selectedByFields: partition.isNamed),
            partition.isNamed || cache.partition(of: sent) == partition
        else { return false }
        let names = StorageRules.varyingNames(response.headers) ?? []
        let compared = partition.isNamed ? names.filter { NeutralFields.contains($0) } : names
        return StorageRules.varying(compared, sent.headers) == StorageRules.varying(compared, request.headers)
    }

    private func fits(_ response: NetworkResponse) -> Bool {
        (response.body.data?.count ?? announcedLength(response) ?? 0) <= cache.store.maximumEntryBytes
    }

    /// Returns `Content-Length`, or `nil` if it is missing or refers to an encoded body.
    private func announcedLength(_ response: NetworkResponse) -> Int? {
        if response.headers.contains("Content-Encoding") { return nil }
        return response.headers["Content-Length"]?.utf8.decimal(clampedTo: .max).map { Int(clamping: $0) }
    }

    // MARK: Stale responses on failure (RFC 5861 §4)

    func staleResponse(_ entry: CacheEntry, _ reason: ForwardReason, _ error: TransportError) -> NetworkResponse? {
        guard !error.isCancelled, ![.invalidRequest, .invalidConfiguration, .authenticationFailed].contains(error.code) else {
            return nil
        }
        return staleResponse(entry) { cache.status.forwarded(reason, ttl: $0, detail: error.code.rawValue) }
    }

    func staleResponse(_ entry: CacheEntry, _ reason: ForwardReason, _ response: NetworkResponse) -> NetworkResponse? {
        guard StatusRules.isFailure(response.statusCode) else { return nil }
        let stale = staleResponse(entry) { cache.status.forwarded(reason, status: response.statusCode, ttl: $0) }
        if stale != nil { response.body.stop() }
        return stale
    }

    private func staleResponse(_ entry: CacheEntry, _ status: (_ ttl: Double) -> String) -> NetworkResponse? {
        let date = cache.now().timeIntervalSinceReferenceDate
        guard cache.options.mayServeOnFailure(terms, entry.terms, at: date) else { return nil }
        let freshness = cache.options.freshness(entry.terms, at: date)
        return makeResponse(entry, age: freshness.age, status: status(freshness.ttl), isValidated: false)
    }
}

extension NetworkBody {
    /// Returns a body with the same bytes, which are collected while they are read. Nothing is read ahead.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of bytes. If there are more, those collected so far are released and `keep` is not called.
    ///   - keep: Called at most once, with all bytes, when the reader reaches the end of the body. The reader waits until it
    ///     returns.
    func kept(upTo maximum: Int, _ keep: @escaping @Sendable (Data) async -> Void) -> NetworkBody {
        let gathered = Locked<Data?>(Data())
        return observed { chunk in
            gathered.withLock { bytes in
                if let count = bytes?.count, chunk.count <= maximum - count { bytes?.append(chunk) } else { bytes = nil }
            }
        } beforeEnd: { error in
            let body = gathered.withLock { bytes in
                defer { bytes = nil }
                return bytes
            }
            if error == nil, let body { await keep(body) }
        } onStop: {
            gathered.withLock { $0 = nil }
        }
    }
}
