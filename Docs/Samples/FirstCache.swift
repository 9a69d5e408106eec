import DataTransfer
import NetworkCache
import NetworkPipeline

let api = try APIConfiguration("https://api.example.com/3")
let limits = CacheStoreLimits(maximumBytes: 64 << 20)
let pipeline = RequestPipeline {
    $0.authentication = .authentication(.bearer("…"), for: api)
    $0.cache = CacheInterceptor(store: MemoryCacheStore(limits: limits))
}
let service = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors)
print(try await service.request(Endpoint<[String]>(path: "movie/titles")))
