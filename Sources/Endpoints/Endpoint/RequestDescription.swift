import Foundation
import NetworkLogging

/// A description of one request, from which the request is built: where it is sent, what it contains, and how it is treated.
///
/// ```swift
/// var report = RequestDescription.get("report/{id}", pathParameters: ["id": 7])
/// report.timeouts.total = .seconds(300)
/// ```
///
/// Its values are validated when the request is built.
public struct RequestDescription: Sendable {
    /// The path, a template such as `users/{id}`, or a full URL if ``isFullPath`` is `true`.
    ///
    /// A path is joined to the base URL with exactly one slash. It may contain a query, which is kept.
    public var path: String
    /// Whether ``path`` is a full URL that replaces the base URL. Default: `false`.
    ///
    /// If its origin (RFC 6454 §4) differs from that of the configuration's base URL, only the configuration's headers that
    /// cannot contain a secret are sent, and none of its query parameters.
    public var isFullPath: Bool
    /// The HTTP method of the request. Default: GET.
    public var method: RequestMethod
    /// The values for the names in the path template. A missing or unused value is an error when the request is built.
    public var pathParameters: PathParameters
    /// The header fields. They replace the configuration's headers of the same name, compared without case (RFC 9110 §5.1).
    public var headerParameters: HeaderFields
    /// The query parameters. They replace the configuration's items of the same name and are added to the query of ``path``.
    public var queryParameters: ParameterList
    /// The format of the query parameters, including those of the configuration.
    public var queryStyle: QueryStyle
    /// The body of the request; `nil` sends none.
    public var body: EndpointBody?
    /// The time limits that replace the session manager's.
    public var timeouts: RequestTimeouts
    /// The response statuses that count as success; any other is an error. Default: 200..<300.
    public var acceptedStatuses: AcceptedStatuses
    /// The observer that receives progress updates. Default: `nil`.
    public var progress: (any TransferProgressObserver)?
    /// Whether the request is sent with credentials. Default: `true`. Set it to `false` for a request that needs none, such as
    /// a login, a token refresh or a public resource.
    public var requiresAuthentication = true
    /// Values for interceptors and the layers below that are never sent. Default: none.
    public var context = ContextValues()
    /// The explicitly set value of ``isIdempotent``; `nil` if the method determines it.
    package var idempotency: Bool?
    /// The base that ``path`` is joined to.
    var base = Base.configuration
    /// The endpoint that the caller passed, if a service changed its description for one call. Test doubles read it.
    package var source: (any Requestable)?

    /// The base URL of a request.
    enum Base: Sendable {
        /// The base URL of the configuration.
        case configuration
        /// A base URL that replaces the configuration's.
        case url(URL)
        /// The parts of a base URL that replaces the configuration's. They are validated when the request is built.
        case composed(ComposedAddress)

        /// Returns the base URL that replaces the configuration's, if there is one.
        ///
        /// - Throws: ``RequestGenerationError`` for the part that is invalid.
        func replacement() throws(RequestGenerationError) -> URL? {
            switch self {
            case .configuration: nil
            case .url(let url): url
            case .composed(let address): try address.url()
            }
        }
    }

    /// Creates a description of a request.
    ///
    /// - Parameter baseURL: The base URL that replaces the configuration's. Default: `nil`, which uses the configuration's.
    public init(
        path: String,
        isFullPath: Bool = false,
        baseURL: URL? = nil,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:],
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        requiresAuthentication: Bool = true
    ) {
        self.path = path
        self.isFullPath = isFullPath
        self.method = method
        self.pathParameters = pathParameters
        self.headerParameters = headerParameters
        self.queryParameters = queryParameters
        self.queryStyle = queryStyle
        self.body = body
        self.timeouts = timeouts
        self.acceptedStatuses = acceptedStatuses
        self.requiresAuthentication = requiresAuthentication
        if let baseURL { base = .url(baseURL) }
    }

    /// The base URL that replaces the configuration's for this request; `nil` uses the configuration's. Not used if
    /// ``isFullPath`` is `true`. For an ``API``, it is composed from the parts, and `nil` if a part is invalid.
    ///
    /// If its origin (RFC 6454 §4) differs from that of the configuration's base URL, only the configuration's headers that
    /// cannot contain a secret are sent, and none of its query parameters.
    public var baseURL: URL? {
        get { try? base.replacement() }
        set { base = newValue.map(Base.url) ?? .configuration }
    }

    /// Whether sending the request twice has the same effect as sending it once. Default: the method's value (RFC 9110 §9.2.2).
    /// Set it for a POST that may be repeated, or a PUT that may not.
    public var isIdempotent: Bool {
        get { idempotency ?? method.isIdempotent }
        set { idempotency = newValue }
    }
}

extension RequestDescription {
    /// Returns the description of a GET request (RFC 9110 §9.3.1).
    public static func get(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        RequestDescription(
            path: path, method: .get, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: queryParameters, timeouts: timeouts, acceptedStatuses: acceptedStatuses,
            requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a HEAD request (RFC 9110 §9.3.2).
    public static func head(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        RequestDescription(
            path: path, method: .head, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: queryParameters, timeouts: timeouts, acceptedStatuses: acceptedStatuses,
            requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a POST request (RFC 9110 §9.3.3).
    public static func post(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        RequestDescription(
            path: path, method: .post, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: queryParameters, body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses,
            requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a PUT request (RFC 9110 §9.3.4).
    public static func put(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        RequestDescription(
            path: path, method: .put, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: queryParameters, body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses,
            requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a PATCH request (RFC 5789 §2).
    public static func patch(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        RequestDescription(
            path: path, method: .patch, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: queryParameters, body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses,
            requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a DELETE request (RFC 9110 §9.3.5).
    public static func delete(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        RequestDescription(
            path: path, method: .delete, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: queryParameters, body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses,
            requiresAuthentication: requiresAuthentication)
    }
}

extension RequestDescription: RedactedStringConvertible {
    /// A textual representation with method and path, without query and user information.
    public var description: String {
        "RequestDescription(\(method) \(URLText.shown(path: path, isFullPath: isFullPath)))"
    }
}
