import Foundation

/// A decoder of JSON bodies, or of the value at a key path in them, that uses `JSONDecoder`.
///
/// With a key path, the bytes of the value are located in one pass that also validates the whole document, and only they are
/// decoded. An empty body is an error unless the type is ``EmptyBodyRepresentable``.
public struct JSONResponseDecoder: ResponseDecoder {
    private let decoder: JSONDecoder
    private let keyPath: JSONKeyPath?

    /// Creates a decoder of the whole body, or of the value at a key path.
    ///
    /// - Parameters:
    ///   - decoder: The decoder to use. It must not be changed while it is in use. Default: one with Foundation's settings.
    ///   - keyPath: The path of the value; `nil` decodes the whole body. Default: `nil`.
    public init(decoder: JSONDecoder = JSONDecoder(), keyPath: JSONKeyPath? = nil) {
        self.decoder = decoder
        self.keyPath = keyPath
    }

    /// Decodes the body, or the value at the key path.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body, for a key path that is malformed or does not lead to a value, and,
    ///   with a key path, for a malformed document. Otherwise a `DecodingError`, whose coding path starts with the key path.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        guard let keyPath else { return try decoder.decode(type, from: body.data) }
        let found = try locate(keyPath, in: body.data)
        do {
            return try decoder.decode(type, from: found.data)
        } catch let error as DecodingError {
            throw error.prefixed(by: found.path)
        }
    }

    private func locate(
        _ keyPath: JSONKeyPath, in data: Data
    ) throws(ResponseDecodingError) -> (data: Data, path: JSONKeyPath) {
        do {
            return try JSONSlicer().locate(keyPath, in: data)
        } catch {
            throw .keyPath(error)
        }
    }
}

extension ResponseDecoder where Self == JSONResponseDecoder {
    /// A decoder of the whole body as JSON, with Foundation's settings.
    public static var json: JSONResponseDecoder { .standard }

    /// A decoder of the whole body as JSON that uses the given `JSONDecoder`.
    public static func json(_ decoder: JSONDecoder) -> JSONResponseDecoder { JSONResponseDecoder(decoder: decoder) }

    /// A decoder of the value at a key path: `data.items[0].name`, or the RFC 6901 pointer `/data/items/0/name`.
    public static func keyPath(_ keyPath: JSONKeyPath, decoder: JSONDecoder = JSONDecoder()) -> JSONResponseDecoder {
        JSONResponseDecoder(decoder: decoder, keyPath: keyPath)
    }
}

extension JSONResponseDecoder {
    fileprivate static let standard = JSONResponseDecoder()
}
