import Foundation

/// What to ask for. Only ``path`` is required, so an enum can be a set of endpoints:
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
    /// A base URL that takes the place of the configuration's, for this endpoint alone. `nil` by default; an ``API`` puts it together from
    /// its parts. Not asked where ``isFullPath`` is true.
    ///
    /// On another origin (RFC 6454 §4) than that of the configuration's base URL, only the configuration's headers that cannot hold a
    /// secret are sent, and none of its query parameters.
    ///
    /// - Throws: ``RequestGenerationError`` with the field that is wrong. The request then fails with it.
    func ownBaseURL() throws(RequestGenerationError) -> URL?
    /// Joined to the base URL with exactly one slash. May be a template (`users/{id}`) and may hold a query, which is kept.
    var path: String { get }
    /// Whether ``path`` is a whole URL that takes the place of the base URL. `false` by default.
    ///
    /// On another origin (RFC 6454 §4) than the base URL's, only the configuration's headers that cannot hold a secret
    /// are sent, and none of its query parameters.
    var isFullPath: Bool { get }
    /// GET by default.
    var method: HTTPMethod { get }
    /// Values for the names in the path template. None by default.
    var pathParameters: PathParameters { get }
    /// Replace the configuration's headers of the same name. None by default.
    var headerParameters: HTTPHeaders { get }
    /// Replace the configuration's items of the same name. None by default.
    var queryParameters: Parameters { get }
    /// How query parameters are written. ``QueryStyle/default`` by default.
    var queryStyle: QueryStyle { get }
    /// What to send. Nothing by default.
    var body: RequestBody? { get }
    /// Time limits other than the session manager's. None by default.
    var timeouts: RequestTimeouts { get }
    /// The statuses that are a success. 200..<300 by default.
    var acceptedStatuses: AcceptedStatuses { get }
    /// Hears how the transfer comes along. Nobody by default.
    var progress: (any TransferProgressObserver)? { get }
    /// Whether sending it twice has the effect of sending it once. What the method says by default (RFC 9110 §9.2.2): a POST that may be
    /// repeated says so here, and a PUT that may not.
    var isIdempotent: Bool { get }
    /// Whether it is one of somebody's. `true` by default; an endpoint that is open to all, a login or a token's refresh, says `false` and is
    /// sent without credentials.
    var requiresAuthentication: Bool { get }
    /// What the request tells interceptors and the layers below; never sent. Nothing by default.
    var context: RequestContext { get }
}

extension Requestable {
    /// `nil`: the configuration's.
    public func ownBaseURL() throws(RequestGenerationError) -> URL? { nil }
    /// `false`: ``path`` is joined to the base URL.
    public var isFullPath: Bool { false }
    /// GET (RFC 9110 §9.3.1).
    public var method: HTTPMethod { .get }
    /// None.
    public var pathParameters: PathParameters { [:] }
    /// None.
    public var headerParameters: HTTPHeaders { [:] }
    /// None.
    public var queryParameters: Parameters { [:] }
    /// ``QueryStyle/default``.
    public var queryStyle: QueryStyle { .default }
    /// `nil`: no body is sent.
    public var body: RequestBody? { nil }
    /// None: the session manager's limits hold.
    public var timeouts: RequestTimeouts { RequestTimeouts() }
    /// 200..<300.
    public var acceptedStatuses: AcceptedStatuses { .success }
    /// Nobody.
    public var progress: (any TransferProgressObserver)? { nil }
    /// What the method says.
    public var isIdempotent: Bool { method.isIdempotent }
    /// `true`.
    public var requiresAuthentication: Bool { true }
    /// Nothing.
    public var context: RequestContext { RequestContext() }
}

/// What to ask for, and what comes back.
public protocol ResponseRequestable: Requestable {
    /// The value that comes back; `Void` where only the status matters.
    associatedtype Response: Sendable

    /// Turns the body into the value. JSON by default.
    var responseDecoder: any ResponseDecoder { get }

    /// Makes the value. Given for every `Decodable` (through ``responseDecoder``) and for `Void` (the body is ignored).
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or what the decoder throws.
    func response(from body: ResponseBody) throws -> Response
}

extension ResponseRequestable {
    /// JSON, with Foundation's defaults.
    public var responseDecoder: any ResponseDecoder { .json }
}

extension ResponseRequestable where Response: Decodable {
    /// The value that ``responseDecoder`` makes of the body.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or what the decoder throws.
    public func response(from body: ResponseBody) throws -> Response {
        try responseDecoder.decode(Response.self, from: body)
    }
}

extension ResponseRequestable where Response == Void {
    // `Response`, not `Void`: a type with a generic parameter of that name would be taken to answer nothing.
    /// Nothing: the body is ignored.
    public func response(from body: ResponseBody) -> Response { () }
}

/// The response statuses an endpoint takes as a success (RFC 9110 §15).
///
/// ```swift
/// var acceptedStatuses: AcceptedStatuses { .success + [304, 404] }
/// ```
public struct AcceptedStatuses: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var ranges: [Range<Int>]

    /// No status at all.
    public init() {
        ranges = []
    }

    /// Every status in any of the ranges, upper bounds excluded.
    public init(_ ranges: Range<Int>...) {
        self.ranges = ranges
    }

    /// From single statuses: `[200, 304]`.
    public init(arrayLiteral elements: Int...) {
        ranges = elements.map { $0..<($0 == .max ? $0 : $0 + 1) }
    }

    /// 200..<300
    public static let success = AcceptedStatuses(200..<300)
    /// Every status: nothing is an error.
    public static let any = AcceptedStatuses(0..<1000)

    /// Whether a response with this status is a success.
    public func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }

    /// The statuses of both.
    public static func + (left: AcceptedStatuses, right: AcceptedStatuses) -> AcceptedStatuses {
        var both = left
        both.ranges += right.ranges
        return both
    }
}
