import Foundation

/// Turns the bytes of a response into a value.
public protocol ResponseDecoder: Sendable {
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or an error of your own: callers find it as the cause of the
    ///   parsing failure.
    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value
}

/// A type that has a value for "nothing came": an empty body decodes to it instead of being an error.
public protocol EmptyBodyRepresentable {
    /// The value for an empty body.
    static var emptyBody: Self { get }
}

extension ResponseBody {
    /// The value that stands for nothing, where nothing came.
    ///
    /// - Returns: `nil` where there is a body.
    /// - Throws: ``ResponseDecodingError/emptyBody`` where the type has no such value.
    func emptyValue<Value>(_ type: Value.Type) throws(ResponseDecodingError) -> Value? {
        guard data.isEmpty else { return nil }
        guard let value = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value else { throw .emptyBody }
        return value
    }
}

extension Optional: EmptyBodyRepresentable {
    /// `nil`
    public static var emptyBody: Wrapped? { nil }
}

/// The value of a response that has none (204, or a body nobody looks at).
public struct Empty: Codable, Hashable, Sendable, EmptyBodyRepresentable {
    /// The only value.
    public init() {}
    /// From anything; what is there is not looked at.
    public init(from decoder: any Decoder) {}
    /// Writes nothing, which encoders refuse at the top of a document.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: ParameterKey.self)
    }
    /// The only value.
    public static var emptyBody: Empty { Empty() }
}

/// Why a body is not the value that was asked for, where it is not a matter of a `DecodingError`.
public enum ResponseDecodingError: Error, Sendable {
    /// A value was expected and no byte came.
    case emptyBody
    /// The decoder makes only one type, and another was asked for.
    case unsupportedType(asked: String, supported: String)
    /// The `Content-Type` names a charset that is not known here.
    case unknownCharset(String)
    /// The bytes are not text in the charset that was named (UTF-8 where none was).
    case invalidText(charset: String)
    /// The key path is malformed, leads nowhere, or the document is malformed.
    case keyPath(JSONSliceError)
    /// The document's values are nested deeper than this many levels.
    case tooDeep(maximumDepth: Int)
}

extension ResponseDecodingError: CustomStringConvertible, LocalizedError {
    /// The ``description``.
    public var errorDescription: String? { description }
    /// What is wrong, in words; no value of the body.
    public var description: String {
        switch self {
        case .emptyBody: "the body is empty, but a value is expected"
        case .unsupportedType(let asked, let supported): "this decoder makes \(supported), not \(asked)"
        case .unknownCharset(let name): "the charset \"\(name.printable)\" is not known"
        case .invalidText(let charset): "the body is not text in \(charset)"
        case .keyPath(let error): error.description
        case .tooDeep(let depth): "the document is nested more than \(depth) levels deep"
        }
    }
}

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
