import Endpoints
import Foundation
import NetworkCore

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
        guard matchesRequest(response, attempt), StorageRules.mayStore(terms, head, headTerms, cache.policy), fits(response),
            attempt.ticket.isValid
        else {
            response.note(cache.status.forwarded(reason, status: response.statusCode))
            // The stored response is no longer what the origin returns.
            if entry != nil, !terms.noStore, StatusRules.describesResource(response.statusCode) {
                await cache.forget(.key(key), .expired, request)
            }
            return response
        }
        let ttl = cache.policy.freshness(headTerms, at: head.responseTime.timeIntervalSinceReferenceDate).ttl
        let status = cache.status.forwarded(reason, status: response.statusCode, isStored: true, ttl: ttl)
        let cache = cache
        let request = request
        let announced = announcedLength(response)
        let keep: @Sendable (Data) async -> Void = { body in
            if let announced, announced != body.count { return }
            var complete = head
            complete.body = body
            let entry = CacheEntry(complete)
            guard entry.footprint <= cache.store.maximumEntryBytes else { return }
            await cache.save(entry, attempt.ticket, request)
        }
        if let stream = response.stream {
            response.stream = stream.kept(upTo: cache.store.maximumEntryBytes, keep)
        } else {
            await keep(response.body)
        }
        response.note(status)
        return response
    }

    /// Updates or removes the stored response to GET according to the response to a HEAD (RFC 9111 §4.3.5).
    func updateStoredResponse(
        _ response: NetworkResponse, _ attempt: Attempt, _ reason: ForwardReason, _ entry: CacheEntry?
    ) async -> NetworkResponse {
        var response = response
        response.note(cache.status.forwarded(reason, status: response.statusCode))
        guard let entry, !attempt.sent.isShared, response.statusCode == 200, !terms.noStore, matchesRequest(response, attempt)
        else {
            return response
        }
        let renewed = CacheEntry(renewed(entry.response, by: response, attempt))
        if entry.response.statusCode == 200, ValidationRules.agrees(response.headers, with: entry.response),
            StorageRules.mayStore(terms, renewed.response, renewed.terms, cache.policy)
        {
            await cache.save(renewed, attempt.ticket, request)
        } else {
            await cache.forget(.key(key), .invalidated, request)
        }
        return response
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

    private func stored(_ response: NetworkResponse, _ attempt: Attempt) -> StoredResponse {
        let date = cache.now()
        return StoredResponse(
            key: key, varying: StorageRules.varying(StorageRules.varyingNames(response.headers) ?? [], request.headers),
            statusCode: response.statusCode, headers: StorageRules.keptHeaders(response.headers, receivedAt: date),
            url: response.url, requestTime: attempt.date, responseTime: date)
    }

    // MARK: Checks of the response

    /// Returns whether the request that was sent behind the cache is equivalent to the request that the cache received, so that
    /// the response may be stored: the same method and URL without redirects, the same credentials unless the partition is named,
    /// and the same values of the fields in `Vary`.
    func matchesRequest(_ response: NetworkResponse, _ attempt: Attempt) -> Bool {
        guard let sent = attempt.sent.request, sent.method == request.method, response.timings.redirects == 0,
            NormalURL.text(of: sent.url) == key.url, NormalURL.text(of: response.url) == key.url,
            isNamed || CachePartition(credentialsOf: sent).text == key.partition
        else { return false }
        let names = StorageRules.varyingNames(response.headers) ?? []
        let compared = isNamed ? names.filter { NeutralFields.contains($0) } : names
        return StorageRules.varying(compared, sent.headers) == StorageRules.varying(compared, request.headers)
    }

    private func fits(_ response: NetworkResponse) -> Bool {
        guard response.stream == nil else { return (announcedLength(response) ?? 0) <= cache.store.maximumEntryBytes }
        return response.body.count <= cache.store.maximumEntryBytes
    }

    /// Returns `Content-Length`, or `nil` if it is missing or refers to an encoded body.
    private func announcedLength(_ response: NetworkResponse) -> Int? {
        response.headers.contains("Content-Encoding") ? nil : response.headers["Content-Length"].flatMap { Int($0) }
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
        if stale != nil { response.stream?.stop() }
        return stale
    }

    private func staleResponse(_ entry: CacheEntry, _ status: (_ ttl: Double) -> String) -> NetworkResponse? {
        let date = cache.now().timeIntervalSinceReferenceDate
        guard cache.policy.mayServeOnFailure(terms, entry.terms, at: date) else { return nil }
        let freshness = cache.policy.freshness(entry.terms, at: date)
        return makeResponse(entry, age: freshness.age, status: status(freshness.ttl), isValidated: false)
    }
}

extension ResponseStream {
    /// Returns a stream with the same bytes, which are collected while they are read. Nothing is read ahead.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of bytes. If there are more, those collected so far are released and `keep` is not called.
    ///   - keep: Called at most once, with all bytes, when the reader reaches the end of the stream. The reader waits until it
    ///     returns.
    func kept(upTo maximum: Int, _ keep: @escaping @Sendable (Data) async -> Void) -> ResponseStream {
        let gathered = Locked<Data?>(Data())
        return ResponseStream { () async throws(TransportError) in
            var iterator = makeAsyncIterator()
            do throws(TransportError) {
                if let chunk = try await iterator.next() {
                    gathered.withLock { bytes in
                        if let count = bytes?.count, chunk.count <= maximum - count { bytes?.append(chunk) } else { bytes = nil }
                    }
                    return chunk
                }
            } catch {
                gathered.withLock { $0 = nil }
                throw error
            }
            let body = gathered.withLock { bytes in
                defer { bytes = nil }
                return bytes
            }
            if let body { await keep(body) }
            return nil
        } end: {
            end
        } stop: {
            stop()
            gathered.withLock { $0 = nil }
        }
    }
}
