import Foundation

// The same initializers and functions as in `Endpoint.swift` and `RequestDescription.swift`, for a query that is not a literal: a dictionary, or any
// other `Encodable` value with named properties. A literal always uses those, so that its order is kept and its values may have several types.

extension Endpoint {
    /// Creates an endpoint whose response is neither `Decodable` nor `Void`, with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public init<Query: Encodable & Sendable>(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: Query,
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        response: @escaping @Sendable (ResponseData) throws -> Response
    ) {
        self.init(
            path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
            headerParameters: headerParameters, queryParameters: ParameterList(queryParameters), queryStyle: queryStyle,
            body: body,
            timeouts: timeouts, acceptedStatuses: acceptedStatuses, response: response)
    }
}

extension Endpoint where Response: Decodable {
    /// Creates an endpoint whose response is decoded by a ``ResponseDecoder``, with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public init<Query: Encodable & Sendable>(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: Query,
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        responseDecoder: any ResponseDecoder = .json
    ) {
        self.init(
            path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
            headerParameters: headerParameters, queryParameters: ParameterList(queryParameters), queryStyle: queryStyle,
            body: body,
            timeouts: timeouts, acceptedStatuses: acceptedStatuses, responseDecoder: responseDecoder)
    }

    /// Creates an endpoint whose response is one value inside a JSON document, with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public init<Query: Encodable & Sendable>(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: Query,
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        keyPath: JSONKeyPath
    ) {
        self.init(
            path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
            headerParameters: headerParameters, queryParameters: ParameterList(queryParameters), queryStyle: queryStyle,
            body: body,
            timeouts: timeouts, acceptedStatuses: acceptedStatuses, keyPath: keyPath)
    }
}

extension Endpoint where Response == Void {
    /// Creates an endpoint whose call returns nothing, with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public init<Query: Encodable & Sendable>(
        path: String,
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: Query,
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success
    ) {
        self.init(
            path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters,
            headerParameters: headerParameters, queryParameters: ParameterList(queryParameters), queryStyle: queryStyle,
            body: body,
            timeouts: timeouts, acceptedStatuses: acceptedStatuses)
    }
}

extension RequestDescription {
    /// Creates a description of a request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public init<Query: Encodable & Sendable>(
        path: String,
        isFullPath: Bool = false,
        baseURL: URL? = nil,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:],
        queryParameters: Query,
        queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success,
        requiresAuthentication: Bool = true
    ) {
        self.init(
            path: path, isFullPath: isFullPath, baseURL: baseURL, method: method, pathParameters: pathParameters,
            headerParameters: headerParameters, queryParameters: ParameterList(queryParameters), queryStyle: queryStyle,
            body: body,
            timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a GET request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public static func get<Query: Encodable & Sendable>(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        .get(
            path, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: ParameterList(queryParameters),
            timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a HEAD request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public static func head<Query: Encodable & Sendable>(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        .head(
            path, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: ParameterList(queryParameters),
            timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a POST request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public static func post<Query: Encodable & Sendable>(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        .post(
            path, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: ParameterList(queryParameters),
            body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a QUERY request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public static func query<Query: Encodable & Sendable>(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        .query(
            path, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: ParameterList(queryParameters),
            body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a PUT request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public static func put<Query: Encodable & Sendable>(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        .put(
            path, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: ParameterList(queryParameters),
            body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a PATCH request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public static func patch<Query: Encodable & Sendable>(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        .patch(
            path, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: ParameterList(queryParameters),
            body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }

    /// Returns the description of a DELETE request with a query of any `Encodable` value: see ``ParameterList``.
    @_disfavoredOverload
    public static func delete<Query: Encodable & Sendable>(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(),
        acceptedStatuses: AcceptedStatuses = .success, requiresAuthentication: Bool = true
    ) -> RequestDescription {
        .delete(
            path, pathParameters: pathParameters, headerParameters: headerParameters,
            queryParameters: ParameterList(queryParameters),
            body: body, timeouts: timeouts, acceptedStatuses: acceptedStatuses, requiresAuthentication: requiresAuthentication)
    }
}
