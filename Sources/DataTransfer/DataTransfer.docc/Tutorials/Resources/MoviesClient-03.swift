import DataTransfer
import NetworkPipeline

/// A client of the movie server.
struct MoviesClient: Sendable {
    private let service: any DataTransferService

    /// Creates a client for the server with this configuration, which sends
    /// credentials with each request.
    init(
        configuration: APIConfiguration, credentials: RefreshingCredentials,
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared
    ) {
        let pipeline = RequestPipeline {
            $0.authentication = .authentication(credentials, for: configuration)
        }
        service = DefaultDataTransferService(
            configuration: configuration, sessionManager: sessionManager,
            interceptors: pipeline.interceptors,
            errorResolver: ErrorBodyResolver<Refusal>())
    }

    /// Returns a movie.
    func movie(_ id: Int) async throws -> Movie {
        try await value(of: .movie(id))
    }

    /// Returns a page of the movies that most people watch.
    func popular(page: Int = 1) async throws -> [Movie] {
        try await value(of: .popular(page: page))
    }

    /// Adds a movie.
    func add(title: String) async throws -> Movie {
        try await value(of: .add(title: title))
    }

    private func value<Value>(of endpoint: Endpoint<Value>)
        async throws -> Value
    {
        do {
            return try await service.request(endpoint)
        } catch let error as DataTransferError {
            throw MoviesError(error)
        }
    }
}
