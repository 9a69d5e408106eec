// Each sample of the README, in a program.
import DataTransferValkey
import Foundation

struct Log: Sendable {
    func warning(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}

let logger = Log()
let api = try APIConfiguration("https://api.example.com")

// snippet.client
let client = ValkeyClient(ValkeyConfiguration(.tcp(host: "10.0.0.7"))) {
    error, suppressed in
    logger.warning("\(error), and \(suppressed) more")
}
let pipeline = RequestPipeline {
    $0.cache = CacheInterceptor(store: ValkeyCacheStore(client))
}
let limiter = ValkeyRateLimiter(
    client, limit: RateLimit(100, per: .seconds(1), burst: 20),
    whenUnavailable: .share(of: 16))
let service = DefaultNetworkService(
    configuration: api, interceptors: pipeline.interceptors + [limiter])
// snippet.end

let oauth = try OAuthClient(
    tokenURL: "https://auth.example.com/token", clientID: "app")

// snippet.state
let interceptors: [any NetworkInterceptor] = [
    .retry(), ValkeyCircuitBreaker(client), CircuitBreaker(),
]
let credentials = oauth.refreshing(
    savedIn: ValkeyCredentialStore(client, name: "billing"))
// snippet.end
_ = (service, interceptors, credentials)
