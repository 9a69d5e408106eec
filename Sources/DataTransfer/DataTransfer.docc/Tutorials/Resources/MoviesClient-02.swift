import DataTransfer

/// A client of the movie server.
struct MoviesClient: Sendable {
    private let service: any DataTransferService

    /// Creates a client for the server with this configuration.
    init(
        configuration: APIConfiguration,
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared
    ) {
        service = DefaultDataTransferService(
            configuration: configuration, sessionManager: sessionManager,
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
