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
    /// Everything that a description consists of. Copies of it share it until one of them is changed.
    private struct Parts: Sendable {
        var path: String
        var isFullPath: Bool
        var method: RequestMethod
        var pathParameters: PathParameters
        var headerParameters: HeaderFields
        var queryParameters: ParameterList
        var queryStyle: QueryStyle
        var body: EndpointBody?
        var timeouts: RequestTimeouts
        var acceptedStatuses: AcceptedStatuses
        var progress: (any TransferProgressObserver)?
        var requiresAuthentication: Bool
        var redirects = RedirectPolicy.follow
        var compression = BodyCompression.automatic
        var priority = RequestPriority.normal
        var acceptedMediaTypes = AcceptedMediaTypes.any
        var onInformationalResponse: (@Sendable (InformationalResponse) -> Void)?
        var context = ContextValues()
        var name: String?
        var idempotency: Bool?
        var base: Base
        var source: (any Requestable)?
        var encoder: (any DataEncoder)?
    }

    private var parts: CopyOnWrite<Parts>

    /// Whether this is a copy of another description, and neither was changed since.
    func isUnchangedCopy(of other: RequestDescription) -> Bool { parts.isShared(with: other.parts) }
    /// Whether there is a ``body``.
    package var hasBody: Bool { parts.value.body != nil }

    /// The path, a template such as `users/{id}`, or a full URL if ``isFullPath`` is `true`.
    ///
    /// Between the base URL and a path, a slash is added if neither has one, and removed if both have one. All other slashes are kept,
    /// and an empty path adds none. A path may contain a query, which is kept.
    public var path: String {
        _read { yield parts.value.path }
        _modify { yield &parts.value.path }
    }
    /// Whether ``path`` is a full URL that replaces the base URL. Default: `false`.
    ///
    /// If its origin (RFC 6454 §4) differs from that of the configuration's base URL, only the configuration's headers that
    /// cannot contain a secret are sent, and none of its query parameters.
    public var isFullPath: Bool {
        get { parts.value.isFullPath }
        set { parts.value.isFullPath = newValue }
    }
    /// The HTTP method of the request. Default: GET.
    public var method: RequestMethod {
        _read { yield parts.value.method }
        _modify { yield &parts.value.method }
    }
    /// The values for the names in the path template. A missing or unused value is an error when the request is built.
    public var pathParameters: PathParameters {
        _read { yield parts.value.pathParameters }
        _modify { yield &parts.value.pathParameters }
    }
    /// The header fields. They replace the configuration's headers of the same name, compared without case (RFC 9110 §5.1).
    public var headerParameters: HeaderFields {
        _read { yield parts.value.headerParameters }
        _modify { yield &parts.value.headerParameters }
    }
    /// The query parameters. They replace the configuration's items of the same name and are added to the query of ``path``.
    public var queryParameters: ParameterList {
        _read { yield parts.value.queryParameters }
        _modify { yield &parts.value.queryParameters }
    }
    /// The format of the query parameters, including those of the configuration.
    public var queryStyle: QueryStyle {
        _read { yield parts.value.queryStyle }
        _modify { yield &parts.value.queryStyle }
    }
    /// The body of the request; `nil` sends none.
    public var body: EndpointBody? {
        _read { yield parts.value.body }
        _modify { yield &parts.value.body }
    }
    /// The time limits that replace the session manager's.
    public var timeouts: RequestTimeouts {
        _read { yield parts.value.timeouts }
        _modify { yield &parts.value.timeouts }
    }
    /// The response statuses that count as success; any other is an error. Default: 200..<300.
    public var acceptedStatuses: AcceptedStatuses {
        _read { yield parts.value.acceptedStatuses }
        _modify { yield &parts.value.acceptedStatuses }
    }
    /// The media types of responses that are accepted: they are sent as `Accept`, and a response of another type is an error. Default:
    /// ``AcceptedMediaTypes/any``, which sends `Accept: */*` and checks nothing.
    public var acceptedMediaTypes: AcceptedMediaTypes {
        get { parts.value.acceptedMediaTypes }
        set { parts.value.acceptedMediaTypes = newValue }
    }
    /// The observer that receives progress updates. Default: `nil`.
    public var progress: (any TransferProgressObserver)? {
        _read { yield parts.value.progress }
        _modify { yield &parts.value.progress }
    }
    /// Whether the request is sent with credentials. Default: `true`. Set it to `false` for a request that needs none, such as
    /// a login, a token refresh or a public resource.
    public var requiresAuthentication: Bool {
        get { parts.value.requiresAuthentication }
        set { parts.value.requiresAuthentication = newValue }
    }
    /// What happens when the response is a redirect. Default: ``RedirectPolicy/follow``.
    public var redirects: RedirectPolicy {
        get { parts.value.redirects }
        set { parts.value.redirects = newValue }
    }
    /// Whether the body is compressed while it is sent. Default: ``BodyCompression/automatic``.
    public var compression: BodyCompression {
        get { parts.value.compression }
        set { parts.value.compression = newValue }
    }
    /// The class of the request in the queues of this client. Default: ``RequestPriority/normal``.
    public var priority: RequestPriority {
        get { parts.value.priority }
        set { parts.value.priority = newValue }
    }
    /// A closure that receives each informational response, such as 103 (Early Hints). Default: `nil`. See
    /// ``NetworkRequest/onInformationalResponse``.
    public var onInformationalResponse: (@Sendable (InformationalResponse) -> Void)? {
        get { parts.value.onInformationalResponse }
        set { parts.value.onInformationalResponse = newValue }
    }
    /// The name of the endpoint in metrics, traces and logs, such as `movie`. Default: `nil`, for which ``NetworkRequest/endpointName`` is the
    /// path template, if ``path`` is one.
    ///
    /// All requests of the endpoint should have the same name, so it must not contain an ID or another value that varies. It is never sent,
    /// and not redacted.
    public var name: String? {
        get { parts.value.name }
        set { parts.value.name = newValue }
    }
    /// The name of the endpoint: ``name``, or else ``path`` if it has placeholders.
    ///
    /// A path without placeholders may have been composed with an ID, so it is no name. Nor is a full URL.
    var endpointName: String? { name ?? (isFullPath || pathParameters.isEmpty ? nil : path) }
    /// Values for interceptors and the layers below that are never sent. Default: none.
    public var context: ContextValues {
        _read { yield parts.value.context }
        _modify { yield &parts.value.context }
    }
    /// The explicitly set value of ``isIdempotent``; `nil` if the method determines it.
    package var idempotency: Bool? {
        _read { yield parts.value.idempotency }
        _modify { yield &parts.value.idempotency }
    }
    /// The base that ``path`` is joined to.
    package var base: Base {
        _read { yield parts.value.base }
        _modify { yield &parts.value.base }
    }
    /// The endpoint that the caller passed, if a service changed its description for one call. Test doubles read it.
    package var source: (any Requestable)? {
        _read { yield parts.value.source }
        _modify { yield &parts.value.source }
    }

    /// The encoder of the service, for a JSON body without one; `nil` for ``DataEncoder/json``.
    package var encoder: (any DataEncoder)? {
        _read { yield parts.value.encoder }
        _modify { yield &parts.value.encoder }
    }

    /// The base URL of a request.
    package enum Base: Sendable {
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
    /// - Parameters:
    ///   - path: The path, a template such as `users/{id}`, or a full URL if `isFullPath` is `true`.
    ///   - isFullPath: Whether `path` is a full URL that replaces the base URL. Default: `false`.
    ///   - baseURL: The base URL that replaces the configuration's. Default: `nil`, which uses the configuration's.
    ///   - method: The method. Default: GET.
    ///   - pathParameters: The values of the placeholders in `path`. Default: none.
    ///   - headerParameters: Header fields, which replace those of the configuration with the same names. Default: none.
    ///   - queryParameters: Query items, which replace those of the configuration with the same names. Default: none.
    ///   - queryStyle: The format of the query items.
    ///   - body: The body. Default: no body.
    ///   - timeouts: The time limits. Default: those of the session manager.
    ///   - acceptedStatuses: The response statuses that count as success. Default: 200..<300.
    ///   - requiresAuthentication: Whether credentials are sent. Default: `true`.
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
        parts = CopyOnWrite(
            Parts(
                path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
                headerParameters: headerParameters, queryParameters: queryParameters, queryStyle: queryStyle, body: body,
                timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication,
                base: baseURL.map(Base.url) ?? .configuration))
    }

    /// The base URL that replaces the configuration's for this request; `nil` uses the configuration's. Not used if
    /// ``isFullPath`` is `true`. For an `API` of `EndpointAPIs`, it is composed from the parts, and `nil` if a part is invalid.
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

    /// Returns the description of a QUERY request (RFC 10008).
    public static func query(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        RequestDescription(
            path: path, method: .query, pathParameters: pathParameters, headerParameters: headerParameters,
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
        "RequestDescription(\(method) \(URLText.shown(path: path, isFullPath: isFullPath).printable))"
    }
}
