extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields whose values say nothing about who is asking. Any other value is shown as its length.
    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control",
        "connection", "content-encoding", "content-language", "content-length", "content-range", "content-type", "date",
        "expires", "host", "last-modified", "retry-after", "server", "transfer-encoding", "user-agent", "vary",
    ]

    /// `name: value`, where the value of a field that could hold a secret is replaced by its length.
    public var description: String {
        let isHarmless = Self.harmless.contains(name.lowercased())
        return isHarmless ? "\(name): \(value)" : "\(name): <\(value.utf8.count) bytes>"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[" + fields.map(\.description).joined(separator: ", ") + "]" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}
