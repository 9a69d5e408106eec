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
            configuration: configuration, sessionManager: sessionManager)
    }

    /// Returns a movie.
    func movie(_ id: Int) async throws -> Movie {
        try await service.request(.movie(id))
    }

    /// Returns a page of the movies that most people watch.
    func popular(page: Int = 1) async throws -> [Movie] {
        try await service.request(.popular(page: page))
    }

    /// Adds a movie.
    func add(title: String) async throws -> Movie {
        try await service.request(.add(title: title))
    }
}
