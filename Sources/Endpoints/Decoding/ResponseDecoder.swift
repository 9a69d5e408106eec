import Foundation
import NetworkLogging

/// A decoder that creates a value from the body of a response.
public protocol ResponseDecoder: Sendable {
    /// Decodes a value of the given type from a response's body.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError` or a custom error, which callers receive as the cause of the
    ///   parsing failure.
    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value
}

/// The body of a response, with its content type, as passed to a ``ResponseDecoder``.
public struct ResponseData: Sendable {
    /// The bytes after content decoding, such as gzip.
    public var data: Data {
        didSet { paddedText = nil }
    }
    /// The value of the `Content-Type` header with its parameters; `nil` if there was none.
    public var contentType: String?
    /// The same bytes in the form that is decoded in place; `nil` if they were not received in it.
    private var paddedText: JSONText?

    /// Creates a body from its bytes and the value of its `Content-Type` header.
    public init(_ data: Data, contentType: String? = nil) {
        self.data = data
        self.contentType = contentType
    }

    /// Creates a body from that of a response; without bytes if it is not in memory.
    package init(_ body: NetworkBody, contentType: String?) {
        data = body.data ?? Data()
        paddedText = body.paddedText
        self.contentType = contentType
    }

    /// The bytes as text for ``TransferJSONDecoder``.
    var text: JSONText { paddedText ?? JSONText(data) }
}

extension ResponseData: RedactedStringConvertible {
    /// The size and the content type, without the bytes.
    public var description: String { "ResponseData(\(data.count) bytes, \(contentType?.printable ?? "no content type"))" }
}

/// A type with a value for empty bodies. An empty body is decoded to this value instead of being an error.
public protocol EmptyBodyRepresentable {
    /// The value that an empty body is decoded to.
    static var emptyBody: Self { get }
}

extension ResponseData {
    /// Returns the type's value for an empty body if the body is empty.
    ///
    /// - Returns: `nil` if the body is not empty.
    /// - Throws: ``ResponseDecodingError`` if the body is empty and the type is not ``EmptyBodyRepresentable``.
    func emptyValue<Value>(_ type: Value.Type) throws(ResponseDecodingError) -> Value? {
        guard data.isEmpty else { return nil }
        guard let value = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value else {
            throw ResponseDecodingError(.emptyBody)
        }
        return value
    }
}

extension Optional: EmptyBodyRepresentable {
    /// The value `nil`, so that an optional decodes an empty body.
    public static var emptyBody: Wrapped? { nil }
}

/// The value of a response without a value, such as one with status 204, or of a body that is ignored.
public struct NoContent: Codable, Hashable, Sendable, EmptyBodyRepresentable {
    /// Creates the only value of the type.
    public init() {}
    /// Creates the value without reading anything from the decoder.
    public init(from decoder: any Decoder) {}
    /// Encodes the value as a container without members, because encoders reject a top-level value that encodes nothing.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: ParameterKey.self)
    }
    /// The only value of the type.
    public static var emptyBody: NoContent { NoContent() }
}

/// An error that a ``ResponseDecoder`` of this package throws, other than a `DecodingError`: the body is empty, is not text in its
/// charset, is nested too deeply, has no value at the key path, or the decoder does not support the requested type.
public struct ResponseDecodingError: Error, Sendable {
    /// The kinds of errors.
    package enum Kind: Sendable {
        /// The body is empty, but the type has no value for an empty body.
        case emptyBody
        /// The decoder supports only one type, and another one was requested.
        case unsupportedType(asked: String, supported: String)
        /// The `Content-Type` names a charset that is not supported.
        case unknownCharset(String)
        /// The bytes are not valid in the charset that the `Content-Type` names, or in UTF-8 if it names none.
        case invalidText(charset: String)
        /// The key path is malformed, does not lead to a value, or the document is malformed.
        case keyPath(JSONSliceError)
        /// The document's values are nested deeper than this many levels.
        case tooDeep(maximumDepth: Int)
    }

    /// The kind of the error, with its details.
    package let kind: Kind

    /// Creates an error of a kind.
    package init(_ kind: Kind) {
        self.kind = kind
    }
}

extension ResponseDecodingError: CustomStringConvertible, LocalizedError {
    /// The text of ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// A description of the cause, without any value of the body.
    public var description: String {
        switch kind {
        case .emptyBody: "the body is empty, but a value is expected"
        case .unsupportedType(let asked, let supported): "this decoder produces \(supported), not \(asked)"
        case .unknownCharset(let name): "the charset \"\(name.printable)\" is not known"
        case .invalidText(let charset): "the body is not text in \(charset)"
        case .keyPath(let error): error.description
        case .tooDeep(let depth): "the document is nested more than \(depth) levels deep"
        }
    }
}

/// A decoder that returns the bytes of the body unchanged. The only supported type is `Data`.
public struct RawDataResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns the bytes of the body.
    ///
    /// - Throws: ``ResponseDecodingError`` if `type` is not `Data`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        guard let data = body.data as? Value else {
            throw ResponseDecodingError(.unsupportedType(asked: "\(type)", supported: "Data"))
        }
        return data
    }
}

/// A decoder of text in the charset that the `Content-Type` names. The only supported type is `String`. Default charset: UTF-8.
///
/// Bytes that are invalid in the charset are an error; they are not replaced. An empty body is decoded to the empty string.
public struct TextResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns the text of the body.
    ///
    /// - Throws: ``ResponseDecodingError`` for an unknown charset, for bytes that are invalid in it, or if `type`
    ///   is not `String`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        let name = body.contentType.flatMap(TextCharset.parameter(in:)) ?? "utf-8"
        guard let charset = TextCharset(name: name) else { throw ResponseDecodingError(.unknownCharset(name)) }
        guard let text = charset.decode(body.data) else { throw ResponseDecodingError(.invalidText(charset: charset.name)) }
        guard let value = text as? Value else {
            throw ResponseDecodingError(.unsupportedType(asked: "\(type)", supported: "String"))
        }
        return value
    }
}

/// A decoder of binary and XML property lists. An empty body is an error unless the type is ``EmptyBodyRepresentable``.
///
/// Nesting is limited to 512 levels, as in JSON, and a binary property list to 10 million values, each counted as often as it
/// is referenced. The limits are checked before the document is passed to Foundation's parser, which has none.
public struct PropertyListResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Decodes a value from the property list.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body and for values that are nested too deeply, or a `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        do throws(PropertyListError) {
            try PropertyListCheck.check(body.data)
        } catch {
            throw error.asDecodingError
        }
        return try PropertyListDecoder().decode(type, from: body.data)
    }
}

/// A decoder that ignores the body. It supports ``NoContent``, optionals, and all other types that are ``EmptyBodyRepresentable``.
public struct EmptyResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns the type's value for an empty body, whatever the body contains.
    ///
    /// - Throws: ``ResponseDecodingError`` if `type` is not ``EmptyBodyRepresentable``.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        guard let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value else {
            throw ResponseDecodingError(.unsupportedType(asked: "\(type)", supported: "NoContent"))
        }
        return empty
    }
}

extension ResponseDecoder where Self == RawDataResponseDecoder {
    /// A decoder that returns the bytes of the body unchanged.
    public static var rawData: RawDataResponseDecoder { RawDataResponseDecoder() }
}

extension ResponseDecoder where Self == TextResponseDecoder {
    /// A decoder of text in the charset that the response names. Default charset: UTF-8.
    public static var text: TextResponseDecoder { TextResponseDecoder() }
}

extension ResponseDecoder where Self == PropertyListResponseDecoder {
    /// A decoder of binary and XML property lists.
    public static var propertyList: PropertyListResponseDecoder { PropertyListResponseDecoder() }
}

extension ResponseDecoder where Self == EmptyResponseDecoder {
    /// A decoder that ignores the body.
    public static var empty: EmptyResponseDecoder { EmptyResponseDecoder() }
}
