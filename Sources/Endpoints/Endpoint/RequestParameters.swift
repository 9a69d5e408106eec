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
    ///   - encoder: The encoder of the value. Default: `nil`, which uses that of the service, by default ``DataEncoder/json``.
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
    /// Uses no stored response, and stores nothing of the request or response (§5.2.1.5).
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
