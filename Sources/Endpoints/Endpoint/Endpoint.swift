/// One request and the type of its answer.
///
/// ```swift
/// let popular = Endpoint<[Movie]>(path: "movie/popular", queryParameters: ["page": 1], keyPath: "results")
/// let rate = Endpoint<Void>(path: "movie/{id}/rating", method: .post, pathParameters: ["id": 7], body: .json(["value": 8.5]))
/// ```
public struct Endpoint<Response: Sendable>: ResponseRequestable {
    /// A path, a template such as `users/{id}`, or a whole URL where ``isFullPath`` says so. Checked when the request is built.
    public var path: String
    /// Whether ``path`` is a whole URL that takes the place of the base URL.
    public var isFullPath: Bool
    /// The request method.
    public var method: HTTPMethod
    /// Values for the names in the path template. One too many or too few is an error when the request is built.
    public var pathParameters: PathParameters
    /// Replace the configuration's headers of the same name, compared without case (RFC 9110 §5.1).
    public var headerParameters: HTTPHeaders
    /// Replace the configuration's items of the same name; items in the query of ``path`` are kept beside them.
    public var queryParameters: Parameters
    /// How query parameters are written, those of the configuration too.
    public var queryStyle: QueryStyle
    /// What to send; `nil` sends no body.
    public var body: RequestBody?
    /// Time limits other than the session manager's.
    public var timeouts: RequestTimeouts
    /// The statuses that are a success; any other is an error.
    public var acceptedStatuses: AcceptedStatuses
    /// Hears how the transfer comes along.
    public var progress: (any TransferProgressObserver)?
    /// Whether it is sent with credentials. `true` unless set.
    public var requiresAuthentication = true
    /// Whether sending it twice has the effect of sending it once: what the method says (RFC 9110 §9.2.2) unless set.
    public var isIdempotent: Bool {
        get { idempotency ?? method.isIdempotent }
        set { idempotency = newValue }
    }
    private var idempotency: Bool?
    /// Makes the value of the body. Not asked where `Response` is `Void`, nor where the endpoint was made with a closure.
    public var responseDecoder: any ResponseDecoder
    private let makeResponse: @Sendable (ResponseBody, any ResponseDecoder) throws -> Response

    /// For a response that is neither `Decodable` nor `Void`.
    ///
    /// - Parameter response: Makes the value of the body. Runs once per successful response: on the caller's task for the
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

    /// The value that ``responseDecoder``, or the closure the endpoint was made with, makes of the body.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or what the decoder or the closure throws.
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
    /// For a response that a ``ResponseDecoder`` makes.
    ///
    /// - Parameter responseDecoder: JSON by default; `.rawData`, `.text`, `.propertyList`, `.empty`, or your own.
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

    /// For a response that stands inside a JSON document.
    ///
    /// - Parameter keyPath: `data.items[0]` or an RFC 6901 pointer such as `/data/items/0`.
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
    /// For a response whose status is all that matters: the body, if any, is ignored.
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

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type of the answer, the method and the path, without query and user information.
    public var description: String {
        "Endpoint<\(Response.self)>(\(method) \(URLText.shown(path: path, isFullPath: isFullPath)))"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
