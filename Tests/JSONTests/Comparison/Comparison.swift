import Foundation
import NetworkJSON
import Testing

/// Decodes a document with Foundation and with this package, and expects equal values or equal errors: kind, type or key, coding path, description.
///
/// - Parameter configure: Sets the strategies of Foundation's decoder, which both decoders use.
func expectSame<T: Decodable & Equatable>(
    _ type: T.Type, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation, configure: (JSONDecoder) -> Void = { _ in }
) {
    let foundation = JSONDecoder()
    configure(foundation)
    let transfer = TransferJSONDecoder(foundation)
    let expected = Result { try foundation.decode(type, from: data) }.mapError(DescribedError.init)
    let found = Result { try transfer.decode(type, from: data) }.mapError(DescribedError.init)
    // By description for the sign of zero and for NaN; by `==` for dictionaries, which have no order.
    let isSame = found == expected || "\(found)" == "\(expected)"
    #expect(
        isSame, "\(found) instead of \(expected) for \(String(decoding: data, as: UTF8.self))", sourceLocation: sourceLocation)
}

func expectSame<T: Decodable & Equatable>(
    _ type: T.Type, _ text: String, sourceLocation: SourceLocation = #_sourceLocation, configure: (JSONDecoder) -> Void = { _ in }
) {
    expectSame(type, Data(text.utf8), sourceLocation: sourceLocation, configure: configure)
}

/// Encodes a value with Foundation and with this package, and expects the same bytes or equal errors. Keys are sorted.
func expectSameText<T: Encodable>(
    _ value: T, _ format: JSONEncoder.OutputFormatting = [], sourceLocation: SourceLocation = #_sourceLocation,
    configure: (JSONEncoder) -> Void = { _ in }
) {
    let foundation = JSONEncoder()
    foundation.outputFormatting = format.union(.sortedKeys)
    configure(foundation)
    let transfer = TransferJSONEncoder(foundation)
    let expected = Result { String(decoding: try foundation.encode(value), as: UTF8.self) }.mapError(DescribedError.init)
    let found = Result { String(decoding: try transfer.encode(value), as: UTF8.self) }.mapError(DescribedError.init)
    #expect(found == expected, sourceLocation: sourceLocation)
}

/// A coding error as text, without its underlying error.
struct DescribedError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        func text(_ path: [any CodingKey], _ debugDescription: String) -> String {
            let path = path.map { "\($0.stringValue)(\($0.intValue.map(String.init) ?? "-"))" }.joined(separator: ".")
            #if canImport(Darwin)
                // The descriptions depend on the version of the system.
                return "[\(path)]"
            #else
                return "[\(path)] \(debugDescription)"
            #endif
        }
        switch error {
        case DecodingError.typeMismatch(let type, let context):
            description = "typeMismatch \(type) \(text(context.codingPath, context.debugDescription))"
        case DecodingError.valueNotFound(let type, let context):
            description = "valueNotFound \(type) \(text(context.codingPath, context.debugDescription))"
        case DecodingError.keyNotFound(let key, let context):
            description = "keyNotFound \(type(of: key)) \(key.stringValue) \(text(context.codingPath, context.debugDescription))"
        case DecodingError.dataCorrupted(let context):
            description = "dataCorrupted \(text(context.codingPath, context.debugDescription))"
        case EncodingError.invalidValue(let value, let context):
            description = "invalidValue \(type(of: value)) \(text(context.codingPath, context.debugDescription))"
        default:
            description = "\(error)"
        }
    }
}
