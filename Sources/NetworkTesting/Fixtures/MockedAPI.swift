import Endpoints

/// An ``Endpoints/API`` that names the file with its answer, for ``StubDataTransferService``: the same call, no network.
///
/// ```swift
/// extension MoviesAPI: MockedAPI {
///     var mockFileName: String { "movies" }       // movies.json
/// }
///
/// let service = StubDataTransferService(bundle: .module)
/// let movies = try await service.request(MoviesAPI.popular.as([Movie].self))
/// ```
public protocol MockedAPI: API, MockEndpoint {}
