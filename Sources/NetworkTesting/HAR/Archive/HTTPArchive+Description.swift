import DataTransfer

/// What a browser exports is full of secrets: descriptions tell no query, no field and no body.
extension HTTPArchive.Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, origin, path, status, and the failure where there is one.
    public var description: String { "\(request): \(response)" + (failure.map { ", \($0.code.rawValue.printable)" } ?? "") }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPArchive.Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, origin and path, and the size of the body.
    public var description: String {
        "\(method.rawValue.printable) \(URLText(url).originAndPath.printableLine)" + (body.map { ", \($0)" } ?? "")
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPArchive.Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and the size of the body.
    public var description: String { "\(statusCode), \(body)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPArchive.Body: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size.
    public var description: String { data.map { "\($0.count)-byte body" } ?? "a body that was not kept" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
