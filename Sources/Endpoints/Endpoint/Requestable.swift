import Foundation

/// A description of a request. Only ``path`` is required, so an enum can declare a set of endpoints:
///
/// ```swift
/// enum Movies: Requestable {
///     case popular(page: Int)
///     case movie(id: String)
///
///     var path: String {
///         switch self {
///         case .popular: "movie/popular"
///         case .movie: "movie/{id}"
///         }
///     }
///     var pathParameters: PathParameters {
///         if case .movie(let id) = self { ["id": id] } else { [:] }
///     }
///     var queryParameters: Parameters {
///         if case .popular(let page) = self { ["page": page] } else { [:] }
///     }
/// }
/// ```
public protocol Requestable: Sendable {
    /// Returns a base URL that replaces the configuration's for this endpoint only. Default: `nil`, which uses the
    /// configuration's. An ``API`` composes it from its parts. Not called if ``isFullPath`` is `true`.
    ///
    /// If its origin (RFC 6454 §4) differs from that of the configuration's base URL, only the configuration's headers that
    /// cannot contain a secret are sent, and none of its query parameters.
    ///
    /// - Throws: ``RequestGenerationError`` with the invalid field. The request then fails with it.
    func ownBaseURL() throws(RequestGenerationError) -> URL?
    /// The path, which is joined to the base URL with exactly one slash. May be a template (`users/{id}`) and may contain a
    /// query, which is kept.
    var path: String { get }
    /// Whether ``path`` is a full URL that replaces the base URL. Default: `false`.
    ///
    /// If its origin (RFC 6454 §4) differs from that of the base URL, only the configuration's headers that cannot contain a
    /// secret are sent, and none of its query parameters.
    var isFullPath: Bool { get }
    /// The request method. Default: GET.
    var method: HTTPMethod { get }
    /// The values for the names in the path template. Default: none.
    var pathParameters: PathParameters { get }
    /// The header fields. They replace the configuration's headers of the same name. Default: none.
    var headerParameters: HTTPHeaders { get }
    /// The query parameters. They replace the configuration's items of the same name. Default: none.
    var queryParameters: Parameters { get }
    /// The format of the query parameters. Default: ``QueryStyle/default``.
    var queryStyle: QueryStyle { get }
    /// The body of the request. Default: `nil`, which sends no body.
    var body: RequestBody? { get }
    /// The time limits that replace the session manager's. Default: none.
    var timeouts: RequestTimeouts { get }
    /// The response statuses that count as success. Default: 200..<300.
    var acceptedStatuses: AcceptedStatuses { get }
    /// The observer that receives progress updates. Default: `nil`.
    var progress: (any TransferProgressObserver)? { get }
    /// Whether sending the request twice has the same effect as sending it once. Default: the method's value (RFC 9110 §9.2.2).
    /// Override it for a POST that may be repeated, or a PUT that may not.
    var isIdempotent: Bool { get }
    /// Whether the request is sent with credentials. Default: `true`. Return `false` for an endpoint that needs none, such as
    /// a login, a token refresh or a public resource.
    var requiresAuthentication: Bool { get }
    /// Values for interceptors and the layers below that are never sent. Default: none.
    var context: RequestContext { get }
}

extension Requestable {
    /// Returns `nil`, which uses the configuration's base URL.
    public func ownBaseURL() throws(RequestGenerationError) -> URL? { nil }
    /// `false`, so that ``path`` is joined to the base URL.
    public var isFullPath: Bool { false }
    /// The default method, GET (RFC 9110 §9.3.1).
    public var method: HTTPMethod { .get }
    /// An empty set, for paths without placeholders.
    public var pathParameters: PathParameters { [:] }
    /// An empty list, so that only the configuration's header fields are sent.
    public var headerParameters: HTTPHeaders { [:] }
    /// An empty set, so that only the configuration's query parameters are sent.
    public var queryParameters: Parameters { [:] }
    /// The default style of query parameters, ``QueryStyle/default``.
    public var queryStyle: QueryStyle { .default }
    /// `nil`, so that no body is sent.
    public var body: RequestBody? { nil }
    /// No time limits, so that the session manager's apply.
    public var timeouts: RequestTimeouts { RequestTimeouts() }
    /// The default statuses, which are 200..<300.
    public var acceptedStatuses: AcceptedStatuses { .success }
    /// `nil`, so that no progress is reported.
    public var progress: (any TransferProgressObserver)? { nil }
    /// Whether the ``method`` is idempotent.
    public var isIdempotent: Bool { method.isIdempotent }
    /// `true`, so that the request is sent with credentials.
    public var requiresAuthentication: Bool { true }
    /// An empty context, without values for interceptors.
    public var context: RequestContext { RequestContext() }
}

/// A description of a request and of the value that its response is decoded to.
public protocol ResponseRequestable: Requestable {
    /// The type of the decoded value; `Void` if only the status matters.
    associatedtype Response: Sendable

    /// The decoder of the response body. Default: JSON.
    var responseDecoder: any ResponseDecoder { get }

    /// Returns the value of a response body. Default implementations exist for every `Decodable` type (using ``responseDecoder``)
    /// and for `Void` (the body is ignored).
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or another error of the decoder.
    func response(from body: ResponseBody) throws -> Response
}

extension ResponseRequestable {
    /// The default decoder: JSON with Foundation's settings.
    public var responseDecoder: any ResponseDecoder { .json }
}

extension ResponseRequestable where Response: Decodable {
    /// Returns the body decoded by ``responseDecoder``.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or another error of the decoder.
    public func response(from body: ResponseBody) throws -> Response {
        try responseDecoder.decode(Response.self, from: body)
    }
}

extension ResponseRequestable where Response == Void {
    // The result type is written `Response`, not `Void`: otherwise a conforming type with a generic parameter named `Response`
    // would be inferred to return `Void`.
    /// Returns no value. The body is ignored.
    public func response(from body: ResponseBody) -> Response { () }
}

/// The response statuses that an endpoint treats as success (RFC 9110 §15).
///
/// ```swift
/// var acceptedStatuses: AcceptedStatuses { .success + [304, 404] }
/// ```
public struct AcceptedStatuses: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var ranges: [Range<Int>]

    /// Creates an empty set: every status is an error.
    public init() {
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
