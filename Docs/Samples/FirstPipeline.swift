import DataTransfer
import NetworkPipeline

let api = try APIConfiguration("https://api.example.com/3")
let pipeline = RequestPipeline {
    $0.authentication = .authentication(.bearer("…"), for: api)
    $0.retry = .retry(RetryOptions(maximumAttempts: 4))
}
let service = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors)
print(try await service.request(Endpoint<[String]>(path: "movie/titles")))
