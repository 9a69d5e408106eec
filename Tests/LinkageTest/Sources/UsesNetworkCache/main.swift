import NetworkCache

let cache = CacheInterceptor(store: MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: 1 << 20)))
try await cache.remove(.all)
print("removed")
