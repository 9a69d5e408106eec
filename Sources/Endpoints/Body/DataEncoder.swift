import Foundation

/// Turns a value into the bytes of a body.
///
/// `JSONEncoder` and `PropertyListEncoder` are data encoders as they are.
public protocol DataEncoder: Sendable {
    /// A value that Foundation's encoders get is nested at most 256 levels deep; more is an error, as a value that contains itself would
    /// overflow the stack. An encoder of yours sees to that itself.
    ///
    /// - Throws: Anything; the request is then not sent, and the error rides in a ``RequestGenerationError`` for the body.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension DataEncoder {
    /// Encodes a value after a look at how deep it is nested, where the encoder is Foundation's: these would overflow the stack.
    ///
    /// - Throws: ``RequestGenerationError`` for the body where that is more than 256 levels; else what the encoder throws.
    package func encodeBounded(_ value: some Encodable) throws -> Data {
        switch self {
        case let encoder as JSONEncoder: try NestingCheck.check(value, userInfo: encoder.userInfo)
        case let encoder as PropertyListEncoder: try NestingCheck.check(value, userInfo: encoder.userInfo)
        default: break
        }
        return try encode(value)
    }
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
