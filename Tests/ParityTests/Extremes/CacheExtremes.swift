import DataTransfer
import Foundation
import NetworkCache
import NetworkCore
import NetworkTesting

/// Caches of responses and of values, in memory and on disk.
extension ExtremeCall {
    private static let url = URL(string: "https://api.test/a")!
    private static let key = CacheKey(url: url)

    private static func temporaryFolder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("extremes-\(UUID().uuidString)")
    }

    private static func response(status: Int = 200, _ requested: Date = Date(), _ received: Date = Date()) -> StoredResponse {
        StoredResponse(
            key: key, statusCode: status,
            headers: [
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Fri, 31 Dec 9999 23:59:59 GMT",
                "Age": "99999999999999999999",
            ],
            body: Data("abc".utf8), url: url, requestTime: requested, responseTime: received)
    }

    /// Sends two requests, so that the second one uses the response stored for the first one.
    private static func send(_ cache: CacheInterceptor, request: HTTPHeaders = [:], response: HTTPHeaders) async {
        let session = StubSessionManager()
        session.route { _ in .text("ok", headers: response) }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: url), sessionManager: session, interceptors: [cache])
        for _ in 0..<2 {
            _ = try? await service.response(for: Endpoint<Void>(path: "", headerParameters: request))
        }
    }

    static let cache: [ExtremeCall] = [
        // Stored properties, which have no declaration in the table.
        ExtremeCall {
            var policies: [CachePolicy] = []
            for fraction in Extreme.doubles {
                var policy = CachePolicy()
                policy.heuristicFraction = fraction
                policies.append(policy)
            }
            for time in Extreme.durations {
                var policy = CachePolicy()
                policy.maximumHeuristicLifetime = time
                policy.staleIfError = time
                policy.revalidationTimeout = time
                policies.append(policy)
            }
            for number in Extreme.integers {
                var policy = CachePolicy()
                policy.maximumRevalidations = number
                policies.append(policy)
            }
            for policy in policies {
                await send(CacheInterceptor(policy: policy), response: ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])
                await send(CacheInterceptor(policy: policy), response: ["Cache-Control": "max-age=0, stale-while-revalidate=60"])
            }
        },
        ExtremeCall("CacheInterceptor.init(store:policy:name:partition:logger:now:)") {
            for (date, later) in Extreme.dates.flatMap({ date in Extreme.dates.map { (date, $0) } }) {
                let store = MemoryCacheStore()
                for now in [date, later] {
                    await send(CacheInterceptor(store: store, now: { now }), response: ["Cache-Control": "max-age=60"])
                    await send(
                        CacheInterceptor(store: store, now: { now }), response: ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
                    )
                }
            }
            for text in Extreme.texts { await send(CacheInterceptor(name: text), response: ["Cache-Control": "max-age=60"]) }
        },
        ExtremeCall(
            "CacheControl.Directive.init(_:argument:)", "CacheControl.Directive.maxAge(_:)",
            "CacheControl.Directive.maxStale(_:)", "CacheControl.Directive.minFresh(_:)",
            "CacheControl.Directive.noCache(fields:)", "CacheControl.Directive.private(fields:)",
            "CacheControl.Directive.sharedMaxAge(_:)", "CacheControl.Directive.staleWhileRevalidate(_:)",
            "CacheControl.Directive.staleIfError(_:)", "CacheControl.init(parsing:)", "CacheControl.contains(_:)",
            "CacheControl.first(_:)"
        ) {
            for time in Extreme.durations {
                let control: CacheControl = [
                    .maxAge(time), .maxStale(time), .minFresh(time), .sharedMaxAge(time), .staleWhileRevalidate(time),
                    .staleIfError(time),
                ]
                describe(control)
                _ = (control.maxAge, control.maxStale, control.minFresh, control.staleIfError)
                await send(
                    CacheInterceptor(), request: ["Cache-Control": "\(control)"], response: ["Cache-Control": "\(control)"])
            }
            for text in Extreme.texts {
                let control = CacheControl([.init(text, argument: text), .noCache(fields: [text]), .private(fields: [text])])
                describe(control)
                _ = (control.contains(text), control.first(text))
                for parsed in [text, "max-age=" + text, "no-cache=\"" + text] {
                    let control = CacheControl(parsing: parsed)
                    _ = (control.maxAge, control.noCache, "\(control)")
                }
            }
        },
        ExtremeCall(
            "StoredResponse.init(key:varying:statusCode:headers:body:url:requestTime:responseTime:)",
            "StoredResponse.VaryingField.init(name:value:)"
        ) {
            for text in Extreme.texts {
                var stored = response()
                stored.varying = [.init(name: text, value: text)]
                describe(stored)
                _ = try? StoredResponse(encoded: stored.encoded())
            }
            for status in Extreme.integers {
                describe(response(status: status))
                _ = try? StoredResponse(encoded: response(status: status).encoded())
            }
            for (requested, received) in Extreme.dates.flatMap({ date in Extreme.dates.map { (date, $0) } }) {
                let stored = response(requested, received)
                _ = try? StoredResponse(encoded: stored.encoded())
                let store = MemoryCacheStore()
                store.save(CacheEntry(stored))
                await send(CacheInterceptor(store: store), response: [:])
            }
        },
        ExtremeCall(
            "StoredResponse.init(encoded:maximumBytes:)", "StoredResponseError.Code.init(rawValue:)",
            "StoredResponseError.init(_:_:)"
        ) {
            let encoded = response().encoded()
            for bytes in Extreme.integers { _ = try? StoredResponse(encoded: encoded, maximumBytes: bytes) }
            for text in Extreme.texts { describe(StoredResponseError(.init(rawValue: text), text)) }
        },
        ExtremeCall(
            "MemoryCacheStore.init(maximumBytes:onRemoval:)", "NetworkInterceptor.cache(maximumBytes:)",
            "DiskCacheStore.init(directory:maximumBytes:onRemoval:)"
        ) {
            for bytes in Extreme.integers {
                await send(.cache(maximumBytes: bytes), response: ["Cache-Control": "max-age=60"])
                for path in [\MemoryCacheStore.Limits.bytes, \.entryBytes, \.keys, \.variants] {
                    var limits = MemoryCacheStore.Limits()
                    limits[keyPath: path] = bytes
                    await send(
                        CacheInterceptor(store: MemoryCacheStore(limits: limits)), response: ["Cache-Control": "max-age=60"])
                }
                let folder = temporaryFolder()
                defer { try? FileManager.default.removeItem(at: folder) }
                if let store = try? DiskCacheStore(directory: folder, maximumBytes: bytes) {
                    await send(CacheInterceptor(store: store), response: ["Cache-Control": "max-age=60"])
                }
                for path in [\DiskCacheStore.Limits.bytes, \.entryBytes, \.keys, \.variants] {
                    var limits = DiskCacheStore.Limits()
                    limits[keyPath: path] = bytes
                    guard let store = try? DiskCacheStore(directory: folder, limits: limits) else { continue }
                    await send(CacheInterceptor(store: store), response: ["Cache-Control": "max-age=60"])
                    for date in Extreme.dates { try? await store.save(CacheEntry(response(date, date))) }
                }
            }
        },
        ExtremeCall(
            "CacheKey.init?(method:url:partition:)", "CachePartition.init(named:)", "CacheSelection.host(_:)",
            "CacheSelection.storedBefore(_:)", "CacheSelection.contains(_:storedAt:)"
        ) {
            for text in Extreme.texts {
                _ = CacheKey(method: HTTPMethod(text), url: text, partition: text)
                describe(CacheKey(url: url, partition: CachePartition(named: text)).digest)
                _ = CacheSelection.host(text).contains(key, storedAt: Date())
            }
            for url in Extreme.urls { describe(CacheKey(url: url).host) }
            for date in Extreme.dates {
                _ = CacheSelection.storedBefore(date).contains(key, storedAt: date)
                _ = MemoryCacheStore().remove(.storedBefore(date))
            }
        },
        ExtremeCall(
            "CacheRemoval.init(rawValue:)", "CacheStoreError.Code.init(rawValue:)",
            "CacheStoreError.init(_:_:path:systemError:underlying:)", "CacheStoreError.init(_:underlying:)"
        ) {
            for text in Extreme.texts {
                describe(CacheRemoval(rawValue: text))
                describe(CacheStoreError(.init(rawValue: text), text, path: text, systemError: .min))
                describe(CacheStoreError(text))
            }
        },
        ExtremeCall(
            "ValueCache.Limits.init(bytes:)", "ValueCache.partition(_:)", "ValueCache.value(for:lifetime:allowingStale:make:)",
            "ValueCache.value(for:as:)", "ValueCache.set(_:for:lifetime:)", "ValueCache.remove(_:)",
            "ValueCache.remove(storedBefore:)"
        ) {
            let folder = temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            var caches = [ValueCache(limits: ValueCache.Limits(bytes: 1 << 20)), try ValueCache(directory: folder)]
            for cache in caches {
                for time in Extreme.durations {
                    try? await cache.set([Double.nan], for: "a", lifetime: time)
                    for stale in Extreme.durations {
                        _ = await cache.value(for: "a", lifetime: time, allowingStale: stale) { [1.0] }
                    }
                }
                for text in Extreme.texts {
                    let part = cache.partition(text)
                    try? await part.set(text, for: text, lifetime: .seconds(60))
                    _ = await part.value(for: text, as: String.self)
                    try? await part.remove(text)
                }
                for date in Extreme.dates { _ = try? await cache.remove(storedBefore: date) }
            }
            caches = []
            for number in Extreme.integers {
                for path in [\ValueCache.Limits.bytes, \.valueBytes, \.values] {
                    var limits = ValueCache.Limits(bytes: number)
                    limits[keyPath: path] = number
                    caches.append(ValueCache(limits: limits))
                    if let cache = try? ValueCache(directory: folder, limits: limits) { caches.append(cache) }
                }
            }
            for cache in caches { try? await cache.set("x", for: "a", lifetime: .seconds(1)) }
        },
    ]
}
