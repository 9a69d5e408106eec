import Endpoints

/// The `Cache-Control` field of a request or a response (RFC 9111 §5.2).
///
/// ```swift
/// request.headers.cacheControl = [.noCache, .maxStale(.seconds(60))]
/// if let age = response.headers.cacheControl?.maxAge { … }
/// ```
///
/// Parsing never fails. Text that is not a directive is skipped, unknown directives are kept but have no effect (§5.2.3), and a
/// known directive with an invalid argument is interpreted in its most restrictive sense (§4.2.1). Both argument forms, token and
/// quoted string, are accepted for every directive.
public struct CacheControl: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The maximum number of seconds that a directive can express: 2³¹ (RFC 9111 §1.2.2). Greater numbers are clamped to it.
    public static let maximumSeconds = 2_147_483_648

    /// All directives in order, including unknown and repeated ones.
    public var directives: [Directive]

    /// Creates a field value from a list of directives.
    public init(_ directives: [Directive] = []) {
        self.directives = directives
    }

    /// Creates a field value from an array literal of directives.
    public init(arrayLiteral elements: Directive...) {
        directives = elements
    }

    /// Parses the value of a `Cache-Control` field line. Never fails: see ``CacheControl``.
    public init(parsing value: String) {
        directives = CacheControlParser.directives(in: value)
    }

    /// Returns whether a directive is present, with or without an argument. Names are compared case-insensitively.
    public func contains(_ name: String) -> Bool {
        first(name) != nil
    }

    /// Returns the first directive with a name, compared case-insensitively, or `nil` if there is none.
    public func first(_ name: String) -> Directive? {
        let wanted = name.lowercased()
        return directives.first { $0.name == wanted }
    }
}

extension CacheControl: CustomStringConvertible {
    /// The value of a field line, which parses into the same directives. Directives whose name is not a token (RFC 9110 §5.6.2)
    /// are omitted.
    public var description: String {
        directives.filter { $0.name.isToken }.map(\.description).joined(separator: ", ")
    }
}

extension CacheControl {
    /// The part of a response to which a directive with an optional list of field names applies.
    public enum Scope: Hashable, Sendable {
        /// The whole response.
        case all
        /// Only the fields with these names, in lower case.
        case fields(Set<String>)
    }

    /// The `max-age` directive (RFC 9111 §5.2.1.1, §5.2.2.1). Zero if its number is invalid (§4.2.1). If the directive is
    /// repeated, the first one applies.
    public var maxAge: Duration? { restrictive("max-age", otherwise: 0) }
    /// The `s-maxage` directive (§5.2.2.10), interpreted like ``maxAge``.
    public var sharedMaxAge: Duration? { restrictive("s-maxage", otherwise: 0) }
    /// The `min-fresh` directive (§5.2.1.3). 2³¹ seconds if its number is invalid, which no response satisfies.
    public var minFresh: Duration? { restrictive("min-fresh", otherwise: Self.maximumSeconds) }
    /// The `max-stale` directive (§5.2.1.2). 2³¹ seconds without an argument; `nil` if its number is invalid, so that nothing
    /// stale is allowed.
    public var maxStale: Duration? {
        guard let directive = first("max-stale") else { return nil }
        return directive.argument == nil ? .seconds(Self.maximumSeconds) : Self.seconds(directive.argument)
    }

    /// The `no-cache` directive (§5.2.1.4, §5.2.2.4), or `nil` if it is absent. ``Scope/all`` without a list of field names, or
    /// if the list is empty or invalid.
    public var noCache: Scope? { scope("no-cache") }
    /// Whether the `no-store` directive is present (§5.2.1.5, §5.2.2.5).
    public var noStore: Bool { contains("no-store") }
    /// Whether the `no-transform` directive is present (§5.2.1.6, §5.2.2.6).
    public var noTransform: Bool { contains("no-transform") }
    /// Whether the `only-if-cached` directive is present (§5.2.1.7).
    public var onlyIfCached: Bool { contains("only-if-cached") }
    /// Whether the `must-revalidate` directive is present (§5.2.2.2).
    public var mustRevalidate: Bool { contains("must-revalidate") }
    /// Whether the `must-understand` directive is present (§5.2.2.3).
    public var mustUnderstand: Bool { contains("must-understand") }
    /// The `private` directive (§5.2.2.7), interpreted like ``noCache``.
    public var isPrivate: Scope? { scope("private") }
    /// Whether the `proxy-revalidate` directive is present (§5.2.2.8).
    public var proxyRevalidate: Bool { contains("proxy-revalidate") }
    /// Whether the `public` directive is present (§5.2.2.9).
    public var isPublic: Bool { contains("public") }
    /// Whether the `immutable` directive is present (RFC 8246 §2).
    public var isImmutable: Bool { contains("immutable") }
    /// The `stale-while-revalidate` directive (RFC 5861 §3). `nil` if its number is invalid.
    public var staleWhileRevalidate: Duration? { Self.seconds(first("stale-while-revalidate")?.argument) }
    /// The `stale-if-error` directive (RFC 5861 §4). `nil` if its number is invalid.
    public var staleIfError: Duration? { Self.seconds(first("stale-if-error")?.argument) }

    private func restrictive(_ name: String, otherwise: Int) -> Duration? {
        first(name).map { Self.seconds($0.argument) ?? .seconds(otherwise) }
    }

    /// The combined scope of all directives with a name. One without a list covers the whole response.
    private func scope(_ name: String) -> Scope? {
        var names: Set<String>?
        for directive in directives where directive.name == name {
            guard let list = Self.fieldNames(directive.argument) else { return .all }
            names = (names ?? []).union(list)
        }
        return names.map(Scope.fields)
    }

    /// Parses `1*DIGIT` (§1.2.2). Returns `nil` for anything else.
    private static func seconds(_ argument: String?) -> Duration? {
        guard let argument, !argument.isEmpty else { return nil }
        var seconds = 0
        for byte in argument.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            seconds = min(seconds * 10 + Int(byte - UInt8(ascii: "0")), maximumSeconds)
        }
        return .seconds(seconds)
    }

    /// Parses `#field-name` (RFC 9110 §5.6.1), ignoring empty elements. Returns `nil` if there is no name or an element is not a
    /// token.
    private static func fieldNames(_ argument: String?) -> Set<String>? {
        guard let argument else { return nil }
        let names = argument.utf8.split(separator: UInt8(ascii: ",")).map(CacheControlParser.trimmed).filter { !$0.isEmpty }
        let texts = names.map { String(Substring($0)) }
        guard !texts.isEmpty, texts.allSatisfy(\.isToken) else { return nil }
        return Set(texts.map { $0.lowercased() })
    }
}

extension HTTPHeaders {
    /// The parsed `Cache-Control` field, or `nil` if there is none. Each field line is parsed separately, so that invalid text in
    /// one line does not affect the others.
    ///
    /// Setting a value replaces all lines with one. Setting `nil`, or only directives that cannot be sent, removes the field.
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
