/// Values for the `{name}`s of a path template: `/users/{id}` with `["id": 42]`.
///
/// Each value fills one segment: everything but unreserved characters is percent-encoded, so an id `a/../b?x` becomes
/// `a%2F..%2Fb%3Fx`. A value that is empty, `.` or `..` is refused, since servers and proxies remove such segments
/// (RFC 3986 §5.2.4) whatever their encoding. A name without a value, and a value without a name, are errors too.
public struct PathParameters: Sendable, ExpressibleByDictionaryLiteral {
    var values: [(name: String, value: String)]

    public init() {
        values = []
    }

    public init(_ values: [String: String]) {
        self.values = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    public init(dictionaryLiteral elements: (String, any CustomStringConvertible & Sendable)...) {
        values = elements.map { ($0.0, $0.1.description) }
    }

    public var isEmpty: Bool { values.isEmpty }

    /// Fills the template.
    func fill(_ template: String) throws(RequestGenerationError) -> String {
        if values.isEmpty && !template.utf8.contains(UInt8(ascii: "{")) && !template.utf8.contains(UInt8(ascii: "}")) {
            return template
        }
        var unused = Set(values.map(\.name))
        var filled = ""
        var rest = template[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            filled += rest[..<open]
            let after = rest[rest.index(after: open)...]
            guard rest[open] == "{", let close = after.firstIndex(where: { $0 == "{" || $0 == "}" }), after[close] == "}" else {
                throw RequestGenerationError(
                    .path, "unbalanced brace in \"\(template.printable)\"; write %7B or %7D for a literal one")
            }
            let name = String(after[..<close])
            filled += try segment(name)
            unused.remove(name)
            rest = after[after.index(after: close)...]
        }
        if let name = unused.min() {
            throw RequestGenerationError(.pathParameter(name), "\"\(template.printable)\" has no {\(name.printable)}")
        }
        return filled + rest
    }

    private func segment(_ name: String) throws(RequestGenerationError) -> String {
        guard let value = values.last(where: { $0.name == name })?.value else {
            throw RequestGenerationError(.pathParameter(name), "the template names it, but it has no value")
        }
        if value.isEmpty || value == "." || value == ".." {
            throw RequestGenerationError(
                .pathParameter(name), "\"\(value)\" would not stay a segment of its own (RFC 3986 §5.2.4)")
        }
        if value.utf8.contains(0) {
            throw RequestGenerationError(.pathParameter(name), "it contains a NUL character")
        }
        return PercentEncoding.component(value)
    }
}
