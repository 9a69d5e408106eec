/// The path of one value in a JSON document: `data.items[0].name`, or the RFC 6901 pointer `/data/items/0/name`.
///
/// The empty path selects the whole document. A text that starts with `/` is a pointer, any other text is a dotted path:
///
/// - Names are separated by dots and used literally; a name may contain any character except `.`, `[`, `]` and `"`. Digits
///   after a dot are a name (`codes.404`); an array index is written in brackets (`items[0]`), without sign or leading zeros.
/// - Any name may be quoted in brackets. A name that is empty, contains a separator, or starts the path with `/` must be
///   quoted: `a["x.y"][0]`, `[""]`, `["/v1"]`. Inside the quotes `\"` is a quote and `\\` a backslash; there are no other
///   escapes.
/// - In a pointer, `~1` is a slash and `~0` a tilde (RFC 6901 §3). A token of digits is an index if the document contains an
///   array at that place, and a name if it contains an object (RFC 6901 §4).
///
/// Initializers never fail, so that literals work: a malformed text is stored, and reported when the path is used.
public struct JSONKeyPath: Sendable {
    /// One step of a path from a value to one of its members or elements.
    package enum Component: Hashable, Sendable {
        /// The name of an object's member.
        case key(String)
        /// The position of an array's element, counted from 0.
        case index(Int)
        /// A pointer token that can be a name or an index, depending on the document.
        ///
        /// It consists of digits, or is `-` for the element after the last one, which never exists (RFC 6901 §4).
        case token(String)
    }

    /// The reason why a text is not a valid path, and the offset of the invalid UTF-8 byte.
    package struct SyntaxError: Error, Hashable {
        package var offset: Int
        package var reason: String
    }

    /// The steps from the document's root; empty for the whole document, and for a malformed path.
    package let components: [Component]

    /// The text that the path was created from, or a text that creates the same path.
    package let text: String
    /// The reason why the text is not a valid path; `nil` for a valid path.
    package let syntaxError: SyntaxError?

    /// Creates a path from a text in either syntax.
    public init(_ string: String) {
        self = string.utf8.first == UInt8(ascii: "/") ? JSONKeyPath(pointer: string) : JSONKeyPath(dotted: string)
    }

    /// Creates a path from its steps; a negative index makes the path malformed.
    package init(components: [Component]) {
        let negative = components.firstIndex { if case .index(let index) = $0 { index < 0 } else { false } }
        self.init(
            components: components,
            text: Self.text(of: components),
            syntaxError: negative.map {
                SyntaxError(offset: Self.text(of: components.prefix($0)).utf8.count, reason: "an index must not be negative")
            }
        )
    }

    init(components: [Component], text: String, syntaxError: SyntaxError?) {
        self.components = syntaxError == nil ? components : []
        self.text = text
        self.syntaxError = syntaxError
    }
}

extension JSONKeyPath: Hashable {
    /// Returns whether both paths have the same steps, whichever syntax they are written in.
    ///
    /// A pointer's `/0` may be a name, so it differs from `[0]`. Malformed paths are equal if their texts are.
    public static func == (left: JSONKeyPath, right: JSONKeyPath) -> Bool {
        guard left.syntaxError == nil, right.syntaxError == nil else {
            return left.syntaxError == right.syntaxError && left.text == right.text
        }
        return left.components == right.components
    }

    /// Hashes the steps, or the text of a malformed path, consistently with `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(syntaxError)
        hasher.combine(components)
        if syntaxError != nil { hasher.combine(text) }
    }
}

extension JSONKeyPath: ExpressibleByStringLiteral {
    /// Creates a path from a literal in either syntax; a malformed literal is reported when the path is used.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension JSONKeyPath: CustomStringConvertible {
    /// The text that the path was created from, or a text that creates the same path.
    public var description: String { text }

    /// Returns the dotted form, or a pointer if one of the components is a token, which only a pointer can express.
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

    /// Returns the pointer with these steps.
    package static func pointer(to components: some Collection<Component>) -> String {
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
        // Not a view of scalars: appending several scalars to one copies the entire view.
        var escaped = ""
        for scalar in name.unicodeScalars {
            if let replacement = replacement(scalar) { escaped += replacement } else { escaped.unicodeScalars.append(scalar) }
        }
        return escaped
    }
}
