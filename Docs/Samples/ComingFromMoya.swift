import DataTransfer
import EndpointAPIs
import Foundation
import NetworkObservation
import NetworkPipeline
import NetworkTesting

struct Movie: Codable, Sendable { var id: Int; var title: String }
struct Receipt: Decodable, Sendable { let id: Int }

let film = URL(fileURLWithPath: "/tmp/metropolis.mp4")
struct TokenStore: Sendable { func current() async throws -> String { "…" } }
let tokens = TokenStore()

// snippet.target
enum Movies: Requestable {
    case popular(page: Int)
    case movie(id: Int)
    case add(Movie)
    case login(user: String, password: String)

    var request: RequestDescription {
        switch self {
        case .popular(let page):
            .get("movie/popular", queryParameters: ["page": page])
        case .movie(let id): .get("movie/{id}", pathParameters: ["id": id])
        case .add(let movie): .post("movie", body: .json(movie))
        case .login(let user, let password):
            .post(
                "login", body: .form(["user": user, "password": password]),
                requiresAuthentication: false)
        }
    }
}
// snippet.end

// snippet.parts
enum MoviesAPI: API {
    case popular(page: Int)
    case add(Movie)

    var host: String { "api.example.com" }
    var basePath: String { "3" }
    var endpoint: String {
        switch self {
        case .popular: "movie/popular"
        case .add: "movie"
        }
    }
    var method: RequestMethod { if case .add = self { .post } else { .get } }
    var parameters: RequestParameters {
        switch self {
        case .popular(let page): .query(["page": page])
        case .add(let movie): .json(movie)
        }
    }
}
// snippet.end

// snippet.request
let api = try APIConfiguration(
    "https://api.example.com/3", headers: ["Accept-Language": "en"])
let service = DefaultDataTransferService(configuration: api)
let popular = try await service.request(
    Movies.popular(page: 1).as([Movie].self, keyPath: "results"))

let handle = service.request(
    Movies.movie(id: 7).as(Movie.self), on: DispatchQueue.main
) { result in
    switch result {
    case .success(let movie): print(movie.title)
    case .failure(let error): print(error)
    }
}
handle.cancel()
// snippet.end

// snippet.response
let response = try await service.response(
    for: Movies.movie(id: 7).as(Movie.self))
print(response.statusCode, response.headers["ETag"] ?? "", response.value)
// snippet.end

// snippet.form
var form = MultipartForm()
form.append("Metropolis", name: "title")
form.append(
    .file(film), name: "film", fileName: "metropolis.mp4",
    contentType: "video/mp4")
let progress = ProgressMonitor { state in print(state.fractionSent ?? 0) }
let receipt = try await service.upload(
    .multipart(form), to: Endpoint<Receipt>(path: "films"), progress: progress)
// snippet.end

// snippet.download
let file = try await service.download(Endpoint<Void>(path: "films/7"), to: film)
print(file.byteCount, file.resumedFrom)
// snippet.end

// snippet.plugins
let pipeline = RequestPipeline {
    $0.authentication = CredentialInterceptor(origins: [api.baseURL]) { _ in
        .bearer(try await tokens.current())
    }
    $0.activity = NetworkActivity { isActive in
        print(isActive ? "busy" : "idle")
    }
}
let signedIn = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors,
    networkLogger: .console(level: .debug))
// snippet.end

// snippet.plugin
struct RegionHeader: NetworkInterceptor {
    func intercept(_ request: NetworkRequest, next: NetworkExchange)
        async throws(TransportError) -> NetworkResponse
    {
        var request = request
        request.headers["X-Region"] = "DE"
        let response = try await next(request)
        print(request.method, response.statusCode)
        return response
    }
}

let regional = DefaultDataTransferService(
    configuration: api, interceptors: [RegionHeader()])
// snippet.end

// snippet.errors
do {
    print(try await service.request(Movies.movie(id: 7).as(Movie.self)))
} catch DataTransferError.networkFailure(.status(let response)) {
    print("status \(response.statusCode), \(response.data.count) bytes")
} catch DataTransferError.parsing(let failure) {
    print("at \(failure.codingPath): \(failure.reason)")
} catch {
    print(error.isTimeout, error.isConnectivity, error)
}
// snippet.end

// snippet.stub
extension Movies: MockEndpoint {
    var mockFileName: String {
        switch self {
        case .popular: "popular"
        case .movie, .add: "movie"
        case .login: "session"
        }
    }
}

let stubbed = StubDataTransferService(
    fixtures: StubFixtures(folder: "Fixtures"))
let sample = try await stubbed.request(Movies.movie(id: 7).as(Movie.self))
// snippet.end

// snippet.session
let stubs = StubSessionManager()
stubs.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
stubs.enqueue(.failure(.timedOut), for: "/3/movie/8")
let tested = DefaultDataTransferService(
    configuration: api, sessionManager: stubs)
// snippet.end

print(
    popular, response, receipt, signedIn, regional, sample, tested,
    MoviesAPI.popular(page: 1))
