import NetworkLogging

/// The values of the `{name}` placeholders in a path template: `/users/{id}` with `["id": 42]`.
///
/// Each value fills one path segment: everything except unreserved characters is percent-encoded, so an id `a/../b?x` becomes
/// `a%2F..%2Fb%3Fx`. A value that is empty, `.` or `..` is an error, because servers and proxies remove such segments
/// (RFC 3986 §5.2.4) regardless of their encoding. A value that contains NUL, a placeholder without a value, and a value without
/// a placeholder are errors too.
public struct PathParameters: Sendable, ExpressibleByDictionaryLiteral {
    private var values: [(name: String, value: String)]

    /// Creates values from a dictionary. The values must not be percent-encoded.
    public init(_ values: [String: String]) {
        self.values = values.keys.sorted().map { ($0, values[$0] ?? "") }
    }

    /// Creates values from the `description` of each element of a literal. They must not be percent-encoded. If a name occurs
    /// twice, the last value is used.
    public init(dictionaryLiteral elements: (String, any CustomStringConvertible & Sendable)...) {
        values = elements.map { ($0.0, $0.1.description) }
    }

    /// Whether there are no values.
    var isEmpty: Bool { values.isEmpty }

    /// Returns the template with its placeholders replaced by the values.
    ///
    /// - Parameter isFullPath: Whether the template is a full URL. Its user information, if any, is left out of error messages.
    /// - Throws: ``RequestGenerationError`` for an unbalanced brace, a missing, unused or invalid value.
    func fill(_ template: String, isFullPath: Bool) throws(RequestGenerationError) -> String {
        if values.isEmpty && !template.withBytes({ $0.contains(where: Self.isBrace) }) { return template }
        let bytes = Array(template.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 32)
        // If a name occurs twice, the last value is used.
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
            guard let value = known[name] else {
                // A name that is misspelled is usually among those that the template does not have.
                let others = known.keys.filter { !template.contains("{\($0)}") }.sorted().map { "\"\($0.printable)\"" }
                let given =
                    others.isEmpty ? "" : "; given, and not in the template: \(others.joined(separator: ", "))".printableLine
                throw RequestGenerationError(.pathParameter(name), "the template contains it, but it has no value" + given)
            }
            let segment = try segment(name, value)
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

    private func segment(_ name: String, _ value: String) throws(RequestGenerationError) -> String {
        if value.isEmpty || value == "." || value == ".." {
            throw RequestGenerationError(
                .pathParameter(name), "\"\(value)\" would not remain a separate path segment (RFC 3986 §5.2.4)")
        }
        if value.utf8.contains(0) {
            throw RequestGenerationError(.pathParameter(name), "it contains a NUL character")
        }
        return value
    }
}

extension PathParameters: RedactedStringConvertible {
    /// A textual representation that contains only the names, because values may be secrets.
    public var description: String { "PathParameters(\(values.map(\.name.printable).joined(separator: ", ")))" }
}
