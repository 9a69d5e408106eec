import DataTransfer
import Foundation
import NetworkObservation
import NetworkPipeline
import NetworkTesting

struct Movie: Codable, Sendable { var id: Int; var title: String }
struct Receipt: Decodable, Sendable { let id: Int }
struct Tokens: Decodable, Sendable {
    let access, refresh: String; let expires: Date
}

let film = URL(fileURLWithPath: "/tmp/metropolis.mp4")
let (current, backup) = (Data(count: 32), Data(count: 32))

// snippet.get
let api = try APIConfiguration(
    "https://api.example.com/3", headers: ["Accept-Language": "en"])
let service = DefaultDataTransferService(configuration: api)
let movie = try await service.request(Endpoint<Movie>(path: "movie/7"))
// snippet.end

// snippet.query
let search = Endpoint<[Movie]>(
    path: "search", headerParameters: ["X-Region": "DE"],
    queryParameters: ["q": "noir", "genre": ["drama", "crime"]],
    queryStyle: QueryStyle(arrays: .brackets))
let found = try await service.request(search)
// snippet.end

// snippet.post
let add = Endpoint<Movie>(
    path: "movie", method: .post, body: .json(Movie(id: 8, title: "Sunrise")))
let added = try await service.request(add)
// snippet.end

// snippet.router
enum Movies: Requestable {
    case popular(page: Int), movie(id: Int), add(Movie)

    var request: RequestDescription {
        switch self {
        case .popular(let page):
            .get("movie/popular", queryParameters: ["page": page])
        case .movie(let id): .get("movie/{id}", pathParameters: ["id": id])
        case .add(let movie): .post("movie", body: .json(movie))
        }
    }
}

let popular = try await service.request(
    Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
// snippet.end

// snippet.form
var form = MultipartForm()
form.append("Metropolis", name: "title")
form.append(.file(film), name: "film")
let sending = ProgressMonitor { state in print(state.fractionSent ?? 0) }
let films = Endpoint<Receipt>(path: "films", method: .post)
let receipt = try await service.upload(
    .multipart(form), to: films, progress: sending)
// snippet.end

// snippet.download
let receiving = ProgressMonitor { state in print(state.fractionReceived ?? 0) }
let file = try await service.download(
    Endpoint<Void>(path: "films/7"), to: film, progress: receiving)
print(file.byteCount, file.resumedFrom)
// snippet.end

// snippet.credentials
let plain = DefaultDataTransferService(configuration: api)
let credentials = RefreshingCredentials { old in
    let parameters: ParameterList = [
        "grant_type": "refresh_token", "refresh_token": old?.refreshToken,
    ]
    let tokens = try await plain.request(
        Endpoint<Tokens>(path: "token", method: .post, body: .form(parameters)))
    return .bearer(
        tokens.access, refreshToken: tokens.refresh, expires: tokens.expires)
}
let pipeline = RequestPipeline {
    $0.authentication = .authentication(credentials, for: api)
    $0.retry = .retry(RetryOptions(maximumAttempts: 3))
}
let signedIn = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors)
// snippet.end

let saved = Tokens(access: "…", refresh: "…", expires: Date())

// snippet.saved
let restored = RefreshingCredentials(
    initial: .bearer(
        saved.access, refreshToken: saved.refresh, expires: saved.expires)
) { old in
    let parameters: ParameterList = ["refresh_token": old?.refreshToken]
    let tokens = try await plain.request(
        Endpoint<Tokens>(path: "token", method: .post, body: .form(parameters)))
    return .bearer(
        tokens.access, refreshToken: tokens.refresh, expires: tokens.expires)
}
// snippet.end

// snippet.retrier
struct RepeatAfterConflict: NetworkInterceptor {
    func intercept(_ request: NetworkRequest, next: NetworkExchange)
        async throws(TransportError) -> NetworkResponse
    {
        let response = try await next(request)
        guard response.statusCode == .conflict, request.method.isIdempotent
        else { return response }
        return try await next(request)
    }
}

let causes = RetryCause.standard.union([.status(500)])
let retried = DefaultDataTransferService(
    configuration: api,
    interceptors: [.retry(RetryOptions(causes: causes)), RepeatAfterConflict()])
// snippet.end

struct Sessions: Sendable { func current() async throws -> String { "7" } }
let sessions = Sessions()

// snippet.adapter
let adapted = DefaultDataTransferService(
    configuration: api,
    interceptors: [
        .headers(for: api) { _ in ["X-Session": try await sessions.current()] }
    ])
// snippet.end

// snippet.errors
do {
    print(try await service.request(Endpoint<Movie>(path: "movie/7")))
} catch DataTransferError.networkFailure(.status(let response)) {
    print("status \(response.statusCode), \(response.data.count) bytes")
} catch DataTransferError.parsing(let failure) {
    print("at \(failure.codingPath): \(failure.reason)")
} catch {
    print(error.isCancelled, error.isTimeout, error.isConnectivity, error)
}
// snippet.end

// snippet.cancel
let handle = service.request(
    Endpoint<Movie>(path: "movie/7"), on: DispatchQueue.main
) { result in print(result) }
handle.cancel()
// snippet.end

// snippet.trust
let session = DefaultSessionManager(
    configuration: SessionConfiguration {
        $0.trustByHost["api.example.com"] = TrustPolicy(pins: [
            .publicKey(sha256: current), .publicKey(sha256: backup),
        ])
    })
let pinned = DefaultDataTransferService(
    configuration: api, sessionManager: session)
// snippet.end

// snippet.monitor
let observed = DefaultDataTransferService(
    configuration: api,
    interceptors: [
        .observation { event in
            print(event.exchange, event.method, event.target, event.kind)
        }
    ],
    networkLogger: .console(level: .debug))
// snippet.end

// snippet.test
let stubs = StubSessionManager()
stubs.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
stubs.enqueue(.failure(.connectionLost), for: "/3/movie/8")
let tested = DefaultDataTransferService(
    configuration: api, sessionManager: stubs)
// snippet.end

print(
    movie, found, added, popular, receipt, signedIn, adapted, pinned, observed,
    tested)
