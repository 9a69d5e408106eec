import NetworkPipeline
import NetworkTesting
import Testing

/// Counts the requests that a route has received.
actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

struct MoviesServerTests {
    @Test("a refused token is renewed, and the request is sent again")
    func refusedToken() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/movie/{id}") { request in
                guard request.headers["Authorization"] == "Bearer second" else {
                    return .status(401)
                }
                return .json(#"{"id": 7, "title": "Seven"}"#)
            }
        }
        let credentials = RefreshingCredentials(
            initial: .bearer("first")
        ) { _ in .bearer("second") }
        let client = MoviesClient(
            configuration: APIConfiguration(baseURL: server.url),
            credentials: credentials)
        #expect(try await client.movie(7).title == "Seven")
        #expect(
            server.requests.map { $0.headers["Authorization"] } == [
                "Bearer first", "Bearer second",
            ])
    }

    @Test("a body that is cut short is requested again")
    func cutShort() async throws {
        let counter = Counter()
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/movie/{id}") { _ in
                let movie = LoopbackResponse.json(
                    #"{"id": 7, "title": "Seven"}"#)
                return await counter.next() == 1
                    ? movie.fault(.truncateBody(after: 10)) : movie
            }
        }
        let client = MoviesClient(
            configuration: APIConfiguration(baseURL: server.url),
            credentials: RefreshingCredentials { _ in .bearer("first") },
            retry: RetryOptions(backoff: Backoff(base: .milliseconds(1))))
        #expect(try await client.movie(7).title == "Seven")
        #expect(server.requestCount == 2)
    }
}

// MARK: - MoviesClient.swift, repeated so that this file can be compiled

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

    /// Creates a client for the server with this configuration, which sends
    /// credentials with each request.
    init(
        configuration: APIConfiguration, credentials: RefreshingCredentials,
        retry: RetryOptions = RetryOptions(),
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared
    ) {
        let pipeline = RequestPipeline {
            $0.authentication = .authentication(credentials, for: configuration)
            $0.deadline = .seconds(20)
            $0.retry = .retry(retry)
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
