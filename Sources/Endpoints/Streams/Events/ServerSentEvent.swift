import Foundation

/// An event of an event stream (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// What the `event` field says, `message` where there is none.
    public var type: String
    /// The values of the `data` fields, joined by line feeds.
    public var data: String
    /// The last event ID: what the `id` field of this event, or else of the latest one with such a field, says. Empty where none came.
    public var lastEventID: String
    /// What a `retry` field of this event says of the pause before a reconnection; `nil` without one.
    public var retry: Duration?

    /// An event of these parts.
    public init(type: String = "message", data: String, lastEventID: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.retry = retry
    }

    /// The data, decoded as JSON.
    ///
    /// - Throws: What the decoder throws.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()) throws -> Value
    {
        try decoder.decode(type, from: Data(data.utf8))
    }
}

extension ServerSentEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the size of the data, which may hold secrets.
    public var description: String { "ServerSentEvent(\(type.printable), \(data.utf8.count) bytes of data)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
