import Foundation
import NetworkLogging

/// A decoder that this package provides, other than ``JSONResponseDecoder``: `.rawData`, `.text`, `.propertyList`, `.empty`, and
/// `.envelope()` of `EndpointAPIs`.
public struct StandardResponseDecoder: ResponseDecoder {
    private let decoder: any ResponseDecoder

    /// Creates a decoder that does what another one does.
    package init(_ decoder: any ResponseDecoder) {
        self.decoder = decoder
    }

    /// Decodes a value of the given type from a response's body.
    ///
    /// - Throws: ``ResponseDecodingError`` if the body or the type is not one that the decoder supports, an `EnvelopeError`, or a
    ///   `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        try decoder.decode(type, from: body)
    }

    /// The media types that the decoder supports: JSON for `.envelope()`, `text/*` for `.text`, `application/x-plist`, `application/xml`
    /// and `text/xml` for `.propertyList`, and any for the others.
    public var acceptedMediaTypes: AcceptedMediaTypes { decoder.acceptedMediaTypes }
}

extension ResponseDecoder where Self == StandardResponseDecoder {
    /// A decoder that returns the bytes of the body unchanged. The only supported type is `Data`.
    public static var rawData: StandardResponseDecoder { StandardResponseDecoder(RawDataResponseDecoder()) }

    /// A decoder of text in the charset that the `Content-Type` names. The only supported type is `String`. Default charset: UTF-8.
    ///
    /// Charsets are named by the labels of the WHATWG Encoding Standard (§4.2), compared without case and punctuation, and decoded as there: `iso-8859-1` and
    /// `us-ascii` are windows-1252, `utf-16` is little-endian without a byte order mark, and the mark of UTF-8 is more precise than the label. UTF-32 is supported too.
    ///
    /// Bytes that are invalid in the charset are an error; they are not replaced. An empty body is decoded to the empty string.
    public static var text: StandardResponseDecoder { StandardResponseDecoder(TextResponseDecoder()) }

    /// A decoder of binary and XML property lists. An empty body is an error unless the type is ``EmptyBodyRepresentable``.
    ///
    /// Nesting is limited to 512 levels, as in JSON, on a thread with a small stack to fewer (4 KiB each), and a binary property list to 10 million values, each counted as often as it
    /// is referenced. The limits are checked before the document is passed to Foundation's parser, which has none.
    public static var propertyList: StandardResponseDecoder { StandardResponseDecoder(PropertyListResponseDecoder()) }

    /// A decoder that ignores the body. It supports ``NoContent``, optionals, and all other types that are ``EmptyBodyRepresentable``.
    public static var empty: StandardResponseDecoder { StandardResponseDecoder(EmptyResponseDecoder()) }
}

/// The decoder ``ResponseDecoder/rawData``.
package struct RawDataResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns the bytes of the body.
    ///
    /// - Throws: ``ResponseDecodingError`` if `type` is not `Data`.
    package func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        guard let data = body.data as? Value else {
            throw ResponseDecodingError(.unsupportedType(asked: "\(type)", supported: "Data"))
        }
        return data
    }
}

/// The decoder ``ResponseDecoder/text``.
package struct TextResponseDecoder: ResponseDecoder {
    package var acceptedMediaTypes: AcceptedMediaTypes { ["text/*"] }

    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns the text of the body.
    ///
    /// - Throws: ``ResponseDecodingError`` for an unknown charset, for bytes that are invalid in it, or if `type`
    ///   is not `String`.
    package func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        let name = body.contentType.flatMap(TextCharset.parameter(in:)) ?? "utf-8"
        guard let charset = TextCharset(name: name) else { throw ResponseDecodingError(.unknownCharset(name)) }
        guard let text = charset.decode(body.data) else { throw ResponseDecodingError(.invalidText(charset: charset.name)) }
        guard let value = text as? Value else {
            throw ResponseDecodingError(.unsupportedType(asked: "\(type)", supported: "String"))
        }
        return value
    }
}

/// The decoder ``ResponseDecoder/propertyList``.
package struct PropertyListResponseDecoder: ResponseDecoder {
    package var acceptedMediaTypes: AcceptedMediaTypes { ["application/x-plist", "application/xml", "text/xml"] }
    private let decoder: PropertyListDecoder?

    /// Creates a decoder that uses the given one. Default: `nil`, which is a new one for each body.
    package init(_ decoder: PropertyListDecoder? = nil) {
        self.decoder = decoder
    }

    /// Decodes a value from the property list.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body and for values that are nested too deeply, or a `DecodingError`.
    package func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        do throws(PropertyListError) {
            try PropertyListCheck.check(body.data)
        } catch {
            throw error.asDecodingError
        }
        return try (decoder ?? PropertyListDecoder()).decode(type, from: body.data)
    }
}

extension PropertyListDecoder: ResponseDecoder {
    /// Decodes the body as ``ResponseDecoder/propertyList`` does, with the settings of this decoder.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body and for values that are nested too deeply, or a `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        try PropertyListResponseDecoder(self).decode(type, from: body)
    }

    /// The media types of property lists: `application/x-plist`, `application/xml` and `text/xml`.
    public var acceptedMediaTypes: AcceptedMediaTypes { PropertyListResponseDecoder(self).acceptedMediaTypes }
}

/// The decoder ``ResponseDecoder/empty``.
package struct EmptyResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns the type's value for an empty body, whatever the body contains.
    ///
    /// - Throws: ``ResponseDecodingError`` if `type` is not ``EmptyBodyRepresentable``.
    package func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        guard let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value else {
            throw ResponseDecodingError(.unsupportedType(asked: "\(type)", supported: "NoContent"))
        }
        return empty
    }
}

extension StandardResponseDecoder: RedactedStringConvertible {}
