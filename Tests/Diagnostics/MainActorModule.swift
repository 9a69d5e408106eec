// swiftc: -default-isolation MainActor
// The ways in which a module whose default isolation is the main actor uses the framework. Each declaration is one shape.
import DataTransfer
import Foundation
import NetworkCache
import NetworkObservation
import NetworkPipeline
import NetworkTesting
import NetworkWebSocket
import ResumableUploads

// MARK: Models

nonisolated struct Movie: Codable, Sendable, Hashable { var id = 7, title = "" }
nonisolated enum Genre: String, Codable, Sendable { case drama, comedy }
struct Person: nonisolated Codable, Sendable { var name = "" }
nonisolated struct Page<Element: Codable & Sendable>: Codable, Sendable { var results: [Element] }
nonisolated struct ServerError: Error, Decodable { var code = 0 }
struct Settings: Codable, Sendable { var theme = "" }
final class Library: Decodable { var shelves: [Settings] = [] }

// MARK: Endpoints

enum Endpoints {
    static let popular = Endpoint<[Movie]>(path: "movie/popular", keyPath: "results")
    static let person = Endpoint<Person>(path: "person")
    static let rate = Endpoint<Void>(path: "movie/7/rating", method: .post, body: .json(Movie()))
    static let csv = Endpoint<[String]>(path: "list.csv") { try lines(in: $0) }
}
nonisolated func lines(in body: ResponseData) throws -> [String] {
    String(decoding: body.data, as: UTF8.self).split(separator: "\n").map(String.init)
}
extension Endpoint where Response == Movie {
    static func movie(id: Int) -> Self { Endpoint(path: "movie/{id}", pathParameters: ["id": id]) }
}
nonisolated extension Endpoint where Response == Page<Movie> {
    static var pages: Self { Endpoint(path: "movie", responseDecoder: .json(TransferJSONDecoder())) }
}
enum Movies: Requestable {
    case all, genre(Genre)
    var request: RequestDescription {
        switch self {
        case .all: .get("movie")
        case .genre(let genre): .get("movie", queryParameters: ["genre": genre.rawValue])
        }
    }
}
struct Search: ResponseRequestable {
    typealias Response = [Movie]
    var text: String
    var request: RequestDescription { .get("search", queryParameters: ["text": text]) }
}
struct Configuration: NetworkConfigurable { var baseURL = URL(fileURLWithPath: "/") }

// MARK: What is passed to a service

struct Tracing: NetworkInterceptor {
    func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await next(request)
    }
}
struct Lines: ResponseDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        throw CocoaError(.coderInvalidValue)
    }
}
struct Resolver: DataTransferErrorResolver {
    func resolve(error: NetworkError) -> any Error & Sendable { ServerError() }
}
final class Bar: TransferProgressObserver {
    func transferDidProgress(_ progress: TransferProgress) { print(progress) }
}
struct StubService: DataTransferService {
    func responseResult<Target: ResponseRequestable>(
        for endpoint: Target
    ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
        .failure(.networkFailure(.cancelled(TransportError(.cancelled, ""))))
    }
}
final class Account {
    static let shared = Account()
    var token = "secret"
    func service() throws -> some DataTransferService {
        let api = try APIConfiguration("https://api.example.com")
        return DefaultDataTransferService(
            configuration: api,
            interceptors: [
                CredentialInterceptor(origins: [api.baseURL]) { _ in .bearer(await Account.shared.token) },
                .deadline(.seconds(30)),
                .retry(), Tracing(),
                .observation { event in Task { @MainActor in Account.shared.note(event) } },
            ],
            errorResolver: ErrorBodyResolver<ServerError>())
    }
    func note(_ event: ExchangeEvent) { token = "\(event)" }
}

// MARK: Calls

final class Model {
    let service: any DataTransferService
    var movies: [Movie] = [] { didSet { failure = nil } }
    var settings = Settings()
    var fraction = 0.0
    var failure: (any Error)?
    var task: Task<Void, Never>?
    var handle: (any NetworkCancellable)?

    init(service: any DataTransferService = StubService()) { self.service = service }

    func values() async throws {
        movies = try await service.request(Endpoints.popular)
        movies = [try await service.request(.movie(id: 7))] + (try await service.response(for: .pages)).value.results
        movies = try await service.request(Movies.genre(.drama).as([Movie].self)) + service.request(Search(text: "a"))
        settings = try await service.request(Movies.all, as: Settings.self)
        settings = try await service.request(Movies.all, as: [Settings].self, decoder: .keyPath("data"))[0]
        settings = try await service.request(Movies.all, as: Library.self).shelves[0]
    }
    func errors() async {
        do { movies = try await service.request(Endpoints.popular) } catch { failure = error.isCancelled ? nil : error }
    }
    func tasks() {
        task?.cancel()
        task = Task { await errors() }
        task = Task { [weak self] in try? await self?.values() }
    }
    func several() async throws {
        async let first = service.request(.movie(id: 1))
        async let second = service.request(.movie(id: 2))
        movies = try await [first, second] + service.concurrently([Endpoint.movie(id: 3), .movie(id: 4)])
        let (all, person) = try await service.concurrently(Endpoints.popular, Endpoints.person)
        for await (_, result) in service.results(of: [Endpoints.popular]) { movies = (try? result.get()) ?? all }
        print(person)
    }
    func streams() async throws {
        for try await movie in try await service.stream(Movies.all, as: .elements(of: Movie.self)) { movies.append(movie) }
        for try await chunk in try await service.stream(for: Movies.all) { fraction += Double(chunk.count) }
        for try await event in service.events(Movies.all) { settings.theme = event.data }
        for try await page in service.pages(of: Endpoints.popular, by: .number("page") { $0.isEmpty }) { movies += page.value }
    }
    func progress(_ file: URL) async throws {
        let closure = ProgressMonitor { @MainActor [weak self] in self?.fraction = $0.fraction ?? 0 }
        let method = ProgressMonitor(onProgress: show)
        let sequence = ProgressMonitor()
        Task { for await state in sequence { fraction = state.fraction ?? 0 } }
        _ = try await service.download(Movies.all, to: file, progress: closure)
        _ = try await service.upload(.file(file), to: Endpoints.rate, progress: method)
        _ = try await service.upload(.json(movies), to: Endpoints.rate, progress: Bar())
        _ = try await service.download(Endpoints.popular, progress: sequence)
    }
    func completions(_ file: URL) {
        handle = service.request(Endpoints.popular) { @MainActor [weak self] result in self?.show(result) }
        service.request(.movie(id: 7)) { @MainActor in self.movies = (try? [$0.get()]) ?? [] }
        service.request(Endpoints.popular, completion: show)
        service.request(Endpoints.popular) { result in Task { await self.show(result) } }
        service.request(Endpoints.popular, on: .main) { result in MainActor.assumeIsolated { self.show(result) } }
        service.response(for: Endpoints.popular) { @MainActor in self.movies = (try? $0.get().value) ?? [] }
        let (service, movies) = (service, movies)
        handle = TaskCancellable {
            try await service.upload(.json(movies), to: Endpoints.rate)
        } completion: { @MainActor [weak self] in
            self?.failure = $0.failure
        }
        TaskCancellable {
            try await service.download(Movies.all, to: file)
        } completion: { @MainActor in
            self.failure = $0.failure
        }
        TaskCancellable {
            await service.result(for: Endpoints.popular)
        } completion: { @MainActor in
            self.show($0.get())
        }
        TaskCancellable {
            try await service.concurrently([Endpoints.popular])
        } completion: { @MainActor in
            self.movies = (try? $0.get().first) ?? []
        }
    }
    func repeatedClosures(_ socket: WebSocket) {
        let service = service
        TaskCancellable {
            try await service.stream(Movies.all, as: .elements(of: Movie.self))
        } onElement: { @MainActor in
            self.movies.append($0)
        } completion: { @MainActor in
            self.failure = $0.failure
        }
        TaskCancellable {
            service.events(Movies.all)
        } onElement: { @MainActor in
            self.settings.theme = $0.data
        } completion: { @MainActor in
            self.failure = $0.failure
        }
        TaskCancellable {
            service.pages(of: Endpoints.popular, by: .linkHeader)
        } onElement: { @MainActor in
            self.movies += $0.value
        } completion: { @MainActor in
            self.failure = $0.failure
        }
        TaskCancellable {
            service.results(of: [Endpoints.popular])
        } onElement: { @MainActor in
            self.show($0.result)
        } completion: { @MainActor _ in
            self.movies = []
        }
        TaskCancellable {
            socket.messages
        } onElement: { @MainActor in
            self.settings.theme = "\($0)"
        } completion: { @MainActor _ in
            self.movies = []
        }
        TaskCancellable {
            try await socket.send(.text("a"))
        } completion: { @MainActor _ in
            self.movies = []
        }
        TaskCancellable {
            await socket.close()
        } completion: { @MainActor _ in
            self.movies = []
        }
    }
    func show(_ result: Result<[Movie], DataTransferError>) { movies = (try? result.get()) ?? [] }
    func show(_ progress: TransferProgress) { fraction = progress.fraction ?? 0 }
}
extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

// MARK: Tests

func tests() async throws {
    let session = StubSessionManager()
    session.enqueue(.json(#"{"results": []}"#), for: "/movie/popular")
    session.route { request in request.method == .get ? .status(404) : nil }
    let api = try APIConfiguration("https://api.example.com")
    let model = Model(service: DefaultDataTransferService(configuration: api, sessionManager: session))
    try await model.values()
    assert(model.movies.isEmpty && session.requests.count == 1)
}
