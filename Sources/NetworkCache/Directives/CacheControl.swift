import Endpoints

/// The `Cache-Control` field of a request or a response (RFC 9111 §5.2).
///
/// ```swift
/// request.headers.cacheControl = [.noCache, .maxStale(.seconds(60))]
/// if let age = response.headers.cacheControl?.maxAge { … }
/// ```
///
/// Parsing never fails: what is no directive is left out, unknown directives are kept and mean nothing (§5.2.3), and one that is
/// known but damaged is taken in its most restrictive sense (§4.2.1). Both argument forms, token and quoted, are read for all.
public struct CacheControl: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The greatest number of seconds that counts: 2³¹, as RFC 9111 §1.2.2 asks. Greater ones become it.
    public static let maximumSeconds = 2_147_483_648

    /// All directives, in order, those of no meaning here and repeated ones too.
    public var directives: [Directive]

    /// Of these directives.
    public init(_ directives: [Directive] = []) {
        self.directives = directives
    }

    /// Of these directives.
    public init(arrayLiteral elements: Directive...) {
        directives = elements
    }

    /// From the value of a field line.
    public init(parsing value: String) {
        directives = CacheControlParser.directives(in: value)
    }

    /// Whether a directive occurs, in whatever form. Names are compared without case.
    public func contains(_ name: String) -> Bool {
        first(name) != nil
    }

    /// The first directive of this name, compared without case.
    public func first(_ name: String) -> Directive? {
        let wanted = name.lowercased()
        return directives.first { $0.name == wanted }
    }
}

extension CacheControl: CustomStringConvertible {
    /// The value of a field line, which parses into the same directives. One whose name is no token (RFC 9110 §5.6.2) is left out.
    public var description: String {
        directives.filter { $0.name.isToken }.map(\.description).joined(separator: ", ")
    }
}

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

extension HTTPHeaders {
    /// The `Cache-Control` field; `nil` without one. Each of several lines is parsed by itself, so that damage in one leaves the
    /// others whole.
    ///
    /// Setting replaces all lines by one; setting `nil`, or nothing but directives that cannot be sent, removes them.
    public var cacheControl: CacheControl? {
        get {
            let lines = values(for: "Cache-Control")
            return lines.isEmpty ? nil : CacheControl(lines.flatMap { CacheControl(parsing: $0).directives })
        }
        set {
            let value = newValue?.description ?? ""
            self["Cache-Control"] = value.isEmpty ? nil : value
        }
    }
}
