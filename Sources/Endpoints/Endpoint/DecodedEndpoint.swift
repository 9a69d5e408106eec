/// Any endpoint, with the type of its answer said at the call site: what an enum of endpoints with different answers needs.
///
/// ```swift
/// let movies = try await service.request(Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
/// ```
public struct DecodedEndpoint<Base: Requestable, Response: Decodable & Sendable>: ResponseRequestable {
    public var base: Base
    public var responseDecoder: any ResponseDecoder

    public init(_ base: Base, as type: Response.Type = Response.self, decoder: any ResponseDecoder = .json) {
        self.base = base
        responseDecoder = decoder
    }

    public func response(from body: ResponseBody) throws -> Response {
        try responseDecoder.decode(Response.self, from: body)
    }

    public var path: String { base.path }
    public var isFullPath: Bool { base.isFullPath }
    public var method: HTTPMethod { base.method }
    public var pathParameters: PathParameters { base.pathParameters }
    public var headerParameters: HTTPHeaders { base.headerParameters }
    public var queryParameters: Parameters { base.queryParameters }
    public var queryStyle: QueryStyle { base.queryStyle }
    public var body: RequestBody? { base.body }
    public var timeouts: RequestTimeouts { base.timeouts }
    public var acceptedStatuses: AcceptedStatuses { base.acceptedStatuses }
}

extension Requestable {
    /// This endpoint, answered by a value of `type`. JSON unless another decoder is given.
    public func `as`<Response: Decodable & Sendable>(
        _ type: Response.Type, decoder: any ResponseDecoder = .json
    ) -> DecodedEndpoint<Self, Response> {
        DecodedEndpoint(self, as: type, decoder: decoder)
    }

    /// This endpoint, answered by the value at a key path of a JSON document.
    public func `as`<Response: Decodable & Sendable>(
        _ type: Response.Type, keyPath: JSONKeyPath
    ) -> DecodedEndpoint<Self, Response> {
        DecodedEndpoint(self, as: type, decoder: .keyPath(keyPath))
    }
}
