import Testing

@Suite struct ExpansionTests {
    /// Returns the expansion without empty lines at its ends.
    private func expansion(of source: String) -> String {
        let text = Expansion(of: source).text.drop { $0 == "\n" }
        return String(text.reversed().drop { $0 == "\n" }.reversed())
    }

    @Test func `a struct with its protocol gets endpoints, bodies, the protocol and a stub`() {
        let text = expansion(
            of: """
                @API
                struct Movies: MoviesProtocol {
                    @GET("popular", keyPath: "results")
                    func popular(page: Int = 1, @Header("Accept-Language") language: String?) async throws -> [Movie]
                    @POST("movie") func add(_ movie: Movie) async throws
                }
                """)
        #expect(
            text == """
                struct Movies: MoviesProtocol {
                    func popular(page: Int = 1, @Header("Accept-Language") language: String?) async throws -> [Movie] {
                        try await service.request(Endpoints.popular(page: page, language: language))
                    }
                    func add(_ movie: Movie) async throws {
                        try await service.request(Endpoints.add(movie))
                    }

                    let service: any DataTransferService

                    init(_ service: any DataTransferService) {
                        self.service = service
                    }

                    /// The requests of the calls.
                    enum Endpoints {
                        nonisolated static func popular(page: Int = 1, language: String?) -> Endpoint<[Movie]> {
                            var endpoint = Endpoint<[Movie]>(path: "popular", queryParameters: ["page": page], keyPath: "results")
                            endpoint.headerParameters["Accept-Language"] = language.headerFieldValue
                            return endpoint
                        }

                        nonisolated static func add(_ movie: Movie) -> Endpoint<Void> {
                            Endpoint<Void>(path: "movie", method: .post, body: .json(movie))
                        }
                    }
                }

                protocol MoviesProtocol: Sendable {
                    func popular(page: Int, language: String?) async throws -> [Movie]
                    func add(_ movie: Movie) async throws
                }

                struct MoviesStub: MoviesProtocol {
                    var onPopular: @Sendable (Int, String?) async throws -> [Movie] = {
                        _, _ in
                        throw UnstubbedCall("MoviesStub.popular(page:language:)")
                    }

                    func popular(page: Int = 1, language: String?) async throws -> [Movie] {
                        try await onPopular(page, language)
                    }

                    var onAdd: @Sendable (Movie) async throws -> Void = {
                        _ in
                        throw UnstubbedCall("MoviesStub.add(_:)")
                    }

                    func add(_ movie: Movie) async throws {
                        try await onAdd(movie)
                    }
                }
                """)
    }

    @Test func `further forms are written for requests, with the access level of the struct`() {
        let text = expansion(
            of: """
                @API(.completions, .publishers)
                public struct Movies {
                    @DELETE("movie/{id}", isIdempotent: false) public func remove(id: Int) async throws
                    @GET("movie/{id}") public func movie(id: Int) async throws -> DataTransferResponse<Movie>
                }
                """)
        #expect(
            text == """
                public struct Movies {
                    public func remove(id: Int) async throws {
                        try await service.request(Endpoints.remove(id: id))
                    }
                    public func movie(id: Int) async throws -> DataTransferResponse<Movie> {
                        try await service.response(for: Endpoints.movie(id: id))
                    }

                    let service: any DataTransferService

                    public init(_ service: any DataTransferService) {
                        self.service = service
                    }

                    /// The requests of the calls.
                    public enum Endpoints {
                        public nonisolated static func remove(id: Int) -> Endpoint<Void> {
                            var endpoint = Endpoint<Void>(path: "movie/{id}", method: .delete, pathParameters: ["id": id])
                            endpoint.isIdempotent = false
                            return endpoint
                        }

                        public nonisolated static func movie(id: Int) -> Endpoint<Movie> {
                            Endpoint<Movie>(path: "movie/{id}", pathParameters: ["id": id])
                        }
                    }

                    @discardableResult
                    public func remove(
                        id: Int, on queue: (any DataTransferDispatchQueue)? = nil,
                        completion: @escaping @isolated(any) @Sendable (Result<Void, DataTransferError>) -> Void
                    ) -> any NetworkCancellable {
                        service.request(Endpoints.remove(id: id), on: queue, completion: completion)
                    }

                    @discardableResult
                    public func movie(
                        id: Int, on queue: (any DataTransferDispatchQueue)? = nil,
                        completion: @escaping @Sendable (Result<DataTransferResponse<Movie>, DataTransferError>) -> Void
                    ) -> any NetworkCancellable {
                        service.response(for: Endpoints.movie(id: id), on: queue, completion: completion)
                    }

                    #if canImport(Combine)
                    public func removePublisher(
                        id: Int, on queue: (any DataTransferDispatchQueue)? = nil
                    ) -> AnyPublisher<Void, DataTransferError> {
                        service.requestPublisher(Endpoints.remove(id: id), on: queue)
                    }

                    public func moviePublisher(
                        id: Int, on queue: (any DataTransferDispatchQueue)? = nil
                    ) -> AnyPublisher<DataTransferResponse<Movie>, DataTransferError> {
                        service.responsePublisher(for: Endpoints.movie(id: id), on: queue)
                    }
                    #endif
                }
                """)
    }

    @Test func `nested types are qualified outside of the struct, and overloads have closures with labels`() {
        let text = expansion(
            of: """
                @API
                struct Movies: MoviesProtocol {
                    @GET("a") func list(_ filter: Filter) async throws -> [Filter]
                    @GET("b") func list(by order: Order = Order()) async throws -> Int
                    struct Filter {
                    }
                    struct Order {
                    }
                }
                """)
        #expect(
            text == """
                struct Movies: MoviesProtocol {
                    func list(_ filter: Filter) async throws -> [Filter] {
                        try await service.request(Endpoints.list(filter))
                    }
                    func list(by order: Order = Order()) async throws -> Int {
                        try await service.request(Endpoints.list(by: order))
                    }
                    struct Filter {
                    }
                    struct Order {
                    }

                    let service: any DataTransferService

                    init(_ service: any DataTransferService) {
                        self.service = service
                    }

                    /// The requests of the calls.
                    enum Endpoints {
                        nonisolated static func list(_ filter: Filter) -> Endpoint<[Filter]> {
                            Endpoint<[Filter]>(path: "a", queryParameters: ParameterList(filter))
                        }

                        nonisolated static func list(by order: Order = Order()) -> Endpoint<Int> {
                            Endpoint<Int>(path: "b", queryParameters: ["order": order])
                        }
                    }
                }

                protocol MoviesProtocol: Sendable {
                    func list(_ filter: Movies.Filter) async throws -> [Movies.Filter]
                    func list(by order: Movies.Order) async throws -> Int
                }

                struct MoviesStub: MoviesProtocol {
                    var onListFilter: @Sendable (Movies.Filter) async throws -> [Movies.Filter] = {
                        _ in
                        throw UnstubbedCall("MoviesStub.list(_:)")
                    }

                    func list(_ filter: Movies.Filter) async throws -> [Movies.Filter] {
                        try await onListFilter(filter)
                    }

                    var onListBy: @Sendable (Movies.Order) async throws -> Int = {
                        _ in
                        throw UnstubbedCall("MoviesStub.list(by:)")
                    }

                    func list(by order: Movies.Order = Movies.Order()) async throws -> Int {
                        try await onListBy(order)
                    }
                }
                """)
    }
}
