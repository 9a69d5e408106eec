import Endpoints

extension CacheControl {
    /// One directive: a name, and an argument where it has one.
    public struct Directive: Hashable, Sendable {
        /// In lower case.
        public let name: String
        /// Without the quotes; `nil` where there is no equals sign.
        public var argument: String?

        /// - Parameter name: Of any case (RFC 9111 §5.2).
        public init(_ name: String, argument: String? = nil) {
            self.name = name.lowercased()
            self.argument = argument
        }
    }
}

extension CacheControl.Directive: CustomStringConvertible {
    /// As it is sent. An argument is quoted where it is no token; a list of field names always is (RFC 9111 §5.2.2.4).
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
    /// Of a request: not older than this (RFC 9111 §5.2.1.1). Of a response: fresh for so long (§5.2.2.1).
    public static func maxAge(_ age: Duration) -> Self { Self("max-age", age) }
    /// Of a request: stale by no more than this will do (§5.2.1.2).
    public static func maxStale(_ staleness: Duration) -> Self { Self("max-stale", staleness) }
    /// Of a request: stale by whatever time will do (§5.2.1.2).
    public static var maxStale: Self { Self("max-stale") }
    /// Of a request: still fresh for at least this (§5.2.1.3).
    public static func minFresh(_ freshness: Duration) -> Self { Self("min-fresh", freshness) }
    /// Not without asking the origin (§5.2.1.4, §5.2.2.4).
    public static var noCache: Self { Self("no-cache") }
    /// Of a response: these fields not without asking the origin (§5.2.2.4).
    public static func noCache(fields: [String]) -> Self { Self("no-cache", argument: fields.joined(separator: ", ")) }
    /// Nothing of it is stored (§5.2.1.5, §5.2.2.5).
    public static var noStore: Self { Self("no-store") }
    /// Intermediaries leave the content as it is (§5.2.1.6, §5.2.2.6).
    public static var noTransform: Self { Self("no-transform") }
    /// Of a request: from the cache or not at all (§5.2.1.7).
    public static var onlyIfCached: Self { Self("only-if-cached") }
    /// Of a response: once stale, not without asking the origin (§5.2.2.2).
    public static var mustRevalidate: Self { Self("must-revalidate") }
    /// Of a response: stored only by a cache that understands the status (§5.2.2.3).
    public static var mustUnderstand: Self { Self("must-understand") }
    /// Of a response: for a single user (§5.2.2.7).
    public static var `private`: Self { Self("private") }
    /// Of a response: these fields are for a single user (§5.2.2.7).
    public static func `private`(fields: [String]) -> Self { Self("private", argument: fields.joined(separator: ", ")) }
    /// Of a response: as ``mustRevalidate``, for shared caches (§5.2.2.8).
    public static var proxyRevalidate: Self { Self("proxy-revalidate") }
    /// Of a response: may be stored where it otherwise might not (§5.2.2.9).
    public static var `public`: Self { Self("public") }
    /// Of a response: fresh for so long in shared caches (§5.2.2.10).
    public static func sharedMaxAge(_ age: Duration) -> Self { Self("s-maxage", age) }
    /// Of a response: served stale for so long while it is revalidated (RFC 5861 §3).
    public static func staleWhileRevalidate(_ time: Duration) -> Self { Self("stale-while-revalidate", time) }
    /// Served stale for so long where the origin fails (RFC 5861 §4).
    public static func staleIfError(_ time: Duration) -> Self { Self("stale-if-error", time) }
    /// Of a response: does not change while it is fresh (RFC 8246 §2).
    public static var immutable: Self { Self("immutable") }

    /// Whole seconds, rounded down, between 0 and 2³¹ (RFC 9111 §1.2.2).
    private init(_ name: String, _ duration: Duration) {
        let seconds = duration.clamped(to: .zero...(.seconds(CacheControl.maximumSeconds))).components.seconds
        self.init(name, argument: String(seconds))
    }
}
