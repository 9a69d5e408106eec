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

    /// Decodes the document, in place where that is possible.
    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        guard let decoder = inPlace else { return try decode(type, from: body.data) }
        return try decoder.decode(type, from: body.text)
    }

    /// Decodes the value at a key path.
    ///
    /// - Throws: ``JSONSliceError`` for a malformed path or document and for a path without a value. Otherwise the decoder's error; the
    ///   coding path of a `DecodingError` starts with the key path.
    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData, under keyPath: JSONKeyPath) throws -> Value {
        guard let decoder = inPlace else {
            let found = try JSONSlicer().locate(keyPath, in: body.data)
            do {
                return try decode(type, from: found.data)
            } catch let error as DecodingError {
                throw error.prefixed(by: found.path)
            }
        }
        return try decoder.scan(body, for: keyPath) { try $0.decode(type, at: keyPath) }
    }
}

extension TransferJSONDecoder {
    /// Scans a body once, and calls a closure that decodes values in it.
    ///
    /// - Parameter path: The path of the first of these values, for errors.
    /// - Throws: ``JSONSliceError`` for a malformed path or document, or the error of `read`.
    func scan<Value>(
        _ body: ResponseData, for path: JSONKeyPath, _ read: (ScannedDocument) throws -> Value
    ) throws -> Value {
        try path.validated()
        do {
            return try scan(body.text, read)
        } catch let failure as JSONPathFailure {
            throw JSONSliceError(failure, path: path)
        }
    }
}

extension ScannedDocument {
    /// Decodes the value at a path.
    ///
    /// - Throws: ``JSONSliceError`` for a malformed path and for a path without a value. Otherwise the decoder's error; the coding path of
    ///   a `DecodingError` starts with the path.
    func decode<Value: Decodable>(_ type: Value.Type, at path: JSONKeyPath) throws -> Value {
        try path.validated()
        do {
            return try decode(type, under: path)
        } catch let failure as JSONPathFailure {
            throw JSONSliceError(failure, path: path)
        }
    }
}
