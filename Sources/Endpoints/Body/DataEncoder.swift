import Foundation
import NetworkJSON

/// An encoder that turns an `Encodable` value into the bytes of a request body.
///
/// ``NetworkJSON/TransferJSONEncoder``, `JSONEncoder` and `PropertyListEncoder` conform to it.
public protocol DataEncoder: Sendable {
    /// Returns the encoded bytes of a value.
    ///
    /// With these encoders, a value that is nested more than 512 levels deep (511 with `JSONEncoder`), or too deeply for the stack of the thread, is an
    /// error: one that contains itself would overflow the stack. A custom encoder has to limit the depth itself.
    ///
    /// - Throws: Any error. The request is then not sent, and the error becomes ``RequestGenerationError/underlying`` of a
    ///   ``RequestGenerationError`` for the body.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension DataEncoder {
    /// Encodes a value. Foundation's encoders have the limits of ``NetworkJSON/TransferJSONEncoder``.
    ///
    /// - Throws: `EncodingError` for a value that is nested more than 512 levels deep (511 with `JSONEncoder`), or too deeply for the stack; otherwise the
    ///   encoder's error.
    package func encodeBounded<Value: Encodable>(_ value: Value) throws -> Data {
        switch self {
        case let encoder as JSONEncoder: try encoder.encodeWithinLimits(value)
        case let encoder as PropertyListEncoder: try encoder.encodeWithinLimits(value)
        default: try encode(value)
        }
    }
}

extension TransferJSONEncoder: DataEncoder {}
extension JSONEncoder: DataEncoder {}
extension PropertyListEncoder: DataEncoder {}

extension DataEncoder where Self == TransferJSONEncoder {
    /// A new JSON encoder with sorted keys and unescaped slashes, so that equal values produce equal bytes. All other settings are
    /// the defaults; dates are written as `2026-11-24T02:00:00Z` (RFC 3339 §5.6).
    public static var json: TransferJSONEncoder {
        let encoder = TransferJSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
