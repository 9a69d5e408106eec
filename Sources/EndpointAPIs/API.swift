import Endpoints

/// An endpoint that declares its own base URL and request options, in small parts.
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
///         guard case .popular(let page) = self else { return .none }
///         return .query(["page": page])
///     }
/// }
///
/// let movie = try await service.request(MoviesAPI.movie(id: 7).as(Movie.self))
/// ```
///
/// Only ``host`` and ``endpoint`` are required. To share values between several APIs, declare a protocol that refines this one and
/// implement them in an extension. An API is a ``Endpoints/Requestable``, so every call accepts it; the base URL
/// of the service's configuration is not used. If the API has the same origin as that base URL, the configuration's headers and
/// query items are sent as well. For any other origin, none of its query items are sent, and only the headers that cannot
/// contain a secret. For a service without a base URL, use ``Endpoints/NetworkConfigurable/composed``.
///
/// What has no part, such as the accepted statuses, is set by an API that implements ``Endpoints/Requestable/request`` itself and starts
/// with ``composedRequest``:
///
/// ```swift
/// var request: RequestDescription {
///     var request = composedRequest
///     request.acceptedStatuses = .success + [404]
///     return request
/// }
/// ```
///
/// Other protocols add parts: ``TrustingAPI`` declares the trust policy of the host, and `MockEndpoint` (`NetworkTesting`) the file that contains the
/// mock response.
public protocol API: Requestable {
    /// The URL scheme: `https` or `http`, compared without case. Default: `https`.
    var scheme: String { get }
    /// The host name or address, without scheme, port or user information: `api.example.com`, `127.0.0.1`, `::1`.
    var host: String { get }
    /// The port, 1...65535; `nil` for the default port of the scheme. Default: `nil`.
    var port: Int? { get }
    /// The common prefix of all paths, with or without slashes at its ends, without a query. Default: empty.
    var basePath: String { get }
    /// The path of the resource below the base path. They are joined with exactly one slash, regardless of leading slashes; an empty one adds none.
    /// May be a template (`users/{id}`) and may contain a query.
    var endpoint: String { get }
    /// The values for the names in the template. Default: none.
    var pathParameters: PathParameters { get }
    /// The HTTP method of the request. Default: GET.
    var method: RequestMethod { get }
    /// The header fields of the request. Default: none. A body sets its own `Content-Type`.
    var headers: HeaderFields { get }
    /// The parameters in the query, in the body, or both. Default: none.
    var parameters: RequestParameters { get }
    /// The policy that is sent as `Cache-Control`. Default: ``Endpoints/RequestCachePolicy/protocolRules``, which sends no field.
    var cachePolicy: RequestCachePolicy { get }
    /// The time limit from the call to the last byte, 1 ms...10^6 s; `nil` for the session manager's limit. Default: `nil`.
    /// To limit connecting and idle time separately, change ``composedRequest``.
    var timeout: Duration? { get }
    /// The deadline that replaces the service's. Default: ``Endpoints/RequestDeadline/default``, which keeps the service's deadline.
    var deadline: RequestDeadline { get }
    /// Whether the network logger receives the request, the response and a failure. Default: `true`.
    ///
    /// This does not affect the errors that a caller receives, or the logger of the data transfer layer.
    var shouldLog: Bool { get }
}

extension API {
    /// The default URL scheme, which is `https`.
    public var scheme: String { "https" }
    /// `nil`, which is the default port of the scheme.
    public var port: Int? { nil }
    /// An empty base path, so that paths have no common prefix.
    public var basePath: String { "" }
    /// No values, for paths without placeholders.
    public var pathParameters: PathParameters { [:] }
    /// The default method, GET (RFC 9110 §9.3.1).
    public var method: RequestMethod { .get }
    /// An empty list, so that the API adds no header fields.
    public var headers: HeaderFields { [:] }
    /// No query items and no body.
    public var parameters: RequestParameters { .none }
    /// The default policy, ``Endpoints/RequestCachePolicy/protocolRules``, which sends no directives.
    public var cachePolicy: RequestCachePolicy { .protocolRules }
    /// `nil`, which keeps the session manager's limit.
    public var timeout: Duration? { nil }
    /// The default deadline, which is the service's.
    public var deadline: RequestDeadline { .default }
    /// `true`, so that requests are logged.
    public var shouldLog: Bool { true }

    /// The description of the request, which is ``composedRequest`` by default.
    public var request: RequestDescription { composedRequest }

    /// The description of the request, composed of the API's parts. An invalid part is an error when the request is built.
    ///
    /// The base URL is composed of scheme, host, port and base path. The ``cachePolicy`` is sent as `Cache-Control`
    /// unless ``headers`` contain that field.
    public var composedRequest: RequestDescription { requestOfParts }

    /// The description that protocols which add parts start with.
    var requestOfParts: RequestDescription {
        var headers = headers
        let directives = cachePolicy.rawValue
        if !directives.isEmpty, !headers.contains("Cache-Control") { headers.set(directives, for: "Cache-Control") }
        let parameters = parameters
        var request = RequestDescription(
            path: path, method: method, pathParameters: pathParameters, headerParameters: headers,
            queryParameters: parameters.query, queryStyle: parameters.queryStyle, body: parameters.body,
            timeouts: RequestTimeouts(total: timeout, deadline: deadline))
        request.base = .composed(ComposedAddress(scheme: scheme, host: host, port: port, basePath: basePath))
        if !shouldLog { request.context.isLogged = false }
        return request
    }

    /// The ``endpoint`` with exactly one leading slash.
    private var path: String {
        let endpoint = endpoint
        let start = endpoint.utf8.firstIndex { $0 != UInt8(ascii: "/") } ?? endpoint.endIndex
        return endpoint.isEmpty ? "" : "/" + endpoint[start...]
    }
}
