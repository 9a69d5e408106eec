import NetworkLogging

/// A description of one request with the type of its response.
///
/// ```swift
/// let popular = Endpoint<[Movie]>(path: "movie/popular", queryParameters: ["page": 1], keyPath: "results")
/// let rate = Endpoint<Void>(path: "movie/{id}/rating", method: .post, pathParameters: ["id": 7], body: .json(["value": 8.5]))
/// ```
public struct Endpoint<Response: Sendable>: ResponseRequestable {
    /// The path, a template such as `users/{id}`, or a full URL if ``isFullPath`` is `true`. Validated when the request is built.
    public var path: String
    /// Whether ``path`` is a full URL that replaces the base URL.
    public var isFullPath: Bool
    /// The HTTP method of the request.
    public var method: HTTPMethod
    /// The values for the names in the path template. A missing or unused value is an error when the request is built.
    public var pathParameters: PathParameters
    /// The header fields. They replace the configuration's headers of the same name, compared without case (RFC 9110 §5.1).
    public var headerParameters: HTTPHeaders
    /// The query parameters. They replace the configuration's items of the same name and are added to the query of ``path``.
    public var queryParameters: Parameters
    /// The format of the query parameters, including those of the configuration.
    public var queryStyle: QueryStyle
    /// The body of the request; `nil` sends none.
    public var body: RequestBody?
    /// The time limits that replace the session manager's.
    public var timeouts: RequestTimeouts
    /// The response statuses that count as success; any other is an error.
    public var acceptedStatuses: AcceptedStatuses
    /// The observer that receives progress updates.
    public var progress: (any TransferProgressObserver)?
    /// Whether the request is sent with credentials. Default: `true`.
    public var requiresAuthentication = true
    /// Whether sending the request twice has the same effect as sending it once. Default: the method's value (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        get { idempotency ?? method.isIdempotent }
        set { idempotency = newValue }
    }
    private var idempotency: Bool?
    /// The decoder of the response body. Not used if `Response` is `Void` or if the endpoint was created with a closure.
    public var responseDecoder: any ResponseDecoder
    private let makeResponse: @Sendable (ResponseBody, any ResponseDecoder) throws -> Response

    /// Creates an endpoint whose response is neither `Decodable` nor `Void`.
    ///
    /// - Parameter response: Returns the value of the body. Called once per successful response: on the caller's task for the
    ///   async functions, on a background thread for the completion functions.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: HTTPMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HTTPHeaders = [:],
        queryParameters: Parameters = [:],
        queryStyle: QueryStyle = .default,
        body: RequestBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        response: @escaping @Sendable (ResponseBody) throws -> Response
    ) {
        self.init(
            path, isFullPath, method, pathParameters, headerParameters, queryParameters, queryStyle, body, timeouts,
            acceptedStatuses, .json
        ) { body, _ in try response(body) }
    }

    /// Returns the body decoded by ``responseDecoder``, or by the closure that the endpoint was created with.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or another error of the decoder or the closure.
    public func response(from body: ResponseBody) throws -> Response {
        try makeResponse(body, responseDecoder)
    }

    private init(
        _ path: String, _ isFullPath: Bool, _ method: HTTPMethod, _ pathParameters: PathParameters,
        _ headerParameters: HTTPHeaders, _ queryParameters: Parameters, _ queryStyle: QueryStyle, _ body: RequestBody?,
        _ timeouts: RequestTimeouts, _ acceptedStatuses: AcceptedStatuses, _ responseDecoder: any ResponseDecoder,
        makeResponse: @escaping @Sendable (ResponseBody, any ResponseDecoder) throws -> Response
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
        self.responseDecoder = responseDecoder
        self.makeResponse = makeResponse
    }
}

extension Endpoint where Response: Decodable {
    /// Creates an endpoint whose response is decoded by a ``ResponseDecoder``.
    ///
    /// - Parameter responseDecoder: `.json`, `.rawData`, `.text`, `.propertyList`, `.empty`, or a custom decoder. Default:
    ///   `.json`.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: HTTPMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HTTPHeaders = [:],
        queryParameters: Parameters = [:],
        queryStyle: QueryStyle = .default,
        body: RequestBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        responseDecoder: any ResponseDecoder = .json
    ) {
        self.init(
            path, isFullPath, method, pathParameters, headerParameters, queryParameters, queryStyle, body, timeouts,
            acceptedStatuses, responseDecoder
        ) { body, decoder in try decoder.decode(Response.self, from: body) }
    }

    /// Creates an endpoint whose response is one value inside a JSON document.
    ///
    /// - Parameter keyPath: The place of the value: `data.items[0]` or an RFC 6901 pointer such as `/data/items/0`.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: HTTPMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HTTPHeaders = [:],
        queryParameters: Parameters = [:],
        queryStyle: QueryStyle = .default,
        body: RequestBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        keyPath: JSONKeyPath
    ) {
        self.init(
            path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
            headerParameters: headerParameters, queryParameters: queryParameters, queryStyle: queryStyle, body: body,
            timeouts: timeouts, acceptedStatuses: acceptedStatuses, responseDecoder: .keyPath(keyPath)
        )
    }
}

extension Endpoint where Response == Void {
    /// Creates an endpoint of whose response only the status matters. The body, if any, is ignored.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: HTTPMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HTTPHeaders = [:],
        queryParameters: Parameters = [:],
        queryStyle: QueryStyle = .default,
        body: RequestBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success
    ) {
        self.init(
            path, isFullPath, method, pathParameters, headerParameters, queryParameters, queryStyle, body, timeouts,
            acceptedStatuses, .empty
        ) { _, _ in }
    }
}

extension Endpoint: RedactedStringConvertible {
    /// A textual representation with response type, method and path, without query and user information.
    public var description: String {
        "Endpoint<\(Response.self)>(\(method) \(URLText.shown(path: path, isFullPath: isFullPath)))"
    }
}
