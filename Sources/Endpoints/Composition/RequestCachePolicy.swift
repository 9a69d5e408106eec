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
