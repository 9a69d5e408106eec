import Foundation

/// An endpoint that says for itself where it lives and how it is asked, in parts that have a protocol each.
///
/// ```swift
/// enum MoviesAPI: API {
///     case popular(page: Int)
///     case movie(id: Int)
///
///     var host: String { "api.example.com" }
///     var basePath: String { "3" }
///     var endpoint: String {
///         switch self {
///         case .popular: "movie/popular"
///         case .movie(let id): "movie/\(id)"
///         }
///     }
///     var parameters: RequestParameters {
///         if case .popular(let page) = self { .query(["page": page]) } else { .none }
///     }
/// }
///
/// let movie = try await service.request(MoviesAPI.movie(id: 7).as(Movie.self))
/// ```
///
/// Only ``APIHost/host`` and ``APIEndpoint/endpoint`` are required. What several APIs share stands in a protocol of their own that refines
/// this one, with an extension. It is a ``Requestable``: every call takes it, and the base URL of the service's configuration
/// is not asked. On the host of that base URL the configuration's headers and query items are sent, too; on any other none of
/// its query items, and only the headers that cannot hold a secret. ``ComposedConfiguration`` is for services without a base URL.
///
/// More parts belong to other modules: `TrustingAPI` (`NetworkCore`) says whom to trust, `MockedAPI` (`NetworkTesting`) which file holds
/// the answer.
public protocol API: Requestable, APIScheme, APIHost, APIPort, APIBasePath, APIEndpoint, APIHeaders, APIParameters, APICaching,
    APITimeout, APILogging
{}

extension API {
    /// Scheme, host, port and base path, put together.
    ///
    /// - Throws: ``RequestGenerationError`` for the part that is wrong.
    public func ownBaseURL() throws(RequestGenerationError) -> URL? {
        try ComposedAddress(scheme: scheme, host: host, port: port, basePath: basePath).url()
    }

    /// The ``APIEndpoint/endpoint``, behind exactly one slash.
    public var path: String {
        if isFullPath { return endpoint }
        let start = endpoint.utf8.firstIndex { $0 != UInt8(ascii: "/") } ?? endpoint.endIndex
        return endpoint.isEmpty ? "" : "/" + endpoint[start...]
    }

    /// ``APIHeaders/headers``, and the ``APICaching/cachePolicy`` as `Cache-Control` unless they have such a field.
    public var headerParameters: HTTPHeaders {
        var headers = headers
        let directives = cachePolicy.rawValue
        if !directives.isEmpty, !headers.contains("Cache-Control") { headers.set(directives, for: "Cache-Control") }
        return headers
    }

    /// Those of ``APIParameters/parameters``.
    public var queryParameters: Parameters { parameters.query }

    /// That of ``APIParameters/parameters``.
    public var body: RequestBody? { parameters.body }

    /// ``APITimeout/timeout`` for all of it, and ``APITimeout/deadline``.
    public var timeouts: RequestTimeouts { RequestTimeouts(total: timeout, deadline: deadline) }

    /// ``statedContext``.
    public var context: RequestContext { statedContext }

    /// What the parts tell the layers below. An API with a ``Requestable/context`` of its own begins with it.
    public var statedContext: RequestContext {
        var context = RequestContext()
        if !shouldLog { context.isLogged = false }
        return context
    }
}
