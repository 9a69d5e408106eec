import DataTransferServerKit
import Foundation
import NetworkCache

struct Movie: Codable, Sendable {
    let id: Int
    let title: String
    let year: Int
}

struct Review: Codable, Sendable {
    let author: String
    let stars: Int
    let text: String
}

extension Endpoint where Response == Movie {
    static func movie(_ id: Int) -> Self { Endpoint(path: "movies/{id}", pathParameters: ["id": id]) }
}

extension Endpoint where Response == [Review] {
    static func reviews(_ id: Int) -> Self { Endpoint(path: "reviews/{id}", pathParameters: ["id": id]) }
}

/// The two servers that the gateway aggregates. Each has its cache, retries, circuit breaker and limit of concurrency.
struct Upstreams: Sendable {
    private let catalogue: DefaultDataTransferService
    private let critics: DefaultDataTransferService

    init(_ options: Options, session: DefaultSessionManager, kit: ServerKit) throws {
        func service(_ url: URL?) throws -> DefaultDataTransferService {
            let pipeline = RequestPipeline {
                $0.deadline = .seconds(options.deadline)
                $0.retry = .retry(RetryOptions(maximumAttempts: 2, backoff: Backoff(base: .milliseconds(20))))
                $0.cache = options.isCached ? CacheInterceptor(store: MemoryCacheStore()) : nil
                $0.breaker = CircuitBreaker(options: CircuitBreakerOptions(minimumOutcomes: 5, openDuration: .seconds(1)))
                $0.gate = ConcurrencyGate(maximumConcurrencyPerHost: 256)
            }
            return DefaultDataTransferService(
                configuration: try APIConfiguration(url?.absoluteString ?? ""), sessionManager: session, pipeline: pipeline,
                serverKit: kit)
        }
        catalogue = try service(options.catalogue)
        critics = try service(options.reviews)
    }

    /// Requests both parts of a page at the same time. A part that fails is missing, and named in `degraded`.
    func page(_ id: Int) async -> MoviePage {
        async let reviewed = critics.result(for: .reviews(id))
        let movie = Part(await catalogue.result(for: .movie(id)))
        let reviews = Part(await reviewed)
        var page = MoviePage(id: id, isFound: !movie.isMissing)
        page.title = movie.value?.title
        page.year = movie.value?.year
        page.reviews = reviews.value
        if movie.hasFailed { page.degraded.append("catalogue") }
        if reviews.hasFailed { page.degraded.append("reviews") }
        return page
    }

    /// One part of a page.
    private struct Part<Value: Sendable>: Sendable {
        var value: Value?
        /// Whether the upstream says that there is none.
        var isMissing = false
        var hasFailed: Bool { value == nil && !isMissing }

        init(_ result: Result<Value, DataTransferError>) {
            switch result {
            case .success(let value): self.value = value
            case .failure(let error): isMissing = error.statusCode == .notFound
            }
        }
    }
}

/// The response of the gateway.
struct MoviePage: Encodable, Sendable {
    let id: Int
    var title: String?
    var year: Int?
    var reviews: [Review]?
    /// The upstreams that could not be reached, whose part is missing. Empty if the page is complete.
    var degraded: [String] = []
    /// Whether there is such a movie. Not part of the response.
    let isFound: Bool

    private enum CodingKeys: CodingKey {
        case id, title, year, reviews, degraded
    }

    init(id: Int, isFound: Bool) {
        self.id = id
        self.isFound = isFound
    }
}
