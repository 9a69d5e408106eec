import NetworkLogging

/// Values for the `{name}`s of a path template: `/users/{id}` with `["id": 42]`.
///
/// Each value fills one segment: everything but unreserved characters is percent-encoded, so an id `a/../b?x` becomes
/// `a%2F..%2Fb%3Fx`. A value that is empty, `.` or `..` is refused, since servers and proxies remove such segments
/// (RFC 3986 §5.2.4) whatever their encoding; so is one with a NUL. A name without a value, and a value without a name, are errors too.
public struct PathParameters: Sendable, ExpressibleByDictionaryLiteral {
    private var values: [(name: String, value: String)]

    /// No values.
    public init() {
        values = []
    }

    /// From a dictionary, the values not yet percent-encoded.
    public init(_ values: [String: String]) {
        self.values = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// From a literal; a value is its `description`, not yet percent-encoded. Of a name given twice the last value counts.
    public init(dictionaryLiteral elements: (String, any CustomStringConvertible & Sendable)...) {
        values = elements.map { ($0.0, $0.1.description) }
    }

    /// Whether there are no values.
    public var isEmpty: Bool { values.isEmpty }

    /// Fills the template.
    ///
    /// - Parameter isFullPath: Whether the template is a whole URL, which may hold user information that no message shows.
    func fill(_ template: String, isFullPath: Bool) throws(RequestGenerationError) -> String {
        if values.isEmpty && !template.withBytes({ $0.contains(where: Self.isBrace) }) { return template }
        let bytes = Array(template.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 32)
        // Of a name given twice the last value counts.
        let known = Dictionary(values, uniquingKeysWith: { $1 })
        var names: Set<String> = []
        var rest = bytes[...]
        while let open = rest.firstIndex(where: Self.isBrace) {
            let after = rest[(open + 1)...]
            guard rest[open] == UInt8(ascii: "{"), let close = after.firstIndex(where: Self.isBrace),
                after[close] == UInt8(ascii: "}")
            else {
                let shown = URLText.shown(path: template, isFullPath: isFullPath).printable
                throw RequestGenerationError(.path, "unbalanced brace in \"\(shown)\"; write %7B or %7D for a literal one")
            }
            let name = String(decoding: after[..<close], as: UTF8.self)
            output.append(contentsOf: rest[..<open])
            let segment = try segment(name, known[name])
            if Redaction.isSecret(field: name) { SecretValues.insert(segment) }
            PercentEncoding.append(segment, keeping: .unreserved, to: &output)
            names.insert(name)
            rest = after[(close + 1)...]
        }
        for value in values where !names.contains(value.name) {
            let shown = URLText.shown(path: template, isFullPath: isFullPath).printable
            throw RequestGenerationError(.pathParameter(value.name), "\"\(shown)\" has no {\(value.name.printable)}")
        }
        output.append(contentsOf: rest)
        return String(decoding: output, as: UTF8.self)
    }

    private static func isBrace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
    }

    private func segment(_ name: String, _ value: String?) throws(RequestGenerationError) -> String {
        guard let value else {
            throw RequestGenerationError(.pathParameter(name), "the template names it, but it has no value")
        }
        if value.isEmpty || value == "." || value == ".." {
            throw RequestGenerationError(
                .pathParameter(name), "\"\(value)\" would not stay a segment of its own (RFC 3986 §5.2.4)")
        }
        if value.utf8.contains(0) {
            throw RequestGenerationError(.pathParameter(name), "it contains a NUL character")
        }
        return value
    }
}

extension PathParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names only.
    public var description: String { "PathParameters(\(values.map(\.name.printable).joined(separator: ", ")))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
