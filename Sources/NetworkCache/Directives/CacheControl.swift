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
