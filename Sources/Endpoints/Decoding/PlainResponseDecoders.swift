import Foundation

/// The bytes as they came: makes `Data` and nothing else.
public struct RawDataResponseDecoder: ResponseDecoder {
    public init() {}

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
    public init() {}

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
public struct PropertyListResponseDecoder: ResponseDecoder {
    public init() {}

    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        return try PropertyListDecoder().decode(type, from: body.data)
    }
}

/// Ignores the body: makes ``Empty``, `nil`, and any other ``EmptyBodyRepresentable``.
public struct EmptyResponseDecoder: ResponseDecoder {
    public init() {}

    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        guard let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value else {
            throw ResponseDecodingError.unsupportedType(asked: "\(type)", supported: "Empty")
        }
        return empty
    }
}

extension ResponseDecoder where Self == RawDataResponseDecoder {
    public static var rawData: RawDataResponseDecoder { RawDataResponseDecoder() }
}

extension ResponseDecoder where Self == TextResponseDecoder {
    public static var text: TextResponseDecoder { TextResponseDecoder() }
}

extension ResponseDecoder where Self == PropertyListResponseDecoder {
    public static var propertyList: PropertyListResponseDecoder { PropertyListResponseDecoder() }
}

extension ResponseDecoder where Self == EmptyResponseDecoder {
    public static var empty: EmptyResponseDecoder { EmptyResponseDecoder() }
}
