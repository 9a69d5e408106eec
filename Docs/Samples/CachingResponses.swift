import DataTransfer
import Foundation
import NetworkCache
import NetworkPipeline

struct Movie: Codable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration("https://api.example.com/3")
let token = "…"
let popular = Endpoint<[Movie]>(path: "movie/popular")
let watchlist = Endpoint<[Movie]>(path: "watchlist")
let userID = "42"

// snippet.cache
let cache = CacheInterceptor(
    store: MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: 64 << 20)))
let pipeline = RequestPipeline {
    $0.authentication = .authentication(.bearer(token), for: api)
    $0.cache = cache
}
let service = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors)
// snippet.end

// snippet.front
let shared = CacheInterceptor(partition: { _ in CachePartition(named: userID) })
let quick = DefaultDataTransferService(
    configuration: api, interceptors: [shared] + RequestPipeline().interceptors)
// snippet.end

// snippet.directives
var newest = popular
newest.headerParameters.cachePolicy = .revalidate
var offline = popular
offline.headerParameters.cachePolicy = RequestCachePolicy(
    rawValue: "only-if-cached, max-stale")
// snippet.end

// snippet.clearing
try await cache.remove(.url(api.baseURL.appendingPathComponent("movie/7")))
try await cache.remove(.host("api.example.com"))
try await cache.remove(.storedBefore(Date(timeIntervalSinceNow: -86_400)))
try await cache.remove(.all)
// snippet.end

// snippet.stale
let tolerant = CacheInterceptor(
    options: CacheOptions(staleIfError: .seconds(3600)))
// snippet.end

// snippet.key
let movie = NetworkRequest(
    url: api.baseURL.appendingPathComponent("movie/7"))
let key = shared.key(for: movie, sentBy: DefaultSessionManager.shared)
print(key.digest)
try await shared.remove(.key(key))
// snippet.end

// snippet.disk
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("responses")
let store = try DiskCacheStore(
    directory: folder, limits: CacheStoreLimits(maximumBytes: 256 << 20))
let onDisk = CacheInterceptor(store: store)
// snippet.end

// snippet.values
let directory = FileManager.default.temporaryDirectory
let values = try ValueCache(
    directory: directory.appendingPathComponent("values"))
let movies = try await values.value(for: "popular", lifetime: .seconds(300)) {
    try await service.request(popular)
}

let mine = values.partition(userID)
let list = try await mine.value(
    for: "list", lifetime: .seconds(60), allowingStale: .seconds(86_400)
) {
    try await service.request(watchlist)
}
try await mine.removePartition()
// snippet.end

print(
    try await service.request(newest), try await quick.request(offline), onDisk,
    movies, list, tolerant)
