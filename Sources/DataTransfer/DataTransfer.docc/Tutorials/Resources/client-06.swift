import DataTransfer

/// A movie of the server.
struct Movie: Codable, Sendable, Equatable {
    /// The number by which the server knows it.
    var id: Int
    /// Its title in the language of the client.
    var title: String
}

/// An error of the client.
enum MoviesError: Error, Equatable {
    /// There is no such movie.
    case notFound
    /// The server refuses the request, and says why.
    case refused(code: Int, message: String)
    /// The response is not what the client expects.
    case unexpectedResponse(String)
    /// There is no response.
    case unavailable(String)
}

/// The body of a refusal.
struct Refusal: Error, Decodable {
    let code: Int
    let message: String
}

extension MoviesError {
    init(_ error: DataTransferError) {
        if error.statusCode == StatusCode.notFound {
            self = .notFound
        } else if let refusal = error.resolved(as: Refusal.self) {
            self = .refused(code: refusal.code, message: refusal.message)
        } else if case .parsing(let failure) = error {
            self = .unexpectedResponse(
                "at \(failure.codingPath): \(failure.reason)")
        } else {
            self = .unavailable("\(error)")
        }
    }
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
