import Endpoints
import NetworkSupport

/// The `Cache-Control` field of a request or a response (RFC 9111 §5.2).
///
/// ```swift
/// if let age = response.headers.cacheControl?.maxAge { … }
/// ```
///
/// Parsing never fails. Text that is not a directive is skipped, unknown directives are kept but have no effect (§5.2.3), and a
/// known directive with an invalid argument is interpreted in its most restrictive sense (§4.2.1). Both argument forms, token and
/// quoted string, are accepted for every directive.
package struct CacheDirectives: Hashable, Sendable {
    /// The maximum number of seconds that a directive can express: 2³¹ (RFC 9111 §1.2.2). Greater numbers are clamped to it.
    package static let maximumSeconds = 2_147_483_648

    /// All directives in order, including unknown and repeated ones.
    package var directives: [Directive]

    /// Creates a field value from a list of directives.
    package init(_ directives: [Directive] = []) {
        self.directives = directives
    }

    /// Parses the value of a `Cache-Control` field line. Never fails: see ``CacheDirectives``.
    package init(parsing value: String) {
        directives = CacheDirectivesParser.directives(in: value)
    }

    /// Returns whether a directive is present, with or without an argument. Names are compared case-insensitively.
    package func contains(_ name: String) -> Bool {
        first(name) != nil
    }

    /// Returns the first directive with a name, compared case-insensitively, or `nil` if there is none.
    package func first(_ name: String) -> Directive? {
        let wanted = name.lowercased()
        return directives.first { $0.name == wanted }
    }
}

extension CacheDirectives {
    /// The part of a response to which a directive with an optional list of field names applies.
    package enum Scope: Hashable, Sendable {
        /// The whole response.
        case all
        /// Only the fields with these names, in lower case.
        case fields(Set<String>)
    }

    /// The `max-age` directive (RFC 9111 §5.2.1.1, §5.2.2.1). Zero if its number is invalid (§4.2.1). If the directive is
    /// repeated, the first one applies.
    package var maxAge: Duration? { restrictive("max-age", otherwise: 0) }
    /// The `min-fresh` directive (§5.2.1.3). 2³¹ seconds if its number is invalid, which no response satisfies.
    package var minFresh: Duration? { restrictive("min-fresh", otherwise: Self.maximumSeconds) }
    /// The `max-stale` directive (§5.2.1.2). 2³¹ seconds without an argument; `nil` if its number is invalid, so that nothing
    /// stale is allowed.
    package var maxStale: Duration? {
        guard let directive = first("max-stale") else { return nil }
        return directive.argument == nil ? .seconds(Self.maximumSeconds) : Self.seconds(directive.argument)
    }

    /// The `no-cache` directive (§5.2.1.4, §5.2.2.4), or `nil` if it is absent. ``Scope/all`` without a list of field names, or
    /// if the list is empty or invalid.
    package var noCache: Scope? { scope("no-cache") }
    /// Whether the `no-store` directive is present (§5.2.1.5, §5.2.2.5).
    package var noStore: Bool { contains("no-store") }
    /// Whether the `only-if-cached` directive is present (§5.2.1.7).
    package var onlyIfCached: Bool { contains("only-if-cached") }
    /// Whether the `must-revalidate` directive is present (§5.2.2.2).
    package var mustRevalidate: Bool { contains("must-revalidate") }
    /// Whether the `must-understand` directive is present (§5.2.2.3).
    package var mustUnderstand: Bool { contains("must-understand") }
    /// The `private` directive (§5.2.2.7), interpreted like ``noCache``.
    package var isPrivate: Scope? { scope("private") }
    /// Whether the `public` directive is present (§5.2.2.9).
    package var isPublic: Bool { contains("public") }
    /// Whether the `immutable` directive is present (RFC 8246 §2).
    package var isImmutable: Bool { contains("immutable") }
    /// The `stale-while-revalidate` directive (RFC 5861 §3). `nil` if its number is invalid.
    package var staleWhileRevalidate: Duration? { Self.seconds(first("stale-while-revalidate")?.argument) }
    /// The `stale-if-error` directive (RFC 5861 §4). `nil` if its number is invalid.
    package var staleIfError: Duration? { Self.seconds(first("stale-if-error")?.argument) }

    private func restrictive(_ name: String, otherwise: Int) -> Duration? {
        first(name).map { Self.seconds($0.argument) ?? .seconds(otherwise) }
    }

    /// The combined scope of all directives with a name. One without a list covers the whole response.
    private func scope(_ name: String) -> Scope? {
        var names: Set<String> = []
        for directive in directives where directive.name == name {
            guard let list = Self.fieldNames(directive.argument) else { return .all }
            names.formUnion(list)
        }
        return names.isEmpty ? nil : .fields(names)
    }

    /// Parses `1*DIGIT` (§1.2.2). Returns `nil` for anything else.
    private static func seconds(_ argument: String?) -> Duration? {
        argument?.utf8.decimal(clampedTo: Int64(maximumSeconds)).map { .seconds($0) }
    }

    /// Parses `#field-name` (RFC 9110 §5.6.1), ignoring empty elements. Returns `nil` if there is no name or an element is not a
    /// token.
    private static func fieldNames(_ argument: String?) -> [String]? {
        guard let argument, argument.first != " " else { return nil }
        let names = argument.listElements.map { $0.asciiLowercased }
        return !names.isEmpty && names.allSatisfy(\.isToken) ? names : nil
    }
}

extension HeaderFields {
    /// The parsed `Cache-Control` field, or `nil` if there is none. Each field line is parsed separately, so that invalid text in
    /// one line does not affect the others.
    package var cacheControl: CacheDirectives? {
        let lines = values(for: "Cache-Control")
        return lines.isEmpty ? nil : CacheDirectives(lines.flatMap { CacheDirectives(parsing: $0).directives })
    }
}

/// A lenient parser for `#( token [ "=" ( token / quoted-string ) ] )` (RFC 9111 §5.2).
///
/// White space around the equals sign is not valid: the argument then begins with a space, so that it is neither a number nor a list. An argument that
/// is neither a token nor a quoted string is kept verbatim up to the next comma, so that the directives after it are not lost; for the same
/// reason, a quote that is never closed is treated as an ordinary character. Elements whose name is not a token are skipped.
enum CacheDirectivesParser {
    static func directives(in value: String) -> [CacheDirectives.Directive] {
        var scanner = FieldScanner(value[...])
        var directives: [CacheDirectives.Directive] = []
        while !scanner.isAtEnd {
            let head = Substring(scanner.take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") })
            let name = String(head.trimmed)
            let isSpaced = head.utf8.last?.isSpaceOrTab ?? false
            let argument = scanner.take("=") ? Self.argument(&scanner, isSpaced) : nil
            _ = scanner.take(",")
            if name.isToken { directives.append(CacheDirectives.Directive(name, argument: argument)) }
        }
        return directives
    }

    /// Reads the argument up to the next comma or to the end.
    ///
    /// - Parameter isSpaced: Whether there is white space before the equals sign.
    private static func argument(_ scanner: inout FieldScanner, _ isSpaced: Bool) -> String {
        let isSpaced = isSpaced || scanner.next?.isSpaceOrTab ?? false
        let space = isSpaced ? " " : ""
        scanner.takeSpace()
        var end = scanner
        if let text = end.takeQuotedString() {
            end.takeSpace()
            if end.isAtEnd || end.next == UInt8(ascii: ",") {
                scanner = end
                return space + text
            }
        }
        end.take { $0 != UInt8(ascii: ",") }
        defer { scanner = end }
        return space + scanner.text(upTo: end).trimmed
    }
}

extension CacheDirectives {
    /// A directive: a name and an optional argument.
    package struct Directive: Hashable, Sendable {
        /// The name of the directive, in lower case.
        package let name: String
        /// The argument without quotes, or `nil` if there is no equals sign.
        package var argument: String?

        /// Creates a directive.
        ///
        /// - Parameter name: The name, in any case (RFC 9111 §5.2). It is stored in lower case.
        package init(_ name: String, argument: String? = nil) {
            self.name = name.lowercased()
            self.argument = argument
        }
    }
}
