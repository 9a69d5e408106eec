import DataTransfer

/// A movie of the server.
struct Movie: Codable, Sendable, Equatable {
    /// The number by which the server knows it.
    var id: Int
    /// Its title in the language of the client.
    var title: String
}

extension Endpoint where Response == Movie {
    static func movie(_ id: Int) -> Self {
        Endpoint(path: "movie/{id}", pathParameters: ["id": id])
    }

    static func add(title: String) -> Self {
        Endpoint(path: "movie", method: .post, body: .json(["title": title]))
    }
}

extension Endpoint where Response == [Movie] {
    static func popular(page: Int) -> Self {
        Endpoint(
            path: "movie/popular", queryParameters: ["page": page],
            keyPath: "results")
    }
}

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
