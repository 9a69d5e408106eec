import NetworkLogging

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `name: value`, where the value of a field that could hold a secret is replaced by its length.
    public var description: String {
        let isShown = HTTPHeaders.isHarmless(name) || HTTPHeaders.isSame(name, "Host")
        return isShown
            ? "\(name): \(Redaction.default.redacted(headerValue: value, for: name))" : "\(name): <\(value.utf8.count) bytes>"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The field lines in order, each as its own description shows it.
    public var description: String { "[" + fields.map(\.description).joined(separator: ", ") + "]" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The field lines, each as its own description shows it.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}
