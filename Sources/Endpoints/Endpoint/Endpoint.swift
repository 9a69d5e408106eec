import NetworkLogging

/// A description of one request with the type of its response.
///
/// ```swift
/// let popular = Endpoint<[Movie]>(
///     path: "movie/popular", queryParameters: ["page": 1], keyPath: "results")
/// let rate = Endpoint<Void>(
///     path: "movie/{id}/rating", method: .post, pathParameters: ["id": 7],
///     body: .json(["value": 8.5]))
/// ```
///
/// The properties of ``request`` are also properties of the endpoint: `endpoint.timeouts.total = .seconds(5)`.
@dynamicMemberLookup
public struct Endpoint<Response: Sendable>: ResponseRequestable {
    /// The description of the request.
    public var request: RequestDescription
    /// The decoder of the response body. Not used if `Response` is `Void` or if the endpoint was created with a closure.
    public var responseDecoder: any ResponseDecoder
    private let makeResponse: @Sendable (ResponseData, any ResponseDecoder) throws -> Response

    package init(
        _ request: RequestDescription, responseDecoder: any ResponseDecoder,
        makeResponse: @escaping @Sendable (ResponseData, any ResponseDecoder) throws -> Response
    ) {
        self.request = request
        self.responseDecoder = responseDecoder
        self.makeResponse = makeResponse
    }

    /// Creates an endpoint whose response is neither `Decodable` nor `Void`.
    ///
    /// - Parameters:
    ///   - path: The path, a template such as `users/{id}`, or a full URL if `isFullPath` is `true`.
    ///   - isFullPath: Whether `path` is a full URL that replaces the base URL. Default: `false`.
    ///   - method: The method. Default: GET.
    ///   - pathParameters: The values of the placeholders in `path`. Default: none.
    ///   - headerParameters: Header fields, which replace those of the configuration with the same names. Default: none.
    ///   - queryParameters: Query items, which replace those of the configuration with the same names. Default: none.
    ///   - queryStyle: The format of the query items.
    ///   - body: The body. Default: no body.
    ///   - timeouts: The time limits. Default: those of the session manager.
    ///   - acceptedStatuses: The response statuses that count as success. Default: 200..<300.
    ///   - response: Returns the value of the body. Called once per successful response: on the caller's task for the
    ///     async functions, on a background thread for the completion functions.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:],
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        response: @escaping @Sendable (ResponseData) throws -> Response
    ) {
        self.init(
            RequestDescription(
                path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
                headerParameters: headerParameters, queryParameters: queryParameters, queryStyle: queryStyle, body: body,
                timeouts: timeouts, acceptedStatuses: acceptedStatuses),
            responseDecoder: .json
        ) { body, _ in try response(body) }
    }

    /// Returns the body decoded by ``responseDecoder``, or by the closure that the endpoint was created with.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or another error of the decoder or the closure.
    public func response(from body: ResponseData) throws -> Response {
        try makeResponse(body, responseDecoder)
    }

    /// A property of ``request``.
    public subscript<Value>(dynamicMember property: WritableKeyPath<RequestDescription, Value>) -> Value {
        get { request[keyPath: property] }
        set { request[keyPath: property] = newValue }
    }
}

extension Endpoint where Response: Decodable {
    /// Creates an endpoint whose response is decoded by a ``ResponseDecoder``.
    ///
    /// - Parameters:
    ///   - path: The path, a template such as `users/{id}`, or a full URL if `isFullPath` is `true`.
    ///   - isFullPath: Whether `path` is a full URL that replaces the base URL. Default: `false`.
    ///   - method: The method. Default: GET.
    ///   - pathParameters: The values of the placeholders in `path`. Default: none.
    ///   - headerParameters: Header fields, which replace those of the configuration with the same names. Default: none.
    ///   - queryParameters: Query items, which replace those of the configuration with the same names. Default: none.
    ///   - queryStyle: The format of the query items.
    ///   - body: The body. Default: no body.
    ///   - timeouts: The time limits. Default: those of the session manager.
    ///   - acceptedStatuses: The response statuses that count as success. Default: 200..<300.
    ///   - responseDecoder: `.json`, `.rawData`, `.text`, `.propertyList`, `.empty`, or a custom decoder. Default:
    ///     `.json`, which uses the decoder of the service.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:],
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        responseDecoder: any ResponseDecoder = .json
    ) {
        self.init(
            RequestDescription(
                path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
                headerParameters: headerParameters, queryParameters: queryParameters, queryStyle: queryStyle, body: body,
                timeouts: timeouts, acceptedStatuses: acceptedStatuses),
            responseDecoder: responseDecoder
        ) { body, decoder in try decoder.decode(Response.self, from: body) }
    }

    /// Creates an endpoint whose response is one value inside a JSON document.
    ///
    /// - Parameters:
    ///   - path: The path, a template such as `users/{id}`, or a full URL if `isFullPath` is `true`.
    ///   - isFullPath: Whether `path` is a full URL that replaces the base URL. Default: `false`.
    ///   - method: The method. Default: GET.
    ///   - pathParameters: The values of the placeholders in `path`. Default: none.
    ///   - headerParameters: Header fields, which replace those of the configuration with the same names. Default: none.
    ///   - queryParameters: Query items, which replace those of the configuration with the same names. Default: none.
    ///   - queryStyle: The format of the query items.
    ///   - body: The body. Default: no body.
    ///   - timeouts: The time limits. Default: those of the session manager.
    ///   - acceptedStatuses: The response statuses that count as success. Default: 200..<300.
    ///   - keyPath: The place of the value: `data.items[0]` or an RFC 6901 pointer such as `/data/items/0`.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:],
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
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
    /// Creates an endpoint whose call returns nothing: it succeeds if the status is accepted. A body of the response is ignored.
    public init(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:],
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success
    ) {
        self.init(
            RequestDescription(
                path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
                headerParameters: headerParameters, queryParameters: queryParameters, queryStyle: queryStyle, body: body,
                timeouts: timeouts, acceptedStatuses: acceptedStatuses),
            responseDecoder: .empty
        ) { _, _ in }
    }
}

extension Endpoint {
    /// Creates an endpoint with the description and the decoding of another one. The caller may then change ``request``.
    package init<Base: ResponseRequestable>(_ base: Base) where Base.Response == Response {
        if let endpoint = base as? Endpoint {
            self = endpoint
        } else {
            self.init(base.sourcedRequest, responseDecoder: base.responseDecoder) { body, _ in try base.response(from: body) }
        }
    }
}

extension Endpoint: RedactedStringConvertible {
    /// A textual representation with response type, method and path, without query and user information.
    public var description: String {
        "Endpoint<\(Response.self)>(\(request.method) \(URLText.shown(path: request.path, isFullPath: request.isFullPath).printable))"
    }
}

extension Requestable {
    /// Returns an endpoint that sends this request and decodes the response to a value of `type`, for enums whose endpoints
    /// have different response types.
    ///
    /// ```swift
    /// let movies = try await service.request(
    ///     Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder of the response body: `.json(decoder)`, `.keyPath("results", decoder: decoder)`, or
    ///     another one. Default: `.json`, which uses the decoder of the service.
    public func `as`<Response: Decodable & Sendable>(
        _ type: Response.Type, decoder: any ResponseDecoder = .json
    ) -> Endpoint<Response> {
        Endpoint(sourcedRequest, responseDecoder: decoder) { body, decoder in try decoder.decode(Response.self, from: body) }
    }

    /// Returns an endpoint that sends this request and decodes the response from the value at a key path of a JSON document.
    public func `as`<Response: Decodable & Sendable>(_ type: Response.Type, keyPath: JSONKeyPath) -> Endpoint<Response> {
        self.as(type, decoder: .keyPath(keyPath))
    }
}
