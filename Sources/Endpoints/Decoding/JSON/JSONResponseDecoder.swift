import Foundation
import NetworkLogging

/// A decoder of values from JSON: ``NetworkJSON/TransferJSONDecoder``, which is the default everywhere, Foundation's `JSONDecoder`, or another.
///
/// ```swift
/// let movies = Endpoint<[Movie]>(path: "movies", responseDecoder: JSONDecoder())
/// ```
///
/// A decoder that is a class must not be changed while it is in use. ``NetworkJSON/TransferJSONDecoder`` decodes the value at a key path and the
/// elements of a stream in place. For other decoders, the bytes of the value are found and copied first.
///
/// After a `DecodingError` of a `JSONDecoder`, the value is decoded a second time, by a ``NetworkJSON/TransferJSONDecoder`` with the same strategies: errors state the byte, the keys
/// that are there, and the format of a date, whichever decoder is used.
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
    /// The decoder itself if it can decode values in place; `nil` for other decoders. A `JSONDecoder` that accepts JSON5 is replaced by one of this package with
    /// its strategies: Foundation's scanner of JSON5 stops the process at some texts.
    package var inPlace: TransferJSONDecoder? {
        if let decoder = self as? TransferJSONDecoder { return decoder }
        guard let decoder = self as? JSONDecoder, Swift.type(of: decoder) == JSONDecoder.self, decoder.allowsJSON5 else {
            return nil
        }
        return TransferJSONDecoder(decoder)
    }

    /// Decodes the document, in place where that is possible.
    func decodeDocument<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        guard let decoder = inPlace else { return try decodeWithDetails(type, from: body.data) }
        return try decoder.decode(type, from: body.text)
    }

    /// Decodes a document, with the details of ``TransferJSONDecoder`` in a `DecodingError`.
    func decodeWithDetails<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        do {
            return try decode(type, from: data)
        } catch let error as DecodingError {
            throw detailed(error, in: data) { _ = try $0.decode(type, from: data) }
        }
    }

    /// Returns an error with the details that ``TransferJSONDecoder`` has for it.
    ///
    /// - Parameters:
    ///   - prefix: The path of the bytes that were decoded in the document.
    ///   - decode: Decodes the same value with another decoder.
    private func detailed(
        _ error: DecodingError, in data: Data, under prefix: JSONKeyPath? = nil, _ decode: (TransferJSONDecoder) throws -> Void
    ) -> DecodingError {
        var isOfDocument = false
        if case .dataCorrupted(let context) = error { isOfDocument = context.codingPath.isEmpty }
        let error = prefix.map(error.prefixed) ?? error
        guard error.details == nil else { return error }
        do {
            if let decoder = self as? JSONDecoder {
                try decode(TransferJSONDecoder(decoder))
            } else if isOfDocument {
                // The strategies of the decoder are not known.
                _ = try TransferJSONDecoder().decode(NoContent.self, from: data)
            }
        } catch let other as DecodingError {
            guard let details = other.details else { return error }
            if details.problem != nil { return isOfDocument ? error.replacing(details: details) : error }
            if other.isSame(as: error) { return error.replacing(details: details) }
            // A number that does not fit, for which Foundation's error has neither a place nor a reason.
            if isOfDocument, case .dataCorrupted = other { return other }
        } catch {}
        return error
    }

    /// Decodes the value at a key path.
    ///
    /// - Throws: ``JSONSliceError`` for a malformed path or document and for a path without a value. Otherwise the decoder's error; the
    ///   coding path of a `DecodingError` starts with the key path.
    package func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData, under keyPath: JSONKeyPath) throws -> Value
    {
        guard let decoder = inPlace else {
            let found = try JSONSlicer().locate(keyPath, in: body.data)
            do {
                return try decode(type, from: found.data)
            } catch let error as DecodingError {
                // Bytes and lines are counted from the beginning of the document.
                throw detailed(error, in: body.data, under: found.path) { decoder in
                    _ = try decoder.scan(body, for: keyPath) { try $0.decode(type, at: keyPath) }
                }
            }
        }
        return try decoder.scan(body, for: keyPath) { try $0.decode(type, at: keyPath) }
    }
}

extension DecodingError {
    /// Whether another error has the same kind, path and key.
    fileprivate func isSame(as other: DecodingError) -> Bool {
        switch (self, other) {
        case (.keyNotFound(let key, _), .keyNotFound(let otherKey, _)):
            guard key.stringValue == otherKey.stringValue else { return false }
        case (.typeMismatch, .typeMismatch), (.valueNotFound, .valueNotFound), (.dataCorrupted, .dataCorrupted): break
        default: return false
        }
        return context?.codingPath.map(\.stringValue) == other.context?.codingPath.map(\.stringValue)
    }
}

extension TransferJSONDecoder {
    /// Scans a body once, and calls a closure that decodes values in it.
    ///
    /// - Parameter path: The path of the first of these values, for errors.
    /// - Throws: ``JSONSliceError`` for a malformed path or document, or the error of `read`.
    package func scan<Value>(
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
    package func decode<Value: Decodable>(_ type: Value.Type, at path: JSONKeyPath) throws -> Value {
        try path.validated()
        do {
            return try decode(type, under: path)
        } catch let failure as JSONPathFailure {
            throw JSONSliceError(failure, path: path)
        }
    }
}

/// A decoder of JSON bodies, or of the value at a key path in them.
///
/// The whole document is validated, and with a key path only the value there is decoded. An empty body is an error unless the type is
/// ``EmptyBodyRepresentable``.
public struct JSONResponseDecoder: ResponseDecoder {
    private let decoder: (any JSONDataDecoder)?
    private let keyPath: JSONKeyPath?

    /// Creates a decoder of the whole body, or of the value at a key path.
    ///
    /// - Parameters:
    ///   - decoder: The decoder to use. Default: `nil`, which uses that of the service.
    ///   - keyPath: The path of the value; `nil` decodes the whole body. Default: `nil`.
    package init(decoder: (any JSONDataDecoder)? = nil, keyPath: JSONKeyPath? = nil) {
        self.decoder = decoder
        self.keyPath = keyPath
    }

    /// JSON: `application/json`, and types that end with `+json` (RFC 6839 §3.1).
    public var acceptedMediaTypes: AcceptedMediaTypes { .json }

    /// Decodes the body, or the value at the key path.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body, for a key path that is malformed or does not lead to a value, and,
    ///   with a key path, for a malformed document. Otherwise a `DecodingError`, whose coding path starts with the key path.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        if body.isEmpty, let empty = try body.emptyValue(type) { return empty }
        let decoder = body.decoder(of: decoder)
        guard let keyPath else { return try decoder.decodeDocument(type, from: body) }
        do {
            return try decoder.decode(type, from: body, under: keyPath)
        } catch let error as JSONSliceError {
            throw ResponseDecodingError(.keyPath(error))
        }
    }
}

extension ResponseDecoder where Self == JSONResponseDecoder {
    /// A decoder of the whole body as JSON that uses the decoder of the service, by default a ``NetworkJSON/TransferJSONDecoder``.
    public static var json: JSONResponseDecoder { .standard }

    /// A decoder of the whole body as JSON that uses the given decoder.
    public static func json(_ decoder: any JSONDataDecoder) -> JSONResponseDecoder { JSONResponseDecoder(decoder: decoder) }

    /// A decoder of the value at a key path: `data.items[0].name`, or the RFC 6901 pointer `/data/items/0/name`.
    ///
    /// - Parameters:
    ///   - keyPath: The place of the value.
    ///   - decoder: The decoder to use. Default: `nil`, which uses that of the service.
    public static func keyPath(
        _ keyPath: JSONKeyPath, decoder: (any JSONDataDecoder)? = nil
    ) -> JSONResponseDecoder {
        JSONResponseDecoder(decoder: decoder, keyPath: keyPath)
    }
}

// A decoder of JSON can be passed as the decoder of a response: `responseDecoder: JSONDecoder()` is the same as `responseDecoder: .json(JSONDecoder())`.
extension ResponseDecoder where Self: JSONDataDecoder {
    /// Decodes the body as JSON, as ``ResponseDecoder/json(_:)`` does.
    ///
    /// - Throws: ``ResponseDecodingError`` for an empty body, otherwise a `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        try JSONResponseDecoder(decoder: self).decode(type, from: body)
    }

    /// JSON: `application/json`, and types that end with `+json`.
    public var acceptedMediaTypes: AcceptedMediaTypes { .json }
}

extension JSONDecoder: ResponseDecoder {}
extension TransferJSONDecoder: ResponseDecoder {}

extension JSONResponseDecoder {
    fileprivate static let standard = JSONResponseDecoder()
    /// The decoder for endpoints and services that have none. Its strategies are never changed.
    static let defaultDecoder = TransferJSONDecoder()
}

extension JSONResponseDecoder: RedactedStringConvertible {}
