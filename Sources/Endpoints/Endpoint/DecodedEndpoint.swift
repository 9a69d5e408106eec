import Foundation

/// Any endpoint, with the type of its answer said at the call site: what an enum of endpoints with different answers needs.
///
/// ```swift
/// let movies = try await service.request(Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
/// ```
public struct DecodedEndpoint<Base: Requestable, Response: Decodable & Sendable>: ResponseRequestable {
    /// The endpoint that says what to ask for.
    public var base: Base
    /// Makes the value of the body.
    public var responseDecoder: any ResponseDecoder

    /// `base`, answered by a value of `type`.
    ///
    /// - Parameter decoder: JSON unless given.
    public init(_ base: Base, as type: Response.Type = Response.self, decoder: any ResponseDecoder = .json) {
        self.base = base
        responseDecoder = decoder
    }

    /// The value that ``responseDecoder`` makes of the body.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or what the decoder throws.
    public func response(from body: ResponseBody) throws -> Response {
        try responseDecoder.decode(Response.self, from: body)
    }

    /// The base's.
    public func ownBaseURL() throws(RequestGenerationError) -> URL? { try base.ownBaseURL() }
    /// The base's.
    public var path: String { base.path }
    /// The base's.
    public var isFullPath: Bool { base.isFullPath }
    /// The base's.
    public var method: HTTPMethod { base.method }
    /// The base's.
    public var pathParameters: PathParameters { base.pathParameters }
    /// The base's.
    public var headerParameters: HTTPHeaders { base.headerParameters }
    /// The base's.
    public var queryParameters: Parameters { base.queryParameters }
    /// The base's.
    public var queryStyle: QueryStyle { base.queryStyle }
    /// The base's.
    public var body: RequestBody? { base.body }
    /// The base's.
    public var timeouts: RequestTimeouts { base.timeouts }
    /// The base's.
    public var acceptedStatuses: AcceptedStatuses { base.acceptedStatuses }
    /// The base's.
    public var progress: (any TransferProgressObserver)? { base.progress }
    /// The base's.
    public var isIdempotent: Bool { base.isIdempotent }
    /// The base's.
    public var requiresAuthentication: Bool { base.requiresAuthentication }
    /// The base's.
    public var context: RequestContext { base.context }
}

extension DecodedEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type of the answer, the method and the path, without query and user information.
    public var description: String {
        "DecodedEndpoint<\(Response.self)>(\(method) \(URLText.shown(path: path, isFullPath: isFullPath)))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
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
