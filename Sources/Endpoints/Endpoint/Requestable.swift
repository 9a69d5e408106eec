import Foundation

/// A type that describes requests. An enum can declare a set of endpoints:
///
/// ```swift
/// enum Movies: Requestable {
///     case popular(page: Int), movie(id: String), add(Movie)
///
///     var request: RequestDescription {
///         switch self {
///         case .popular(let page):
///             .get("movie/popular", queryParameters: ["page": page])
///         case .movie(let id): .get("movie/{id}", pathParameters: ["id": id])
///         case .add(let movie): .post("movie", body: .json(movie))
///         }
///     }
/// }
/// ```
public protocol Requestable: Sendable {
    /// The description of the request. Read once per call, on the thread of the caller.
    var request: RequestDescription { get }
}

extension RequestDescription: Requestable {
    /// This description.
    public var request: RequestDescription { self }
}

extension Requestable {
    /// The description of the request, with the endpoint that the caller passed as its source.
    package var sourcedRequest: RequestDescription {
        var request = request
        if Self.self != RequestDescription.self, request.source == nil { request.source = self }
        return request
    }
}

/// A description of a request and of the value that its response is decoded to.
public protocol ResponseRequestable: Requestable {
    /// The type of the decoded value; `Void` if only the status matters.
    associatedtype Response: Sendable

    /// The decoder of the response body. Default: `.json`, which uses the decoder of the service.
    var responseDecoder: any ResponseDecoder { get }

    /// Returns the value of a response body. Default implementations exist for every `Decodable` type (using ``responseDecoder``)
    /// and for `Void` (the body is ignored).
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or another error of the decoder.
    func response(from body: ResponseData) throws -> Response
}

extension ResponseRequestable {
    /// The default decoder: JSON, decoded by the decoder of the service.
    public var responseDecoder: any ResponseDecoder { .json }
}

extension ResponseRequestable where Response: Decodable {
    /// Returns the body decoded by ``responseDecoder``.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or another error of the decoder.
    public func response(from body: ResponseData) throws -> Response {
        try responseDecoder.decode(Response.self, from: body)
    }
}

extension ResponseRequestable where Response == Void {
    // The result type is written `Response`, not `Void`: otherwise a conforming type with a generic parameter named `Response`
    // would be inferred to return `Void`.
    /// Returns no value. The body is ignored.
    public func response(from body: ResponseData) -> Response { () }
}

/// The response statuses that an endpoint treats as success (RFC 9110 §15).
///
/// ```swift
/// endpoint.acceptedStatuses = .success + [304, 404]
/// ```
public struct AcceptedStatuses: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var ranges: [Range<Int>]

    /// Creates an empty set: every status is an error.
    package init() {
        ranges = []
    }

    /// Creates a set of all statuses in any of the ranges, upper bounds excluded.
    public init(_ ranges: Range<Int>...) {
        self.ranges = ranges
    }

    /// Creates a set of single statuses: `[200, 304]`.
    public init(arrayLiteral elements: Int...) {
        ranges = elements.map { $0..<($0 == .max ? $0 : $0 + 1) }
    }

    /// The statuses that HTTP defines as successful: 200..<300.
    public static let success = AcceptedStatuses(200..<300)
    /// Every status, so that none is an error.
    public static let any = AcceptedStatuses(0..<1000)

    /// Creates a set of all statuses in any of the ranges, each with its lower and its upper bound.
    package init(bounds: [[Int]]) {
        ranges = bounds.compactMap { $0.count == 2 && $0[0] <= $0[1] ? $0[0]..<$0[1] : nil }
    }

    /// The lower and the upper bound of each range, upper bounds excluded.
    package var bounds: [[Int]] { ranges.map { [$0.lowerBound, $0.upperBound] } }

    /// Returns whether a response with this status is a success.
    public func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }

    /// Returns a set with the statuses of both operands.
    public static func + (left: AcceptedStatuses, right: AcceptedStatuses) -> AcceptedStatuses {
        var both = left
        both.ranges += right.ranges
        return both
    }
}

extension Requestable {
    /// Builds the request that this endpoint describes. Performs no I/O; equal endpoints produce equal requests.
    ///
    /// Percent-encoding already present in `path` is kept (RFC 3986 §2.1); a space in a query value becomes `%20`, a plus
    /// `%2B`. Endpoint headers replace configuration headers, names compared without case (RFC 9110 §5.1); endpoint query
    /// items replace configuration items; a query in the base URL or the path is kept. A body sets its `Content-Type` unless
    /// the endpoint does. If the request goes to another origin than the base URL, the configuration's query parameters are
    /// left out, and so are its headers that could contain a secret. `Accept` is made from
    /// ``RequestDescription/acceptedMediaTypes`` unless the endpoint or the configuration sets it.
    ///
    /// - Parameter configuration: The base URL, and the headers and query parameters that all requests share.
    /// - Throws: ``RequestGenerationError`` with the invalid field.
    public func networkRequest(with configuration: any NetworkConfigurable) throws(RequestGenerationError) -> NetworkRequest {
        try request.build(with: configuration)
    }
}

extension RequestDescription {
    /// Builds the request, as ``Requestable/networkRequest(with:)`` does.
    package func build(with configuration: any NetworkConfigurable) throws(RequestGenerationError) -> NetworkRequest {
        let configuration = configuration.current
        let target = try RequestTarget(self, configuration: configuration)
        var headers = target.isCrossOrigin ? configuration.headers.harmless : configuration.headers
        var own = headerParameters
        var method = method
        var body = body
        if let link = context.followedLink, try link.leavesOrigin(target.parts.origin, configuration) {
            own = own.harmless
            if let fields = link.fields {
                own = own.replacing(with: fields)
            } else if body != nil {
                // A link is followed with GET (RFC 8288 §1), and the body was meant for the first origin only.
                body = nil
                method = .get
                own = HeaderFields(own.fields.filter { !$0.name.lowercased().hasPrefix("content-") })
            }
        }
        headers = headers.replacing(with: own)
        headers.rememberSecrets()
        var content: NetworkBody?
        if let body {
            content = try body.content(encoder: encoder)
            if let contentType = body.contentType, !own.contains("Content-Type") {
                headers.set(contentType, for: "Content-Type")
            }
        }
        if let accept = try acceptedMediaTypes.fieldValue(), !headers.contains("Accept") { headers.set(accept, for: "Accept") }
        let isIdempotent = isIdempotent
        var request = NetworkRequest(
            method: method, lazyURL: target.url, parsedURL: target.parts, headers: headers, body: content, timeouts: timeouts,
            progress: progress, context: context, requiresAuthentication: requiresAuthentication,
            redirects: redirects, compression: compression, priority: priority,
            idempotency: isIdempotent == method.isIdempotent ? nil : isIdempotent, endpointName: endpointName)
        if let onInformationalResponse { request.onInformationalResponse = onInformationalResponse }
        try request.validateOnce()
        if content != nil && !method.allowsBody {
            throw RequestGenerationError(.body, "a \(method) request has no body (RFC 9110 §9.3); use POST, PUT or PATCH")
        }
        return request
    }
}

/// Marks an endpoint whose URL was taken from a response, such as the next page.
///
/// If that URL has another origin than the endpoint that the caller described, the request carries nothing that was meant for
/// the first origin.
package struct FollowedLink: Sendable {
    /// The description of the endpoint that the caller passed.
    package let source: RequestDescription
    /// The header fields of a protocol that directs the request, with its method and body, to the URL of the response, whatever its origin;
    /// `nil` if the link is only followed. They contain nothing of the caller.
    package let fields: HeaderFields?

    package init(from source: RequestDescription, sending fields: HeaderFields? = nil) {
        self.source = source
        self.fields = fields
    }

    /// Returns whether an origin differs from that of the endpoint that the caller described.
    func leavesOrigin(_ origin: String, _ configuration: APIConfiguration) throws(RequestGenerationError) -> Bool {
        try RequestTarget(source, configuration: configuration).parts.origin != origin
    }
}

private enum FollowedLinkKey: ContextKey {
    typealias Value = FollowedLink
}

extension ContextValues {
    private enum SilenceKey: ContextKey { typealias Value = Bool }

    /// Whether the network logger receives the request, its response and its failure. Default: `true`.
    public var isLogged: Bool {
        get { self[SilenceKey.self] != true }
        set { self[SilenceKey.self] = newValue ? nil : true }
    }

    /// The link that the endpoint's URL was taken from; `nil` if the caller described the URL.
    package var followedLink: FollowedLink? {
        get { self[FollowedLinkKey.self] }
        set { self[FollowedLinkKey.self] = newValue }
    }
}

extension RequestGenerationError {
    /// Returns the method and path of a description without query, for ``request``.
    package static func text(of request: RequestDescription) -> String {
        "\(request.method.rawValue.printable) \(URLText.shown(path: request.path, isFullPath: request.isFullPath).printable)"
    }
}
