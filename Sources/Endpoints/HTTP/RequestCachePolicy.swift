import NetworkSupport

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
