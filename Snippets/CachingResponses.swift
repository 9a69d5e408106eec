import DataTransfer
import Foundation
import NetworkCache
import NetworkPipeline

struct Movie: Decodable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration("https://api.example.com/3")
let token = "…"
let popular = Endpoint<[Movie]>(path: "movie/popular")
let userID = "42"

// snippet.cache
let cache = CacheInterceptor(store: MemoryCacheStore(maximumBytes: 64 << 20))
let pipeline = RequestPipeline {
    $0.authentication = .authentication(.bearer(token), for: api)
    $0.cache = cache
}
let service = DefaultDataTransferService(configuration: api, interceptors: pipeline.interceptors)
// snippet.end

// snippet.front
let shared = CacheInterceptor(partition: { _ in CachePartition(named: userID) })
let quick = DefaultDataTransferService(configuration: api, interceptors: [shared] + RequestPipeline().interceptors)
// snippet.end

// snippet.directives
var newest = popular
newest.headerParameters.cacheControl = [.noCache]
var offline = popular
offline.headerParameters.cacheControl = [.onlyIfCached, .maxStale]
// snippet.end

// snippet.clearing
try await cache.remove(.host("api.example.com"))
try await cache.remove(.storedBefore(Date(timeIntervalSinceNow: -86_400)))
try await cache.removeAll()
// snippet.end

print(try await service.request(newest), try await quick.request(offline))
