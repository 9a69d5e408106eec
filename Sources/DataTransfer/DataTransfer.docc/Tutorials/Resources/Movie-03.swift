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
