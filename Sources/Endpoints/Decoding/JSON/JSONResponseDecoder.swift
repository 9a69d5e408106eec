import Foundation

/// A decoder of JSON bodies, or of the value at a key path in them.
///
/// The whole document is validated, and with a key path only the value there is decoded. An empty body is an error unless the type is
/// ``EmptyBodyRepresentable``.
public struct JSONResponseDecoder: ResponseDecoder {
    private let decoder: any JSONDataDecoder
    private let keyPath: JSONKeyPath?

    /// Creates a decoder of the whole body, or of the value at a key path.
    ///
    /// - Parameters:
    ///   - decoder: The decoder to use. Default: one with the default strategies, which are Foundation's.
    ///   - keyPath: The path of the value; `nil` decodes the whole body. Default: `nil`.
    package init(decoder: any JSONDataDecoder = TransferJSONDecoder(), keyPath: JSONKeyPath? = nil) {
        self.decoder = decoder
        self.keyPath = keyPath
    }

    /// Decodes the body, or the value at the key path.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body, for a key path that is malformed or does not lead to a value, and,
    ///   with a key path, for a malformed document. Otherwise a `DecodingError`, whose coding path starts with the key path.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        guard let keyPath else { return try decoder.decode(type, from: body) }
        do {
            return try decoder.decode(type, from: body, under: keyPath)
        } catch let error as JSONSliceError {
            throw ResponseDecodingError(.keyPath(error))
        }
    }
}

extension ResponseDecoder where Self == JSONResponseDecoder {
    /// A decoder of the whole body as JSON, with the default strategies of ``TransferJSONDecoder``.
    public static var json: JSONResponseDecoder { .standard }

    /// A decoder of the whole body as JSON that uses the given decoder.
    public static func json(_ decoder: any JSONDataDecoder) -> JSONResponseDecoder { JSONResponseDecoder(decoder: decoder) }

    /// A decoder of the value at a key path: `data.items[0].name`, or the RFC 6901 pointer `/data/items/0/name`.
    public static func keyPath(
        _ keyPath: JSONKeyPath, decoder: any JSONDataDecoder = TransferJSONDecoder()
    ) -> JSONResponseDecoder {
        JSONResponseDecoder(decoder: decoder, keyPath: keyPath)
    }
}

extension JSONResponseDecoder {
    fileprivate static let standard = JSONResponseDecoder()
}
