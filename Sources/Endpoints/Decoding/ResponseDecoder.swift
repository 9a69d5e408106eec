import Foundation
import NetworkLogging
import NetworkSupport

/// A decoder that creates a value from the body of a response.
public protocol ResponseDecoder: Sendable {
    /// Decodes a value of the given type from a response's body.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError` or a custom error, which callers receive as the cause of the
    ///   parsing failure.
    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value

    /// The media types that the decoder supports. Used only for endpoints whose ``RequestDescription/acceptedMediaTypes`` is
    /// ``AcceptedMediaTypes/ofDecoder``. Default: ``AcceptedMediaTypes/any``.
    var acceptedMediaTypes: AcceptedMediaTypes { get }
}

extension ResponseDecoder {
    /// Any media type.
    public var acceptedMediaTypes: AcceptedMediaTypes { .any }
}

/// The body of a response, with its content type, as passed to a ``ResponseDecoder``.
public struct ResponseData: Sendable {
    /// The bytes after content decoding, such as gzip.
    public var data: Data {
        get { text.data }
        set { text = PaddedBytes(newValue) }
    }
    /// The value of the `Content-Type` header with its parameters; `nil` if there was none.
    public var contentType: String?
    /// The same bytes for ``TransferJSONDecoder``: with padding if they were received with it.
    private(set) var text: PaddedBytes
    /// The JSON decoder of the service, for endpoints without one; `nil` for the default.
    package var decoder: (any JSONDataDecoder)?

    /// Creates a body from its bytes and the value of its `Content-Type` header.
    public init(_ data: Data, contentType: String? = nil) {
        text = PaddedBytes(data)
        self.contentType = contentType
    }

    /// Creates a body from that of a response; without bytes if it is not in memory.
    ///
    /// - Parameter decoder: The JSON decoder of the service. Default: `nil`, which uses the default one.
    package init(_ body: NetworkBody, contentType: String?, decoder: (any JSONDataDecoder)? = nil) {
        if case .data(let text) = body.source { self.text = text } else { text = PaddedBytes(Data()) }
        self.contentType = contentType
        self.decoder = decoder
    }
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
    var isEmpty: Bool { text.count == 0 }

    /// Returns the JSON decoder for this body: that of the endpoint if it has one, otherwise that of the service or the default.
    package func decoder(of own: (any JSONDataDecoder)?) -> any JSONDataDecoder {
        own ?? decoder ?? JSONResponseDecoder.defaultDecoder
    }

    /// Returns the type's value for an empty body if the body is empty.
    ///
    /// - Returns: `nil` if the body is not empty.
    /// - Throws: ``ResponseDecodingError`` if the body is empty and the type is not ``EmptyBodyRepresentable``.
    package func emptyValue<Value>(_ type: Value.Type) throws(ResponseDecodingError) -> Value? {
        guard isEmpty else { return nil }
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
/// charset, is nested too deeply, has a media type that the endpoint does not accept, has no value at the key path, or the decoder does not support the requested type.
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
        /// The response has a media type that the endpoint does not accept.
        case mediaType(String, accepted: AcceptedMediaTypes)
    }

    /// The kind of the error, with its details.
    package let kind: Kind

    /// Creates an error of a kind.
    package init(_ kind: Kind) {
        self.kind = kind
    }
}

extension ResponseDecodingError: RedactedStringConvertible, LocalizedError {
    /// A description of the cause, without any value of the body.
    public var description: String {
        switch kind {
        case .emptyBody: "the body is empty, but a value is expected"
        case .unsupportedType(let asked, let supported): "this decoder produces \(supported.printable), not \(asked.printable)"
        case .unknownCharset(let name): "the charset \"\(name.printable)\" is not known"
        case .invalidText(let charset): "the body is not text in \(charset.printable)"
        case .keyPath(let error): error.description
        case .tooDeep(let depth): "the document is nested more than \(depth) levels deep"
        case .mediaType(let received, let accepted):
            "the media type \(received.isEmpty ? "is malformed" : "is \(received.printable)"), but the endpoint accepts only \(accepted)"
        }
    }
}
