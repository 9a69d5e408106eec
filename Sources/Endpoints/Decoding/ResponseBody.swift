import Foundation

/// What a ``ResponseDecoder`` is given.
public struct ResponseBody: Sendable {
    /// The bytes after content decoding (gzip and the like).
    public var data: Data
    /// The `Content-Type` header, if there was one.
    public var contentType: String?

    /// A body, and the value of its `Content-Type` with parameters.
    public init(_ data: Data, contentType: String? = nil) {
        self.data = data
        self.contentType = contentType
    }
}

extension ResponseBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Size and content type, no bytes.
    public var description: String { "ResponseBody(\(data.count) bytes, \(contentType?.printable ?? "no content type"))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
