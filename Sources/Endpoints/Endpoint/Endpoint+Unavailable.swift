import Foundation

// Endpoints with parameters of other types, for which the compiler says what to write instead. None of them can be called.
extension Endpoint {
    private init(unavailable path: String) {
        self.init(RequestDescription(path: path), responseDecoder: .json) { _, _ in throw ResponseDecodingError(.emptyBody) }
    }

    /// Unavailable: the response type must be `Decodable` or `Void`, or be made by a closure.
    @available(*, unavailable, message: "the response type must be Decodable or Void; for another one, pass `response: { … }`")
    @_disfavoredOverload
    public init(
        path: String, isFullPath: Bool = false, method: RequestMethod = .get, pathParameters: PathParameters = [:],
        headerParameters: HeaderFields = [:], queryParameters: ParameterList = [:], queryStyle: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil, timeouts: RequestTimeouts = RequestTimeouts(), acceptedStatuses: AcceptedStatuses = .success,
        responseDecoder: any ResponseDecoder = .json, keyPath: JSONKeyPath? = nil
    ) { self.init(unavailable: path) }

    /// Unavailable: the response type must be `Decodable` or `Void`, or be made by a closure.
    @available(*, unavailable, message: "the response type must be Decodable or Void; for another one, pass `response: { … }`")
    @_disfavoredOverload
    public init<Query: Encodable & Sendable>(
        path: String, method: RequestMethod = .get, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: Query, body: EndpointBody? = nil, keyPath: JSONKeyPath? = nil
    ) { self.init(unavailable: path) }

    /// Unavailable: values of the type `Any` are not known to be `Encodable`.
    @available(*, unavailable, message: "write `ParameterList(…)`, or with values of `Any` `ParameterList(jsonObject: …)`")
    @_disfavoredOverload
    public init(
        path: String, method: RequestMethod = .get, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: [String: Any], body: EndpointBody? = nil, keyPath: JSONKeyPath? = nil
    ) { self.init(unavailable: path) }

    /// Unavailable: header fields have an order, and a name may occur several times.
    @available(*, unavailable, message: "write `headerParameters: HeaderFields(dictionary)`, or pass a literal")
    @_disfavoredOverload
    public init(
        path: String, method: RequestMethod = .get, pathParameters: PathParameters = [:], headerParameters: [String: String],
        queryParameters: ParameterList = [:], body: EndpointBody? = nil, keyPath: JSONKeyPath? = nil
    ) { self.init(unavailable: path) }

    /// Unavailable: the format of the body has to be stated.
    @available(*, unavailable, message: "write `body: .json(value)`, `.form(value)`, `.text(text)` or `.data(data)`")
    @_disfavoredOverload
    public init(
        path: String, method: RequestMethod = .get, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:],
        queryParameters: ParameterList = [:], body: some Encodable, keyPath: JSONKeyPath? = nil
    ) { self.init(unavailable: path) }

    /// Unavailable: the parameter has another label.
    @available(*, unavailable, message: "write `headerParameters:`, `queryParameters:`, and `responseDecoder:`")
    public init(
        path: String, method: RequestMethod = .get, headers: HeaderFields, parameters: ParameterList = [:],
        query: ParameterList = [:], body: EndpointBody? = nil
    ) { self.init(unavailable: path) }

    /// Unavailable: the parameter has another label.
    @available(*, unavailable, message: "write `queryParameters:`, or `body: .json(…)` or `.form(…)`")
    public init(path: String, method: RequestMethod = .get, parameters: ParameterList, body: EndpointBody? = nil) {
        self.init(unavailable: path)
    }

    /// Unavailable: the parameter has another label.
    @available(*, unavailable, message: "write `queryParameters:`")
    public init(path: String, method: RequestMethod = .get, query: ParameterList, body: EndpointBody? = nil) {
        self.init(unavailable: path)
    }

    /// Unavailable: the parameter has another label.
    @available(*, unavailable, message: "write `responseDecoder:`")
    public init(path: String, method: RequestMethod = .get, body: EndpointBody? = nil, decoder: any ResponseDecoder) {
        self.init(unavailable: path)
    }

    /// Unavailable: the path has a label.
    @available(*, unavailable, message: "write `path:`, or `url:` with a URL")
    @_disfavoredOverload
    public init<Path>(_ path: Path, method: RequestMethod = .get, body: EndpointBody? = nil) { self.init(unavailable: "") }

    /// Unavailable: a text can be no URL.
    @available(*, unavailable, message: "write `path: text, isFullPath: true`, or pass a URL")
    @_disfavoredOverload
    public init(url: String, method: RequestMethod = .get, body: EndpointBody? = nil) { self.init(unavailable: url) }
}

extension RequestDescription {
    /// Unavailable: the format of the body has to be stated.
    @available(*, unavailable, message: "write `body: .json(value)`, `.form(value)`, `.text(text)` or `.data(data)`")
    @_disfavoredOverload
    public static func post(_ path: String, pathParameters: PathParameters = [:], body: some Encodable) -> RequestDescription {
        .post(path)
    }

    /// Unavailable: the format of the body has to be stated.
    @available(*, unavailable, message: "write `body: .json(value)`, `.form(value)`, `.text(text)` or `.data(data)`")
    @_disfavoredOverload
    public static func put(_ path: String, pathParameters: PathParameters = [:], body: some Encodable) -> RequestDescription {
        .put(path)
    }

    /// Unavailable: the format of the body has to be stated.
    @available(*, unavailable, message: "write `body: .json(value)`, `.form(value)`, `.text(text)` or `.data(data)`")
    @_disfavoredOverload
    public static func patch(_ path: String, pathParameters: PathParameters = [:], body: some Encodable) -> RequestDescription {
        .patch(path)
    }

    /// Unavailable: the parameter has another label.
    @available(*, unavailable, message: "write `headerParameters:` and `queryParameters:`")
    public static func get(_ path: String, headers: HeaderFields, query: ParameterList = [:]) -> RequestDescription { .get(path) }

    /// Unavailable: the parameter has another label.
    @available(*, unavailable, message: "write `queryParameters:`")
    public static func get(_ path: String, query: ParameterList) -> RequestDescription { .get(path) }

    /// Unavailable: values of the type `Any` are not known to be `Encodable`.
    @available(*, unavailable, message: "write `ParameterList(…)`, or with values of `Any` `ParameterList(jsonObject: …)`")
    @_disfavoredOverload
    public static func get(
        _ path: String, pathParameters: PathParameters = [:], headerParameters: HeaderFields = [:], queryParameters: [String: Any]
    ) -> RequestDescription { .get(path) }
}

// What another module has, with the missing import. Where that module is imported, its declarations are used.

/// Unavailable without `EndpointAPIs`, which contains the protocol of endpoints that are composed of parts.
@available(*, unavailable, message: "add `import EndpointAPIs`, and that product to the dependencies of the target")
public typealias API = Any

/// Unavailable without `EndpointAPIs`, which contains the parameters of an `API`.
@available(*, unavailable, message: "add `import EndpointAPIs`, and that product to the dependencies of the target")
public typealias RequestParameters = Never

/// Unavailable without `EndpointAPIs`, which contains the failure that an envelope reports.
@available(*, unavailable, message: "add `import EndpointAPIs`, and that product to the dependencies of the target")
public typealias EnvelopeError = Never

extension ResponseDecoder where Self == StandardResponseDecoder {
    /// Unavailable without `EndpointAPIs`, which contains the decoder of values in envelopes.
    @available(*, unavailable, message: "add `import EndpointAPIs`, and that product to the dependencies of the target")
    @_disfavoredOverload
    public static func envelope(
        status: String = "", message: String = "", data: String = "", success: [String] = [],
        decoder: (any JSONDataDecoder)? = nil
    ) -> StandardResponseDecoder { .empty }
}
