// swiftc: -default-isolation MainActor -parse-as-library
import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting
import Observation

// snippet.model
nonisolated struct Movie: Codable, Sendable, Identifiable {
    let id: Int
    let title: String
    let poster: URL
}

nonisolated extension Endpoint where Response == [Movie] {
    static func popular(page: Int = 1) -> Self {
        Endpoint(path: "movie/popular", queryParameters: ["page": page],
                 keyPath: "results")
    }
}
// snippet.end

// snippet.isolated
struct Settings: Codable, Sendable { var theme: String }

func settings(of service: any DataTransferService) async throws -> Settings {
    try await service.request(
        RequestDescription.get("settings"), as: Settings.self)
}
// snippet.end

// snippet.client
final class MovieClient {
    let service: any DataTransferService

    init(service: any DataTransferService) {
        self.service = service
    }

    static func live() throws -> MovieClient {
        let api = try APIConfiguration("https://api.example.com/3")
        return MovieClient(
            service: DefaultDataTransferService(
                configuration: api,
                interceptors: [.deadline(.seconds(30)), .retry()]))
    }

    func popular() async throws -> [Movie] {
        try await service.request(.popular())
    }
}
// snippet.end

// snippet.viewModel
@Observable
final class MoviesModel {
    private(set) var movies: [Movie] = []
    private(set) var isLoading = false
    var alert: String?
    private let client: MovieClient
    private var loading: Task<Void, Never>?

    init(client: MovieClient) {
        self.client = client
    }

    func load() async {
        isLoading = true
        defer { isLoading = false }
        do {
            movies = try await client.popular()
        } catch {
            if !error.isCancelled { alert = error.alertText }
        }
    }

    func reload() {
        loading?.cancel()
        loading = Task { [previous = loading] in
            await previous?.value
            if !Task.isCancelled { await load() }
        }
    }

    func disappear() {
        loading?.cancel()
    }
}
// snippet.end

// snippet.alert
extension Error {
    var alertText: String {
        if isConnectivity { return "There is no connection." }
        if isTimeout { return "The server does not respond." }
        if statusCode == .notFound { return "It does not exist any more." }
        return "It cannot be loaded."
    }
}
// snippet.end

// snippet.image
@Observable
final class PosterModel {
    private(set) var image: Data?
    private let service: any DataTransferService

    init(service: any DataTransferService) {
        self.service = service
    }

    func load(_ movie: Movie) async {
        image = try? await service.request(
            movie.poster, as: Data.self, decoder: .rawData)
    }
}
// snippet.end

// snippet.download
@Observable
final class DownloadModel {
    private(set) var fraction = 0.0
    private(set) var file: URL?
    private(set) var failure: (any Error)?
    private let service: any DataTransferService

    init(service: any DataTransferService) {
        self.service = service
    }

    func download(_ film: Endpoint<Void>, to folder: URL) async {
        let progress = ProgressMonitor { @MainActor [weak self] state in
            self?.fraction = state.fractionReceived ?? 0
        }
        do {
            file = try await service.download(
                film, to: .folder(folder), progress: progress).url
        } catch {
            if !error.isCancelled { failure = error }
        }
    }
}
// snippet.end

// snippet.completion
final class MoviesViewController {
    private let service: any DataTransferService
    private var movies: [Movie] = []
    private var request: (any NetworkCancellable)?

    init(service: any DataTransferService) {
        self.service = service
    }

    func viewDidLoad() {
        request = service.request(.popular()) { @MainActor [weak self] result in
            self?.movies = (try? result.get()) ?? []
        }
    }

    func refresh() {
        request = service.request(.popular(), completion: show)
    }

    func show(_ result: Result<[Movie], DataTransferError>) {
        movies = (try? result.get()) ?? []
    }

    func viewDidDisappear() {
        request?.cancel()
    }
}
// snippet.end

// snippet.test
func testThatMoviesAreShown() async throws {
    let session = StubSessionManager()
    session.enqueue(
        .json(
            """
            {"results": [
                {"id": 7, "title": "Seven", "poster": "https://a.example/7"}
            ]}
            """), for: "/3/movie/popular")
    let service = DefaultDataTransferService(
        configuration: try APIConfiguration("https://api.example.com/3"),
        sessionManager: session)

    let model = MoviesModel(client: MovieClient(service: service))
    await model.load()
    assert(model.movies.map(\.title) == ["Seven"])
    assert(model.alert == nil && !model.isLoading)
}
// snippet.end
