import Endpoints
import NetworkLogging
import NetworkSupport

/// The parameters that an ``API`` sends: query items, a body, or both.
public struct RequestParameters: Sendable {
    /// The query items. They replace the configuration's items of the same name.
    public var query: ParameterList
    /// The format of the query items, including those of the configuration.
    public var queryStyle: QueryStyle
    /// The body of the request; `nil` sends none.
    public var body: EndpointBody?

    /// Creates parameters from query items and a body. Default: neither.
    public init(query: ParameterList = [:], queryStyle: QueryStyle = QueryStyle(), body: EndpointBody? = nil) {
        self.query = query
        self.queryStyle = queryStyle
        self.body = body
    }

    /// No query items and no body.
    public static let none = RequestParameters()

    /// Returns parameters that are sent in the query.
    public static func query(_ parameters: ParameterList, style: QueryStyle = QueryStyle()) -> RequestParameters {
        RequestParameters(query: parameters, queryStyle: style)
    }

    /// Returns parameters of any `Encodable` value with named properties, such as a dictionary, that are sent in the query.
    @_disfavoredOverload
    public static func query(_ value: some Encodable & Sendable, style: QueryStyle = QueryStyle()) -> RequestParameters {
        query(ParameterList(value), style: style)
    }

    /// Returns parameters with any body: `.body(.multipart(form))`, `.body(.file(url))`.
    public static func body(_ body: EndpointBody) -> RequestParameters { RequestParameters(body: body) }

    /// Returns parameters with a value as a JSON body.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder of the value. Default: `nil`, which uses that of the service, by default ``Endpoints/DataEncoder/json``.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable, encoder: (any DataEncoder)? = nil) -> RequestParameters {
        .body(.json(value, encoder: encoder))
    }

    /// Returns parameters with a dictionary literal as a JSON body. Items whose value is `nil` are omitted.
    public static func json(_ parameters: ParameterList, encoder: (any DataEncoder)? = nil) -> RequestParameters {
        .body(.json(parameters, encoder: encoder))
    }

    /// Returns parameters with a form body (`application/x-www-form-urlencoded`).
    public static func form(_ parameters: ParameterList, style: QueryStyle = QueryStyle()) -> RequestParameters {
        .body(.form(parameters, style: style))
    }

    /// Returns parameters of any `Encodable` value with named properties, such as a dictionary, with a form body.
    @_disfavoredOverload
    public static func form(_ value: some Encodable & Sendable, style: QueryStyle = QueryStyle()) -> RequestParameters {
        .body(.form(value, style: style))
    }
}

extension RequestParameters: RedactedStringConvertible {
    /// A textual representation with the names of the query items and the content type of the body, without values.
    public var description: String { "RequestParameters(\(query), \(body.map(\.description) ?? "no body"))" }
}
