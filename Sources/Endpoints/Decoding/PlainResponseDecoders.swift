import Foundation

/// A decoder that returns the bytes of the body unchanged. The only supported type is `Data`.
public struct RawDataResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    public init() {}

    /// Returns the bytes of the body.
    ///
    /// - Throws: ``ResponseDecodingError/unsupportedType(asked:supported:)`` if `type` is not `Data`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        guard let data = body.data as? Value else {
            throw ResponseDecodingError.unsupportedType(asked: "\(type)", supported: "Data")
        }
        return data
    }
}

/// A decoder of text in the charset that the `Content-Type` names. The only supported type is `String`. Default charset: UTF-8.
///
/// Bytes that are invalid in the charset are an error; they are not replaced. An empty body is decoded to the empty string.
public struct TextResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    public init() {}

    /// Returns the text of the body.
    ///
    /// - Throws: ``ResponseDecodingError`` for an unknown charset, for bytes that are invalid in it, or if `type`
    ///   is not `String`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        let name = body.contentType.flatMap(TextCharset.parameter(in:)) ?? "utf-8"
        guard let charset = TextCharset(name: name) else { throw ResponseDecodingError.unknownCharset(name) }
        guard let text = charset.decode(body.data) else { throw ResponseDecodingError.invalidText(charset: charset.name) }
        guard let value = text as? Value else {
            throw ResponseDecodingError.unsupportedType(asked: "\(type)", supported: "String")
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
    public init() {}

    /// Decodes a value from the property list.
    ///
    /// - Throws: ``ResponseDecodingError/emptyBody``, ``ResponseDecodingError/tooDeep(maximumDepth:)``, or a `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        do throws(PropertyListError) {
            try PropertyListCheck.check(body.data)
        } catch {
            throw error.asDecodingError
        }
        return try PropertyListDecoder().decode(type, from: body.data)
    }
}

/// A decoder that ignores the body. It supports ``Empty``, optionals, and all other types that are ``EmptyBodyRepresentable``.
public struct EmptyResponseDecoder: ResponseDecoder {
    /// Creates a decoder, which has no state.
    public init() {}

    /// Returns the type's value for an empty body, whatever the body contains.
    ///
    /// - Throws: ``ResponseDecodingError/unsupportedType(asked:supported:)`` if `type` is not ``EmptyBodyRepresentable``.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        guard let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value else {
            throw ResponseDecodingError.unsupportedType(asked: "\(type)", supported: "Empty")
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
