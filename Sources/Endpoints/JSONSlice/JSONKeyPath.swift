/// Names one value inside a JSON document: `data.items[0].name`, or the RFC 6901 pointer `/data/items/0/name`.
///
/// The empty path is the whole document. A text that starts with `/` is a pointer, any other is dotted:
///
/// - Names are separated by dots and taken as they stand; a name may hold any character but `.`, `[`, `]` and `"`. Digits
///   after a dot are a name (`codes.404`); an array index is written in brackets (`items[0]`), without sign or leading zeros.
/// - Any name may be quoted in brackets, and one that is empty, holds a separator, or opens the path with `/`, has to be:
///   `a["x.y"][0]`, `[""]`, `["/v1"]`. Inside the quotes `\"` is a quote and `\\` a backslash; there are no other escapes.
/// - In a pointer `~1` is a slash and `~0` a tilde (RFC 6901 §3). A token of digits is an index where the document holds an
///   array and a name where it holds an object (RFC 6901 §4).
///
/// Making a path never fails, so that literals work: a malformed text is kept, and reported by ``validated()`` and by
/// ``JSONSlicer/slice(of:at:)``.
public struct JSONKeyPath: Sendable {
    /// One step into the document.
    public enum Component: Hashable, Sendable {
        /// The member of an object.
        case key(String)
        /// The element of an array, counted from 0.
        case index(Int)
        /// A pointer's token that an array may hold as well: digits, or `-` for the element after the last, which never
        /// exists (RFC 6901 §4). What the document holds decides.
        case token(String)
    }

    /// Why a text is no path, and at which UTF-8 byte of it.
    struct Flaw: Error, Hashable {
        var offset: Int
        var reason: String
    }

    /// The steps from the root; empty for the whole document, and for a malformed path.
    public let components: [Component]

    let text: String
    let flaw: Flaw?

    /// From text in either syntax.
    public init(_ string: String) {
        self = string.utf8.first == UInt8(ascii: "/") ? JSONKeyPath(pointer: string) : JSONKeyPath(dotted: string)
    }

    /// From steps; a negative index makes the path malformed.
    public init(components: [Component]) {
        let negative = components.firstIndex { if case .index(let index) = $0 { index < 0 } else { false } }
        self.init(
            components: components,
            text: Self.text(of: components),
            flaw: negative.map {
                Flaw(offset: Self.text(of: components.prefix($0)).utf8.count, reason: "an index is never negative")
            }
        )
    }

    init(components: [Component], text: String, flaw: Flaw?) {
        self.components = flaw == nil ? components : []
        self.text = text
        self.flaw = flaw
    }

    /// The path itself, when its text was well-formed.
    ///
    /// - Throws: ``JSONSliceError`` of kind `malformedPath`, with the UTF-8 offset into the path's text.
    @discardableResult
    public func validated() throws(JSONSliceError) -> JSONKeyPath {
        guard let flaw else { return self }
        throw JSONSliceError(kind: .malformedPath(offset: flaw.offset, reason: flaw.reason), path: self)
    }
}

// Two spellings of the same steps are the same path; malformed texts are the same when they are written the same.
extension JSONKeyPath: Hashable {
    /// Whether both are the same steps, however spelt; a pointer's `/0` may be a name, so it differs from `[0]`.
    ///
    /// Malformed paths are equal when they are written the same.
    public static func == (left: JSONKeyPath, right: JSONKeyPath) -> Bool {
        guard left.flaw == nil, right.flaw == nil else { return left.flaw == right.flaw && left.text == right.text }
        return left.components == right.components
    }

    /// As `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(flaw)
        hasher.combine(components)
        if flaw != nil { hasher.combine(text) }
    }
}

extension JSONKeyPath: ExpressibleByStringLiteral {
    /// From a literal in either syntax; a malformed one is reported when it is used.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension JSONKeyPath: CustomStringConvertible {
    /// The text the path was made from, or the one that makes it.
    public var description: String { text }

    /// Dotted where it can be: a token only a pointer can express.
    static func text(of components: some Collection<Component>) -> String {
        if components.contains(where: { if case .token = $0 { true } else { false } }) { return pointer(to: components) }
        return components.reduce(into: "") { text, component in
            switch component {
            case .index(let index): text += "[\(index)]"
            case .key(let name) where canStandBare(name, first: text.isEmpty): text += text.isEmpty ? name : "." + name
            case .key(let name), .token(let name): text += "[\"" + escapedForQuotes(name) + "\"]"
            }
        }
    }

    static func pointer(to components: some Collection<Component>) -> String {
        components.reduce(into: "") { text, component in
            switch component {
            case .index(let index): text += "/\(index)"
            case .key(let name), .token(let name): text += "/" + escapedForPointer(name)
            }
        }
    }

    private static func canStandBare(_ name: String, first: Bool) -> Bool {
        !name.isEmpty && !name.utf8.contains(where: isReserved) && !(first && name.utf8.first == UInt8(ascii: "/"))
    }

    private static func escapedForQuotes(_ name: String) -> String {
        escaped(name) { $0 == "\"" || $0 == "\\" ? "\\\($0)" : nil }
    }

    private static func escapedForPointer(_ name: String) -> String {
        escaped(name) { $0 == "~" ? "~0" : $0 == "/" ? "~1" : nil }
    }

    private static func escaped(_ name: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if let replacement = replacement(scalar) {
                escaped.append(contentsOf: replacement.unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
