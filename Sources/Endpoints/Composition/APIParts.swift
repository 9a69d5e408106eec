import Foundation
import NetworkLogging

// The parts of an `API`. Each part is a separate protocol, so that an app's protocol can implement it for several APIs.

/// The part of an ``API`` that declares its URL scheme.
public protocol APIScheme: Sendable {
    /// The URL scheme: `https` or `http`, compared without case. Default: `https`.
    var scheme: String { get }
}

extension APIScheme {
    /// The default URL scheme, which is `https`.
    public var scheme: String { "https" }
}

/// The part of an ``API`` that declares its host.
public protocol APIHost: Sendable {
    /// The host name or address, without scheme, port or user information: `api.example.com`, `127.0.0.1`, `::1`.
    var host: String { get }
}

/// The part of an ``API`` that declares its port.
public protocol APIPort: Sendable {
    /// The port, 1...65535; `nil` for the default port of the scheme. Default: `nil`.
    var port: Int? { get }
}

extension APIPort {
    /// `nil`, which is the default port of the scheme.
    public var port: Int? { nil }
}

/// The part of an ``API`` that declares the common prefix of its paths.
public protocol APIBasePath: Sendable {
    /// The common prefix of all paths, with or without slashes at its ends, without a query. Default: empty.
    var basePath: String { get }
}

extension APIBasePath {
    /// An empty base path, so that paths have no common prefix.
    public var basePath: String { "" }
}

/// The part of an ``API`` that declares the path of the resource.
public protocol APIEndpoint: Sendable {
    /// The path of the resource below the base path. They are joined with exactly one slash, regardless of leading slashes.
    /// May be a template (`users/{id}`) and may contain a query.
    var endpoint: String { get }
}

/// The part of an ``API`` that declares its header fields.
public protocol APIHeaders: Sendable {
    /// The header fields of the request. Default: none. A body sets its own `Content-Type`.
    var headers: HTTPHeaders { get }
}

extension APIHeaders {
    /// An empty list, so that the API adds no header fields.
    public var headers: HTTPHeaders { [:] }
}

/// The part of an ``API`` that declares its query and body.
public protocol APIParameters: Sendable {
    /// The parameters in the query, in the body, or both. Default: none.
    var parameters: RequestParameters { get }
}

extension APIParameters {
    /// No query items and no body.
    public var parameters: RequestParameters { .none }
}

/// The parameters that an ``API`` sends: query items, a body, or both.
public struct RequestParameters: Sendable {
    /// The query items. They replace the configuration's items of the same name.
    public var query: Parameters
    /// The body of the request; `nil` sends none.
    public var body: RequestBody?

    /// Creates parameters from query items and a body. Default: neither.
    public init(query: Parameters = [:], body: RequestBody? = nil) {
        self.query = query
        self.body = body
    }

    /// No query items and no body.
    public static let none = RequestParameters()

    /// Returns parameters that are sent in the query.
    public static func query(_ parameters: Parameters) -> RequestParameters { RequestParameters(query: parameters) }

    /// Returns parameters with any body: `.body(.multipart(form))`, `.body(.file(url))`.
    public static func body(_ body: RequestBody) -> RequestParameters { RequestParameters(body: body) }

    /// Returns parameters with a value as a JSON body.
    ///
    /// - Parameter encoder: The encoder of the value. Default: sorted keys, unescaped slashes, otherwise Foundation's settings.
    public static func json(_ value: some Encodable & Sendable, encoder: any DataEncoder = .json) -> RequestParameters {
        .body(.json(value, encoder: encoder))
    }

    /// Returns parameters with a form body (`application/x-www-form-urlencoded`).
    public static func form(_ parameters: Parameters) -> RequestParameters { .body(.form(parameters)) }

    /// Returns parameters with a body of bytes that are sent unchanged.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestParameters {
        .body(.data(data, contentType: contentType))
    }
}

extension RequestParameters: RedactedStringConvertible {
    /// A textual representation with the names of the query items and the content type of the body, without values.
    public var description: String { "RequestParameters(\(query), \(body.map(\.description) ?? "no body"))" }
}

/// The part of an ``API`` that declares how its responses are cached.
public protocol APICaching: Sendable {
    /// The policy that is sent as `Cache-Control`. Default: ``RequestCachePolicy/protocolRules``, which sends no field.
    var cachePolicy: RequestCachePolicy { get }
}

extension APICaching {
    /// The default policy, ``RequestCachePolicy/protocolRules``, which sends no directives.
    public var cachePolicy: RequestCachePolicy { .protocolRules }
}

/// The part of an ``API`` that declares its time limits.
public protocol APITimeout: Sendable {
    /// The time limit from the call to the last byte, 1 ms...10^6 s; `nil` for the session manager's limit. Default: `nil`.
    /// To limit connecting and idle time separately, implement ``Requestable/timeouts`` instead.
    var timeout: Duration? { get }
    /// The deadline that replaces the service's. Default: ``RequestDeadline/default``, which keeps the service's deadline.
    var deadline: RequestDeadline { get }
}

extension APITimeout {
    /// `nil`, which keeps the session manager's limit.
    public var timeout: Duration? { nil }
    /// The default deadline, which is the service's.
    public var deadline: RequestDeadline { .default }
}

/// The part of an ``API`` that declares whether its requests are logged.
public protocol APILogging: Sendable {
    /// Whether the network logger receives the request, the response and a failure. Default: `true`.
    ///
    /// This does not affect the errors that a caller receives, or the logger of the data transfer layer.
    var shouldLog: Bool { get }
}

extension APILogging {
    /// `true`, so that requests are logged.
    public var shouldLog: Bool { true }
}

extension RequestContext {
    private enum SilenceKey: RequestContextKey { typealias Value = Bool }

    /// Whether the network logger receives the request, its response and its failure. Default: `true`.
    public var isLogged: Bool {
        get { self[SilenceKey.self] != true }
        set { self[SilenceKey.self] = newValue ? nil : true }
    }
}

/// The `Cache-Control` directives that a request sends to caches, including the client's own cache (RFC 9111 §5.2.1).
public struct RequestCachePolicy: RawRepresentable, Sendable, Hashable {
    /// The value of the `Cache-Control` field; an empty value sends none. Validated when the request is built, like every field.
    public var rawValue: String

    /// Creates a policy from directives as they are written in the field.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Sends no directives: the response and the rules of HTTP decide.
    public static let protocolRules = RequestCachePolicy(rawValue: "")
    /// Stores nothing of the request or response (§5.2.1.5) and uses no stored response without revalidation (§5.2.1.4).
    public static let ignoringCaches = RequestCachePolicy(rawValue: "no-cache, no-store")
    /// Stores nothing of the request or response (§5.2.1.5).
    public static let noStore = RequestCachePolicy(rawValue: "no-store")
    /// Uses a stored response only after the server has confirmed that it is still valid (§5.2.1.4).
    public static let revalidate = RequestCachePolicy(rawValue: "no-cache")
    /// Uses only a stored response. Without a stored response, the result is a 504 response (§5.2.1.7).
    public static let onlyIfCached = RequestCachePolicy(rawValue: "only-if-cached")

    /// Uses no stored response that is older than `age` (§5.2.1.1). Rounded down to whole seconds; negative values become 0.
    public static func maximumAge(_ age: Duration) -> RequestCachePolicy { named("max-age", age) }
    /// Also uses stored responses that have been stale for at most `time` (§5.2.1.2).
    public static func maximumStaleness(_ time: Duration) -> RequestCachePolicy { named("max-stale", time) }
    /// Uses a stored response only if it stays fresh for at least `time` (§5.2.1.3).
    public static func minimumFreshness(_ time: Duration) -> RequestCachePolicy { named("min-fresh", time) }

    private static func named(_ directive: String, _ time: Duration) -> RequestCachePolicy {
        // RFC 9111 §1.2.2: values that cannot be represented may be treated as 2^31.
        RequestCachePolicy(rawValue: "\(directive)=\(time.clamped(to: .zero...(.seconds(1 << 31))).components.seconds)")
    }
}
