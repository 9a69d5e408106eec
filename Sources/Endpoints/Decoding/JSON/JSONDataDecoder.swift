import Foundation

/// A decoder of values from JSON: ``TransferJSONDecoder``, which is the default everywhere, Foundation's `JSONDecoder`, or another.
///
/// ```swift
/// let movies = Endpoint<[Movie]>(path: "movies", responseDecoder: .json(JSONDecoder()))
/// ```
///
/// A decoder that is a class must not be changed while it is in use. ``TransferJSONDecoder`` decodes the value at a key path and the
/// elements of a stream in place. For other decoders, the bytes of the value are found and copied first.
public protocol JSONDataDecoder: Sendable {
    /// Decodes a value from a complete JSON document.
    ///
    /// It is called by the task or on the thread that reads the response, several times at once for concurrent responses.
    ///
    /// - Throws: Any error, usually a `DecodingError`, for which errors state the coding path.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension TransferJSONDecoder: JSONDataDecoder {}
extension JSONDecoder: JSONDataDecoder {}

extension JSONDataDecoder {
    /// The decoder itself if it can decode values in place; `nil` for other decoders, and for options that Foundation implements.
    var inPlace: TransferJSONDecoder? {
        guard let decoder = self as? TransferJSONDecoder, !decoder.needsFoundation else { return nil }
        return decoder
    }

    /// Decodes the value at a key path.
    ///
    /// - Throws: ``JSONSliceError`` for a malformed path or document and for a path without a value. Otherwise the decoder's error; the
    ///   coding path of a `DecodingError` starts with the key path.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data, under keyPath: JSONKeyPath) throws -> Value {
        guard let decoder = inPlace else {
            let found = try JSONSlicer().locate(keyPath, in: data)
            do {
                return try decode(type, from: found.data)
            } catch let error as DecodingError {
                throw error.prefixed(by: found.path)
            }
        }
        try keyPath.validated()
        do {
            return try decoder.decode(type, from: data, under: keyPath)
        } catch let failure as JSONPathFailure {
            throw JSONSliceError(failure, path: keyPath)
        }
    }
}
