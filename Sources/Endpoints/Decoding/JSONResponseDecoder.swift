import Foundation

/// Decodes a JSON body, or the value at a key path of it, with `JSONDecoder`.
///
/// With a key path, the bytes of that value are found in one pass that also checks the whole document, and only they are
/// decoded. An empty body is an error unless the type is ``EmptyBodyRepresentable``.
public struct JSONResponseDecoder: ResponseDecoder {
    private let decoder: JSONDecoder
    private let keyPath: JSONKeyPath?

    /// - Parameter decoder: Foundation's defaults unless given. Don't change it once it is in use.
    public init(decoder: JSONDecoder = JSONDecoder(), keyPath: JSONKeyPath? = nil) {
        self.decoder = decoder
        self.keyPath = keyPath
    }

    /// Decodes the body, or what stands at the key path.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body, or for a key path that is malformed or leads nowhere; else a
    ///   `DecodingError`, its coding path with the key path in front.
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
    /// The whole body as JSON.
    public static var json: JSONResponseDecoder { .standard }

    /// The whole body as JSON, through a decoder of yours.
    public static func json(_ decoder: JSONDecoder) -> JSONResponseDecoder { JSONResponseDecoder(decoder: decoder) }

    /// The value at a key path: `data.items[0].name`, or the RFC 6901 pointer `/data/items/0/name`.
    public static func keyPath(_ keyPath: JSONKeyPath, decoder: JSONDecoder = JSONDecoder()) -> JSONResponseDecoder {
        JSONResponseDecoder(decoder: decoder, keyPath: keyPath)
    }
}

extension JSONResponseDecoder {
    fileprivate static let standard = JSONResponseDecoder()
}
