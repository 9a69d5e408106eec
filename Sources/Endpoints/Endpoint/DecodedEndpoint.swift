import Foundation
import NetworkLogging

/// An endpoint with a response type that is chosen at the call site, for enums whose endpoints have different response types.
///
/// ```swift
/// let movies = try await service.request(Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
/// ```
public struct DecodedEndpoint<Base: Requestable, Response: Decodable & Sendable>: ResponseRequestable {
    /// The endpoint that describes the request.
    public var base: Base
    /// The decoder of the response body.
    public var responseDecoder: any ResponseDecoder

    /// Creates an endpoint that sends the request of `base` and decodes the response to a value of `type`.
    ///
    /// - Parameter decoder: The decoder of the response body. Default: JSON.
    public init(_ base: Base, as type: Response.Type = Response.self, decoder: any ResponseDecoder = .json) {
        self.base = base
        responseDecoder = decoder
    }

    /// Returns the body decoded by ``responseDecoder``.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or another error of the decoder.
    public func response(from body: ResponseBody) throws -> Response {
        try responseDecoder.decode(Response.self, from: body)
    }

    /// Returns the base URL of the wrapped endpoint, if it has one.
    public func ownBaseURL() throws(RequestGenerationError) -> URL? { try base.ownBaseURL() }
    /// The path of the wrapped endpoint.
    public var path: String { base.path }
    /// Whether the wrapped endpoint's ``path`` is a full URL.
    public var isFullPath: Bool { base.isFullPath }
    /// The request method of the wrapped endpoint.
    public var method: HTTPMethod { base.method }
    /// The path parameters of the wrapped endpoint.
    public var pathParameters: PathParameters { base.pathParameters }
    /// The header fields of the wrapped endpoint.
    public var headerParameters: HTTPHeaders { base.headerParameters }
    /// The query parameters of the wrapped endpoint.
    public var queryParameters: Parameters { base.queryParameters }
    /// The query style of the wrapped endpoint.
    public var queryStyle: QueryStyle { base.queryStyle }
    /// The request body of the wrapped endpoint.
    public var body: RequestBody? { base.body }
    /// The time limits of the wrapped endpoint.
    public var timeouts: RequestTimeouts { base.timeouts }
    /// The accepted statuses of the wrapped endpoint.
    public var acceptedStatuses: AcceptedStatuses { base.acceptedStatuses }
    /// The progress observer of the wrapped endpoint.
    public var progress: (any TransferProgressObserver)? { base.progress }
    /// Whether the wrapped endpoint is idempotent.
    public var isIdempotent: Bool { base.isIdempotent }
    /// Whether the wrapped endpoint is sent with credentials.
    public var requiresAuthentication: Bool { base.requiresAuthentication }
    /// The request context of the wrapped endpoint.
    public var context: RequestContext { base.context }
}

extension DecodedEndpoint: RedactedStringConvertible {
    /// A textual representation with response type, method and path, without query and user information.
    public var description: String {
        "DecodedEndpoint<\(Response.self)>(\(method) \(URLText.shown(path: path, isFullPath: isFullPath)))"
    }
}

extension Requestable {
    /// Returns this endpoint with a response that is decoded to a value of `type`.
    ///
    /// - Parameter decoder: The decoder of the response body. Default: JSON.
    public func `as`<Response: Decodable & Sendable>(
        _ type: Response.Type, decoder: any ResponseDecoder = .json
    ) -> DecodedEndpoint<Self, Response> {
        DecodedEndpoint(self, as: type, decoder: decoder)
    }

    /// Returns this endpoint with a response that is decoded from the value at a key path of a JSON document.
    public func `as`<Response: Decodable & Sendable>(
        _ type: Response.Type, keyPath: JSONKeyPath
    ) -> DecodedEndpoint<Self, Response> {
        DecodedEndpoint(self, as: type, decoder: .keyPath(keyPath))
    }
}
