import Foundation

/// What a ``ResponseDecoder`` is given.
public struct ResponseBody: Sendable {
    /// The bytes after content decoding (gzip and the like).
    public var data: Data
    /// The `Content-Type` header, if there was one.
    public var contentType: String?

    public init(_ data: Data, contentType: String? = nil) {
        self.data = data
        self.contentType = contentType
    }
}

extension ResponseBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "ResponseBody(\(data.count) bytes, \(contentType?.printable ?? "no content type"))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
