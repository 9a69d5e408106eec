import Foundation

extension LoggedField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name alone.
    public var description: String { name }
    /// The name alone.
    public var debugDescription: String { description }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension LoggedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the number.
    public var description: String { "\(method) #\(identifier)" }
    /// The method and the number.
    public var debugDescription: String { description }
    /// The method and the number.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "identifier": identifier]) }
}

extension LoggedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "\(statusCode)" }
    /// The status.
    public var debugDescription: String { description }
    /// The status.
    public var customMirror: Mirror { Mirror(self, children: ["statusCode": statusCode]) }
}
