import Foundation

/// Turns a value into the bytes of a body.
///
/// `JSONEncoder` and `PropertyListEncoder` are data encoders as they are.
public protocol DataEncoder: Sendable {
    /// - Throws: Anything; the request is then not sent, and the error rides in a ``RequestGenerationError`` for the body.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: DataEncoder {}
extension PropertyListEncoder: DataEncoder {}

extension DataEncoder where Self == JSONEncoder {
    /// JSON with sorted keys, slashes as they are, and else Foundation's defaults, so that equal values give equal bytes.
    public static var json: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
