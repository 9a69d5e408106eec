extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields whose values say nothing about who is asking. Any other value is shown as its length.
    fileprivate static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control",
        "connection", "content-encoding", "content-language", "content-length", "content-range", "content-type", "date",
        "expires", "host", "last-modified", "retry-after", "server", "transfer-encoding", "user-agent", "vary",
    ]

    /// `name: value`, where the value of a field that could hold a secret is replaced by its length.
    public var description: String {
        isHarmless ? "\(name): \(value)" : "\(name): <\(value.utf8.count) bytes>"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    fileprivate var isHarmless: Bool { Self.harmless.contains(name.lowercased()) }
}

extension HTTPHeaders {
    /// The fields that cannot hold a secret: all that another origin may see. `Host` is the first origin's own.
    package var harmless: HTTPHeaders { HTTPHeaders(fields.filter { $0.isHarmless && !Self.isSame($0.name, "Host") }) }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The field lines in order, each as its own description shows it.
    public var description: String { "[" + fields.map(\.description).joined(separator: ", ") + "]" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The field lines, each as its own description shows it.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}
