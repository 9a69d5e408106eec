import Foundation

/// The bytes as they came: makes `Data` and nothing else.
public struct RawDataResponseDecoder: ResponseDecoder {
    /// A decoder; it holds nothing.
    public init() {}

    /// The bytes as they came.
    ///
    /// - Throws: ``ResponseDecodingError/unsupportedType(asked:supported:)`` where `type` is not `Data`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        guard let data = body.data as? Value else {
            throw ResponseDecodingError.unsupportedType(asked: "\(type)", supported: "Data")
        }
        return data
    }
}

/// Text in the charset that the `Content-Type` names, UTF-8 where it names none: makes `String` and nothing else.
///
/// Bytes that are not text in that charset are an error; nothing is replaced by question marks. An empty body is the empty text.
public struct TextResponseDecoder: ResponseDecoder {
    /// A decoder; it holds nothing.
    public init() {}

    /// The text of the body.
    ///
    /// - Throws: ``ResponseDecodingError`` for an unknown charset, bytes that are not text in it, or a `type`
    ///   that is not `String`.
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

/// A property list, binary or XML. An empty body is an error unless the type is ``EmptyBodyRepresentable``.
///
/// Nesting ends at 512, as in JSON, and a binary one has at most 10 million values, each as often as it is referred to: before
/// Foundation's parser sees it, which has no such limits.
public struct PropertyListResponseDecoder: ResponseDecoder {
    /// A decoder; it holds nothing.
    public init() {}

    /// Decodes the property list.
    ///
    /// - Throws: ``ResponseDecodingError/emptyBody``, ``ResponseDecodingError/tooDeep(maximumDepth:)``, or a `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        do throws(PropertyListFlaw) {
            try PropertyListCheck.check(body.data)
        } catch {
            throw error.asDecodingError
        }
        return try PropertyListDecoder().decode(type, from: body.data)
    }
}

/// Ignores the body: makes ``Empty``, `nil`, and any other ``EmptyBodyRepresentable``.
public struct EmptyResponseDecoder: ResponseDecoder {
    /// A decoder; it holds nothing.
    public init() {}

    /// The value that stands for nothing, whatever came.
    ///
    /// - Throws: ``ResponseDecodingError/unsupportedType(asked:supported:)`` where `type` is not ``EmptyBodyRepresentable``.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        guard let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value else {
            throw ResponseDecodingError.unsupportedType(asked: "\(type)", supported: "Empty")
        }
        return empty
    }
}

extension ResponseDecoder where Self == RawDataResponseDecoder {
    /// The bytes as they came.
    public static var rawData: RawDataResponseDecoder { RawDataResponseDecoder() }
}

extension ResponseDecoder where Self == TextResponseDecoder {
    /// Text in the charset that the response names, UTF-8 where it names none.
    public static var text: TextResponseDecoder { TextResponseDecoder() }
}

extension ResponseDecoder where Self == PropertyListResponseDecoder {
    /// A property list, binary or XML.
    public static var propertyList: PropertyListResponseDecoder { PropertyListResponseDecoder() }
}

extension ResponseDecoder where Self == EmptyResponseDecoder {
    /// No value: the body is ignored.
    public static var empty: EmptyResponseDecoder { EmptyResponseDecoder() }
}
