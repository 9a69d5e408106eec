import Foundation

// Where an API lives. Each part is a protocol, so that a protocol of the caller's can say one of them for several APIs.

/// Says the scheme of an ``API``.
public protocol APIScheme: Sendable {
    /// `https` or `http`, compared without case. `https` by default.
    var scheme: String { get }
}

extension APIScheme {
    /// `https`
    public var scheme: String { "https" }
}

/// Says the host of an ``API``.
public protocol APIHost: Sendable {
    /// A name or an address, without scheme, port or user information: `api.example.com`, `127.0.0.1`, `::1`.
    var host: String { get }
}

/// Says the port of an ``API``.
public protocol APIPort: Sendable {
    /// 1...65535; `nil` for that of the scheme. `nil` by default.
    var port: Int? { get }
}

extension APIPort {
    /// `nil`: that of the scheme.
    public var port: Int? { nil }
}

/// Says what the paths of an ``API`` begin with.
public protocol APIBasePath: Sendable {
    /// With or without slashes at its ends; no query. Empty by default.
    var basePath: String { get }
}

extension APIBasePath {
    /// Empty.
    public var basePath: String { "" }
}

/// Says which resource of an ``API`` is meant.
public protocol APIEndpoint: Sendable {
    /// Joined to the base path with exactly one slash, whether it begins with none, one or more. May be a template (`users/{id}`)
    /// and may hold a query.
    var endpoint: String { get }
}

// What is sent to an API.

/// Says the header fields of an ``API``.
public protocol APIHeaders: Sendable {
    /// None by default. A body sets its own `Content-Type`.
    var headers: HTTPHeaders { get }
}

extension APIHeaders {
    /// None.
    public var headers: HTTPHeaders { [:] }
}

/// Says the parameters of an ``API``.
public protocol APIParameters: Sendable {
    /// In the query, in the body, or both. None by default.
    var parameters: RequestParameters { get }
}

extension APIParameters {
    /// None.
    public var parameters: RequestParameters { .none }
}

/// What an ``API`` sends along: query items, a body, or both.
public struct RequestParameters: Sendable {
    /// Replace the configuration's items of the same name.
    public var query: Parameters
    /// `nil` sends none.
    public var body: RequestBody?

    /// Parameters of these parts.
    public init(query: Parameters = [:], body: RequestBody? = nil) {
        self.query = query
        self.body = body
    }

    /// Nothing.
    public static let none = RequestParameters()

    /// Items of the query.
    public static func query(_ parameters: Parameters) -> RequestParameters { RequestParameters(query: parameters) }

    /// Any body: `.body(.multipart(form))`, `.body(.file(url))`.
    public static func body(_ body: RequestBody) -> RequestParameters { RequestParameters(body: body) }

    /// A value as JSON.
    ///
    /// - Parameter encoder: Sorted keys, slashes as they are, else Foundation's defaults, unless given.
    public static func json(_ value: some Encodable & Sendable, encoder: any DataEncoder = .json) -> RequestParameters {
        .body(.json(value, encoder: encoder))
    }

    /// A form, `application/x-www-form-urlencoded`.
    public static func form(_ parameters: Parameters) -> RequestParameters { .body(.form(parameters)) }

    /// Bytes as they are.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestParameters {
        .body(.data(data, contentType: contentType))
    }
}

extension RequestParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the query's items, and the content type of the body.
    public var description: String { "RequestParameters(\(query), \(body.map(\.description) ?? "no body"))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

// How an API is asked.

/// Says what caches may do with the answers of an ``API``.
public protocol APICaching: Sendable {
    /// Sent as `Cache-Control`. What the protocol's rules say by default.
    var cachePolicy: RequestCachePolicy { get }
}

extension APICaching {
    /// ``RequestCachePolicy/protocolRules``.
    public var cachePolicy: RequestCachePolicy { .protocolRules }
}

/// Says how long an ``API`` may take.
public protocol APITimeout: Sendable {
    /// For everything, from the call to the last byte, 1 ms...10^6 s; `nil` for the session manager's. `nil` by default. An API that sets
    /// limits for connecting and for silence states ``Requestable/timeouts`` instead.
    var timeout: Duration? { get }
    /// What becomes of the service's deadline. ``RequestDeadline/default`` by default: it holds.
    var deadline: RequestDeadline { get }
}

extension APITimeout {
    /// `nil`: the session manager's.
    public var timeout: Duration? { nil }
    /// The service's.
    public var deadline: RequestDeadline { .default }
}

/// Says whether loggers hear of an ``API``.
public protocol APILogging: Sendable {
    /// Whether the network logger is told of request, response and failure. `true` by default. What a caller gets thrown, and the logger of
    /// the data transfer layer, do not depend on it.
    var shouldLog: Bool { get }
}

extension APILogging {
    /// `true`
    public var shouldLog: Bool { true }
}

extension RequestContext {
    private enum SilenceKey: RequestContextKey { typealias Value = Bool }

    /// Whether the network logger is told of the request, its response and its failure. `true` unless set.
    public var isLogged: Bool {
        get { self[SilenceKey.self] != true }
        set { self[SilenceKey.self] = newValue ? nil : true }
    }
}

/// What a request asks of the caches on its way, its own included: directives of its `Cache-Control` field (RFC 9111 §5.2.1).
public struct RequestCachePolicy: RawRepresentable, Sendable, Hashable {
    /// The value of the field; empty sends none. Checked, as all fields are, when the request is built.
    public var rawValue: String

    /// Directives as they are written in the field, for what has no name here.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nothing is asked: what the response and the rules of HTTP allow.
    public static let protocolRules = RequestCachePolicy(rawValue: "")
    /// Nothing of request or response is stored (§5.2.1.5), and nothing stored is taken without asking the server.
    public static let ignoringCaches = RequestCachePolicy(rawValue: "no-cache, no-store")
    /// Nothing of request or response is stored (§5.2.1.5).
    public static let noStore = RequestCachePolicy(rawValue: "no-store")
    /// A stored response is taken only after the server was asked whether it still holds (§5.2.1.4).
    public static let revalidate = RequestCachePolicy(rawValue: "no-cache")
    /// A stored response or none: 504 where there is none (§5.2.1.7).
    public static let onlyIfCached = RequestCachePolicy(rawValue: "only-if-cached")

    /// No stored response older than this (§5.2.1.1). Fractions of a second are dropped; less than none is none.
    public static func maximumAge(_ age: Duration) -> RequestCachePolicy { named("max-age", age) }
    /// A stored response also where it has been stale for up to this long (§5.2.1.2).
    public static func maximumStaleness(_ time: Duration) -> RequestCachePolicy { named("max-stale", time) }
    /// Only a stored response that stays fresh for at least this long (§5.2.1.3).
    public static func minimumFreshness(_ time: Duration) -> RequestCachePolicy { named("min-fresh", time) }

    private static func named(_ directive: String, _ time: Duration) -> RequestCachePolicy {
        // RFC 9111 §1.2.2: what cannot be represented may be taken for 2^31.
        RequestCachePolicy(rawValue: "\(directive)=\(time.clamped(to: .zero...(.seconds(1 << 31))).components.seconds)")
    }
}
