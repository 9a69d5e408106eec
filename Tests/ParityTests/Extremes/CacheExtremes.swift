import DataTransfer
import Foundation
import NetworkCache
import NetworkCore
import NetworkTesting
import TransferTestSupport

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
    private static func send(_ cache: CacheInterceptor, request: HeaderFields = [:], response: HeaderFields) async {
        let session = StubSessionManager()
        session.route { _ in .text("ok", headers: response) }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: url), sessionManager: session, interceptors: [cache])
        for _ in 0..<2 {
            _ = try? await service.response(for: Endpoint<Void>(path: "", headerParameters: request))
        }
    }

    static let cache: [ExtremeCall] = [
        ExtremeCall(
            "CacheOptions.init(heuristicFraction:maximumHeuristicLifetime:staleIfError:revalidationTimeout:maximumRevalidations:ignoredFields:)"
        ) {
            let variants =
                Extreme.doubles.map { CacheOptions(heuristicFraction: $0) }
                + Extreme.durations.map {
                    CacheOptions(maximumHeuristicLifetime: $0, staleIfError: $0, revalidationTimeout: $0)
                } + Extreme.integers.map { CacheOptions(maximumRevalidations: $0) }
            for options in variants {
                // Modified long ago, at the date of the response, and after it: a time that is multiplied by the fraction may be zero.
                for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"] {
                    for modified in ["Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"] {
                        await send(CacheInterceptor(options: options), response: ["Date": date, "Last-Modified": modified])
                    }
                }
                await send(
                    CacheInterceptor(options: options), response: ["Cache-Control": "max-age=0, stale-while-revalidate=60"])
            }
        },
        ExtremeCall("CacheInterceptor.init(store:options:name:partition:logger:now:)") {
            for (date, later) in Extreme.pairs(Extreme.dates, Extreme.dates, usual: (Date(), Date())) {
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
        ExtremeCall {
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
            for (requested, received) in Extreme.pairs(Extreme.dates, Extreme.dates, usual: (Date(), Date())) {
                let stored = response(requested, received)
                _ = try? StoredResponse(encoded: stored.encoded())
                let store = MemoryCacheStore()
                store.save(CacheEntry(stored))
                await send(CacheInterceptor(store: store), response: [:])
            }
        },
        ExtremeCall {
            let encoded = response().encoded()
            for bytes in Extreme.integers { _ = try? StoredResponse(encoded: encoded, maximumBytes: bytes) }
            for text in Extreme.texts { describe(StoredResponseError(.init(rawValue: text), text)) }
        },
        ExtremeCall(
            "CacheStoreLimits.init(maximumBytes:maximumEntryBytes:maximumKeys:maximumVariants:)"
        ) {
            for bytes in Extreme.integers {
                let all = CacheStoreLimits(
                    maximumBytes: bytes, maximumEntryBytes: bytes, maximumKeys: bytes, maximumVariants: bytes)
                await send(CacheInterceptor(store: MemoryCacheStore(limits: all)), response: ["Cache-Control": "max-age=60"])
                for path in [\CacheStoreLimits.maximumBytes, \.maximumEntryBytes, \.maximumKeys, \.maximumVariants] {
                    var limits = CacheStoreLimits.memory
                    limits[keyPath: path] = bytes
                    await send(
                        CacheInterceptor(store: MemoryCacheStore(limits: limits)), response: ["Cache-Control": "max-age=60"])
                }
                let folder = temporaryFolder()
                defer { try? FileManager.default.removeItem(at: folder) }
                if let store = try? DiskCacheStore(directory: folder, limits: CacheStoreLimits(maximumBytes: bytes)) {
                    await send(CacheInterceptor(store: store), response: ["Cache-Control": "max-age=60"])
                }
                for path in [\CacheStoreLimits.maximumBytes, \.maximumEntryBytes, \.maximumKeys, \.maximumVariants] {
                    var limits = CacheStoreLimits.disk
                    limits[keyPath: path] = bytes
                    guard let store = try? DiskCacheStore(directory: folder, limits: limits) else { continue }
                    await send(CacheInterceptor(store: store), response: ["Cache-Control": "max-age=60"])
                    // Usually, all dates with one number alone, as each is written to a file.
                    let dates = isSlowRun || bytes == 65_536 ? Extreme.dates : Array(Extreme.dates.prefix(1))
                    for date in dates { try? await store.save(CacheEntry(response(date, date))) }
                }
            }
        },
        ExtremeCall(
            "CachePartition.init(named:)", "CacheSelection.host(_:)", "CacheSelection.storedBefore(_:)",
            "CacheSelection.contains(_:storedAt:)"
        ) {
            for text in Extreme.texts {
                _ = CacheKey(method: RequestMethod(text), url: text, partition: text)
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
            "CacheStoreError.init(_:_:path:systemError:underlying:)"
        ) {
            for text in Extreme.texts {
                describe(CacheRemoval(rawValue: text))
                describe(CacheStoreError(.init(rawValue: text), text, path: text, systemError: .min))
                describe(CacheStoreError(text))
            }
        },
        ExtremeCall(
            "ValueCache.Limits.init(maximumBytes:maximumValueBytes:maximumValues:)", "ValueCache.partition(_:)",
            "ValueCache.value(for:lifetime:allowingStale:make:)",
            "ValueCache.value(for:as:)", "ValueCache.set(_:for:lifetime:)", "ValueCache.remove(_:)",
            "ValueCache.remove(storedBefore:)"
        ) {
            let folder = temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            var caches = [ValueCache(limits: ValueCache.Limits(maximumBytes: 1 << 20)), try ValueCache(directory: folder)]
            for cache in caches {
                for (time, stale) in Extreme.pairs(Extreme.durations, Extreme.durations, usual: (.seconds(60), .zero)) {
                    try? await cache.set([Double.nan], for: "a", lifetime: time)
                    _ = await cache.value(for: "a", lifetime: time, allowingStale: stale) { [1.0] }
                }
                for text in Extreme.texts {
                    let part = cache.partition(text)
                    try? await part.set(text, for: text, lifetime: .seconds(3600))
                    _ = await part.value(for: text, as: String.self)
                    try? await part.remove(text)
                }
                for date in Extreme.dates { _ = try? await cache.remove(storedBefore: date) }
            }
            caches = []
            for number in Extreme.integers {
                for path in [\ValueCache.Limits.maximumBytes, \.maximumValueBytes, \.maximumValues] {
                    var limits = ValueCache.Limits(maximumBytes: number)
                    limits[keyPath: path] = number
                    caches.append(ValueCache(limits: limits))
                    if let cache = try? ValueCache(directory: folder, limits: limits) { caches.append(cache) }
                }
            }
            for cache in caches { try? await cache.set("x", for: "a", lifetime: .seconds(1)) }
        },
    ]
}
