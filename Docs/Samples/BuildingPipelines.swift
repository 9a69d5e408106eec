import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkObservation
import NetworkPipeline

struct Token: Decodable, Sendable { let value, refresh: String }
struct Movie: Decodable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration("https://api.example.com/3")
let plain = DefaultDataTransferService(configuration: api)
let log = URL(fileURLWithPath: "/var/log/import.log")

// snippet.preset
let credentials = RefreshingCredentials { old in
    let parameters: ParameterList = [
        "grant_type": "refresh_token", "refresh_token": old?.refreshToken,
    ]
    let token = try await plain.request(
        Endpoint<Token>(path: "token", method: .post, body: .form(parameters)))
    return .bearer(token.value, refreshToken: token.refresh)
}
let pipeline = RequestPipeline {
    $0.authentication = .authentication(credentials, for: api)
    $0.deadline = .seconds(20)
    $0.retry = .retry(RetryOptions(maximumAttempts: 4))
    $0.hedging = HedgingInterceptor()
    $0.rate = RateLimiter(RateLimit(10, per: .seconds(1), burst: 20))
}
let service = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors)
// snippet.end

// snippet.compression
let pipelineWithCompression = RequestPipeline {
    $0.compression = .compression()
}

var report = Endpoint<Void>(
    path: "reports", method: .post, body: .file(log, contentType: "text/plain"))
report.compression = .gzip
// snippet.end

let password = "…"

// snippet.challenge
let pipelineOfReader = RequestPipeline {
    $0.authentication = .authenticationOnChallenge(
        user: "reader", password: password, for: api)
}
// snippet.end

let keys = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "…")

// snippet.signing
let signature = AWSSignature(
    credentials: keys, region: "eu-central-1", service: "s3")
let pipelineOfBucket = RequestPipeline {
    $0.authentication = .signing(signature, for: api)
}
let link = try await signature.presignedURL(
    for: NetworkRequest(url: api.baseURL), validFor: .seconds(3600))
// snippet.end

// snippet.single
let patient = DefaultDataTransferService(
    configuration: api, interceptors: [.deadline(.seconds(10)), .retry()])
let slower = RequestPipeline {
    let backoff = Backoff(base: .seconds(1), maximumDelay: .seconds(30))
    $0.retry = .retry(RetryOptions(maximumAttempts: 5, backoff: backoff))
}

var add = Endpoint<Movie>(
    path: "movie", method: .post, body: .json(["title": "Sunrise"]))
add.isIdempotent = true

let export = Endpoint<Data>(
    path: "export", timeouts: RequestTimeouts(deadline: .limit(.seconds(300))),
    responseDecoder: .rawData)
// snippet.end

// snippet.adaptive
let adaptive = RequestPipeline {
    $0.gate = ConcurrencyGate(.adaptive(initial: 20, minimum: 4, maximum: 200))
}
// snippet.end

// snippet.breaker
let breaker = CircuitBreaker(
    options: CircuitBreakerOptions(
        failureRatio: 0.5, window: 20, minimumOutcomes: 5,
        openDuration: .seconds(30), probes: 2))
let guarded = RequestPipeline { $0.breaker = breaker }
print(breaker.openHosts)
// snippet.end

struct Settings: Sendable { var current: APIConfiguration { api } }
struct Sessions: Sendable { func current() async throws -> String { "7" } }
let (settings, sessions) = (Settings(), Sessions())

// snippet.adapted
let adapted = DefaultDataTransferService(
    configuration: .computed { settings.current },
    interceptors: [
        .headers(for: settings.current) { _ in
            ["X-Session": try await sessions.current()]
        }
    ])
// snippet.end

// snippet.observer
struct AttemptLog: ExchangeObserver {
    func exchangeDidProgress(_ event: ExchangeEvent) {
        switch event.kind {
        case .retried(after: let pause, because: let reason):
            print(event.target, "is requested again in \(pause):", reason)
        case .done(.status(let status), attempts: let attempts):
            print(event.method, event.target, status, attempts)
        case .done(.failure(let code), attempts: let attempts):
            print(event.method, event.target, code, attempts)
        default: break
        }
    }
}

let logged = RequestPipeline { $0.observation = .observation(AttemptLog()) }
// snippet.end

// snippet.waterfall
let waterfall = Waterfall()
let watched = DefaultDataTransferService(
    configuration: api, interceptors: [.observation(waterfall), .retry()])
print(try await watched.request(add))
try waterfall.html(title: "Import").write(
    toFile: "import.html", atomically: true, encoding: .utf8)
// snippet.end

// snippet.pages
let list = Endpoint<[Movie]>(path: "movies", queryParameters: ["per_page": 100])
for try await page in service.pages(of: list, by: .linkHeader) {
    print(page.value.count, page.url.path)
}
// snippet.end

print(
    patient, adapted, adaptive, guarded, logged, pipelineOfReader,
    pipelineOfBucket, link)

// snippet.initializer
final class MovieClient: Sendable {
    private let api: APIConfiguration
    private let credentials: RefreshingCredentials
    private let service: DefaultDataTransferService

    init() throws {
        api = try APIConfiguration("https://api.example.com/3")
        let plain = DefaultDataTransferService(configuration: api)
        credentials = RefreshingCredentials { _ in
            let token = Endpoint<Token>(path: "token", method: .post)
            return .bearer(try await plain.request(token).value)
        }
        var pipeline = RequestPipeline()
        pipeline.authentication = .authentication(credentials, for: api)
        service = DefaultDataTransferService(
            configuration: api, interceptors: pipeline.interceptors)
    }

    func movie(id: Int) async throws -> Movie {
        try await service.request(
            Endpoint(path: "movie/{id}", pathParameters: ["id": id]))
    }

    func signOut() { credentials.set(nil) }
}
// snippet.end
