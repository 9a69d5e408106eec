import Endpoints

extension CacheControl {
    /// A directive: a name and an optional argument.
    public struct Directive: Hashable, Sendable {
        /// The name of the directive, in lower case.
        public let name: String
        /// The argument without quotes, or `nil` if there is no equals sign.
        public var argument: String?

        /// Creates a directive.
        ///
        /// - Parameter name: The name, in any case (RFC 9111 §5.2). It is stored in lower case.
        public init(_ name: String, argument: String? = nil) {
            self.name = name.lowercased()
            self.argument = argument
        }
    }
}

extension CacheControl.Directive: CustomStringConvertible {
    /// The directive as it is sent. An argument that is not a token is quoted; a list of field names is always quoted (RFC 9111
    /// §5.2.2.4).
    public var description: String {
        guard let argument else { return name }
        let isFieldList = name == "no-cache" || name == "private"
        if !isFieldList && argument.isToken { return "\(name)=\(argument)" }
        var quoted = String.UnicodeScalarView()
        for scalar in argument.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        return "\(name)=\"\(String(quoted))\""
    }
}

extension CacheControl.Directive {
    /// In a request, accepts a response of at most this age (RFC 9111 §5.2.1.1). In a response, sets the freshness lifetime
    /// (§5.2.2.1).
    public static func maxAge(_ age: Duration) -> Self { Self("max-age", age) }
    /// In a request, accepts a response that has been stale for at most this time (§5.2.1.2).
    public static func maxStale(_ staleness: Duration) -> Self { Self("max-stale", staleness) }
    /// In a request, accepts a stale response of any age (§5.2.1.2).
    public static var maxStale: Self { Self("max-stale") }
    /// In a request, requires a response that stays fresh for at least this time (§5.2.1.3).
    public static func minFresh(_ freshness: Duration) -> Self { Self("min-fresh", freshness) }
    /// Requires validation with the origin before a stored response is used (§5.2.1.4, §5.2.2.4).
    public static var noCache: Self { Self("no-cache") }
    /// In a response, requires validation with the origin before these fields are used (§5.2.2.4).
    public static func noCache(fields: [String]) -> Self { Self("no-cache", argument: fields.joined(separator: ", ")) }
    /// Forbids storing any part of the request or the response (§5.2.1.5, §5.2.2.5).
    public static var noStore: Self { Self("no-store") }
    /// Forbids intermediaries to transform the content (§5.2.1.6, §5.2.2.6).
    public static var noTransform: Self { Self("no-transform") }
    /// In a request, accepts only a stored response (§5.2.1.7).
    public static var onlyIfCached: Self { Self("only-if-cached") }
    /// In a response, requires validation with the origin once it is stale (§5.2.2.2).
    public static var mustRevalidate: Self { Self("must-revalidate") }
    /// In a response, allows storing only by caches that understand its status code (§5.2.2.3).
    public static var mustUnderstand: Self { Self("must-understand") }
    /// In a response, restricts it to the cache of a single user (§5.2.2.7).
    public static var `private`: Self { Self("private") }
    /// In a response, restricts these fields to the cache of a single user (§5.2.2.7).
    public static func `private`(fields: [String]) -> Self { Self("private", argument: fields.joined(separator: ", ")) }
    /// In a response, has the effect of ``mustRevalidate`` for shared caches only (§5.2.2.8).
    public static var proxyRevalidate: Self { Self("proxy-revalidate") }
    /// In a response, allows storing it even if that would otherwise be forbidden (§5.2.2.9).
    public static var `public`: Self { Self("public") }
    /// In a response, sets the freshness lifetime for shared caches (§5.2.2.10).
    public static func sharedMaxAge(_ age: Duration) -> Self { Self("s-maxage", age) }
    /// In a response, allows serving it stale for this time while it is revalidated (RFC 5861 §3).
    public static func staleWhileRevalidate(_ time: Duration) -> Self { Self("stale-while-revalidate", time) }
    /// Allows serving a stale response for this time if the origin fails (RFC 5861 §4).
    public static func staleIfError(_ time: Duration) -> Self { Self("stale-if-error", time) }
    /// In a response, states that it does not change while it is fresh (RFC 8246 §2).
    public static var immutable: Self { Self("immutable") }

    /// Creates a directive with whole seconds, rounded down and clamped to 0 through 2³¹ (RFC 9111 §1.2.2).
    private init(_ name: String, _ duration: Duration) {
        let seconds = duration.clamped(to: .zero...(.seconds(CacheControl.maximumSeconds))).components.seconds
        self.init(name, argument: String(seconds))
    }
}
