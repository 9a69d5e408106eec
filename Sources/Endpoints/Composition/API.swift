import Foundation

/// An endpoint that declares its own base URL and request options, with one small protocol for each part.
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
/// Only ``APIHost/host`` and ``APIEndpoint/endpoint`` are required. To share values between several APIs, declare a protocol
/// that refines this one and implement them in an extension. An API is a ``Requestable``, so every call accepts it; the base URL
/// of the service's configuration is not used. If the API has the same origin as that base URL, the configuration's headers and
/// query items are sent as well. For any other origin, none of its query items are sent, and only the headers that cannot
/// contain a secret. For a service without a base URL, use ``ComposedConfiguration``.
///
/// Other modules add parts: `TrustingAPI` (`NetworkCore`) declares the trust policy of the host, `MockedAPI` (`NetworkTesting`)
/// the file that contains the mock response.
public protocol API: Requestable, APIScheme, APIHost, APIPort, APIBasePath, APIEndpoint, APIHeaders, APIParameters, APICaching,
    APITimeout, APILogging
{}

extension API {
    /// Returns the base URL composed of scheme, host, port and base path.
    ///
    /// - Throws: ``RequestGenerationError`` for the part that is invalid.
    public func ownBaseURL() throws(RequestGenerationError) -> URL? {
        try ComposedAddress(scheme: scheme, host: host, port: port, basePath: basePath).url()
    }

    /// The ``APIEndpoint/endpoint`` with exactly one leading slash.
    public var path: String {
        if isFullPath { return endpoint }
        let start = endpoint.utf8.firstIndex { $0 != UInt8(ascii: "/") } ?? endpoint.endIndex
        return endpoint.isEmpty ? "" : "/" + endpoint[start...]
    }

    /// The ``APIHeaders/headers``, and the ``APICaching/cachePolicy`` as `Cache-Control` if they do not contain that field.
    public var headerParameters: HTTPHeaders {
        var headers = headers
        let directives = cachePolicy.rawValue
        if !directives.isEmpty, !headers.contains("Cache-Control") { headers.set(directives, for: "Cache-Control") }
        return headers
    }

    /// The query items of ``APIParameters/parameters``.
    public var queryParameters: Parameters { parameters.query }

    /// The request body of ``APIParameters/parameters``, if it has one.
    public var body: RequestBody? { parameters.body }

    /// The time limits: ``APITimeout/timeout`` as the total limit, and ``APITimeout/deadline``.
    public var timeouts: RequestTimeouts { RequestTimeouts(total: timeout, deadline: deadline) }

    /// The request context, which is ``statedContext`` by default.
    public var context: RequestContext { statedContext }

    /// The context values derived from the API's parts, such as ``APILogging/shouldLog``.
    ///
    /// An API that implements ``Requestable/context`` itself starts from this value.
    public var statedContext: RequestContext {
        var context = RequestContext()
        if !shouldLog { context.isLogged = false }
        return context
    }
}
