import Endpoints

extension CacheControl {
    /// What a directive that may list field names applies to.
    public enum Scope: Hashable, Sendable {
        /// The whole response.
        case all
        /// The fields of these names, in lower case.
        case fields(Set<String>)
    }

    /// `max-age` (RFC 9111 §5.2.1.1, §5.2.2.1). Zero where the number is damaged (§4.2.1); the first of several counts.
    public var maxAge: Duration? { restrictive("max-age", otherwise: 0) }
    /// `s-maxage` (§5.2.2.10), as ``maxAge``.
    public var sharedMaxAge: Duration? { restrictive("s-maxage", otherwise: 0) }
    /// `min-fresh` (§5.2.1.3). 2³¹ seconds where the number is damaged: no response is that fresh.
    public var minFresh: Duration? { restrictive("min-fresh", otherwise: Self.maximumSeconds) }
    /// `max-stale` (§5.2.1.2): 2³¹ seconds without an argument, no permission where the number is damaged.
    public var maxStale: Duration? {
        guard let directive = first("max-stale") else { return nil }
        return directive.argument == nil ? .seconds(Self.maximumSeconds) : Self.seconds(directive.argument)
    }

    /// `no-cache` (§5.2.1.4, §5.2.2.4); `nil` without it. A list that is empty or damaged is taken for none: ``Scope/all``.
    public var noCache: Scope? { scope("no-cache") }
    /// `no-store` (§5.2.1.5, §5.2.2.5).
    public var noStore: Bool { contains("no-store") }
    /// `no-transform` (§5.2.1.6, §5.2.2.6).
    public var noTransform: Bool { contains("no-transform") }
    /// `only-if-cached` (§5.2.1.7).
    public var onlyIfCached: Bool { contains("only-if-cached") }
    /// `must-revalidate` (§5.2.2.2).
    public var mustRevalidate: Bool { contains("must-revalidate") }
    /// `must-understand` (§5.2.2.3).
    public var mustUnderstand: Bool { contains("must-understand") }
    /// `private` (§5.2.2.7), as ``noCache``.
    public var isPrivate: Scope? { scope("private") }
    /// `proxy-revalidate` (§5.2.2.8).
    public var proxyRevalidate: Bool { contains("proxy-revalidate") }
    /// `public` (§5.2.2.9).
    public var isPublic: Bool { contains("public") }
    /// `immutable` (RFC 8246 §2).
    public var isImmutable: Bool { contains("immutable") }
    /// `stale-while-revalidate` (RFC 5861 §3). No permission where the number is damaged.
    public var staleWhileRevalidate: Duration? { Self.seconds(first("stale-while-revalidate")?.argument) }
    /// `stale-if-error` (RFC 5861 §4). No permission where the number is damaged.
    public var staleIfError: Duration? { Self.seconds(first("stale-if-error")?.argument) }

    private func restrictive(_ name: String, otherwise: Int) -> Duration? {
        first(name).map { Self.seconds($0.argument) ?? .seconds(otherwise) }
    }

    /// All lines together; one without a list outdoes those with one.
    private func scope(_ name: String) -> Scope? {
        var names: Set<String>?
        for directive in directives where directive.name == name {
            guard let list = Self.fieldNames(directive.argument) else { return .all }
            names = (names ?? []).union(list)
        }
        return names.map(Scope.fields)
    }

    /// `1*DIGIT`, and nothing else (§1.2.2).
    private static func seconds(_ argument: String?) -> Duration? {
        guard let argument, !argument.isEmpty else { return nil }
        var seconds = 0
        for byte in argument.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            seconds = min(seconds * 10 + Int(byte - UInt8(ascii: "0")), maximumSeconds)
        }
        return .seconds(seconds)
    }

    /// `#field-name` (RFC 9110 §5.6.1): empty elements do not count. `nil` when there is no name, or something else.
    private static func fieldNames(_ argument: String?) -> Set<String>? {
        guard let argument else { return nil }
        let names = argument.utf8.split(separator: UInt8(ascii: ",")).map(CacheControlParser.trimmed).filter { !$0.isEmpty }
        let texts = names.map { String(Substring($0)) }
        guard !texts.isEmpty, texts.allSatisfy(\.isToken) else { return nil }
        return Set(texts.map { $0.lowercased() })
    }
}
