import Foundation
import NetworkJSON

extension ParameterList {
    /// Creates parameters from a dictionary of values whose types are not known, such as one that `JSONSerialization` has read.
    ///
    /// ```swift
    /// let movie: [String: Any] = ["title": "Seven", "details": ["tags": tags]]
    /// let body = EndpointBody.json(ParameterList(jsonObject: movie))
    /// ```
    ///
    /// Values are texts, numbers, Booleans, `NSNull`, `nil`, dates, URLs, UUIDs, `Data`, and arrays and dictionaries of them, within each other at most
    /// 512 levels deep. Any other value, such as `NaN`, is an error when the request is built, which contains its place: `details.tags.0`. Like those of every
    /// dictionary, the items are sorted by key.
    ///
    /// Prefer `Encodable` values, which the compiler checks.
    public init(jsonObject: [String: Any]) {
        var nesting = JSONObjectNesting()
        storage = .value(jsonObject.mapValues { JSONObjectValue($0, depth: 1, &nesting) })
    }

    /// Creates parameters from a dictionary of values of several types, sorted by key. In JSON, `nil` is written as `null`.
    ///
    /// ```swift
    /// var filter: [String: any Encodable & Sendable] = ["page": 1]
    /// filter["genre"] = genre
    /// let query = ParameterList(filter)
    /// ```
    public init(_ dictionary: [String: (any Encodable & Sendable)?]) {
        storage = .value(dictionary.mapValues { $0.map(JSONObjectValue.value) ?? .null })
    }

    /// Unavailable: values of the type `Any` are not known to be `Encodable`.
    @available(*, unavailable, message: "write `ParameterList(…)`, or with values of `Any` `ParameterList(jsonObject: …)`")
    @_disfavoredOverload
    public init(_ jsonObject: [String: Any]) { self.init(jsonObject: jsonObject) }
}

/// A value of a dictionary whose values have several types.
private indirect enum JSONObjectValue: Encodable, Sendable {
    case null
    case value(any Encodable & Sendable)
    case array([JSONObjectValue])
    case object([String: JSONObjectValue])
    /// A value that cannot be encoded, with the reason.
    case refused(type: String, reason: String)

    init(_ value: Any, depth: Int, _ nesting: inout JSONObjectNesting) {
        let type = Swift.type(of: value)
        if let scalar = Self.scalar(value) {
            self = .value(scalar)
        } else if value is NSNull || (value as? any JSONObjectOptional)?.isNil == true {
            self = .null
        } else if let error = nesting.error(at: depth) {
            self = .refused(type: "\(type)", reason: "The value \(error.text).")
        } else if let elements = value as? [Any] {
            self = .array(elements.map { JSONObjectValue($0, depth: depth + 1, &nesting) })
        } else if let members = value as? [String: Any] {
            self = .object(members.mapValues { JSONObjectValue($0, depth: depth + 1, &nesting) })
        } else {
            self = .refused(type: "\(type)", reason: "A value of the type \(type) is not one of JSON.")
        }
    }

    /// A value without structure, which may be an object of Foundation; `nil` for any other.
    private static func scalar(_ value: Any) -> (any Encodable & Sendable)? {
        // First, because such a number could also be cast to `Bool`.
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber { return self.value(of: number) }
        return switch value {
        case let number as any JSONObjectNumber: number
        case let text as String: text
        case let date as Date: date
        case let data as Data: data
        case let url as URL: url
        case let identifier as UUID: identifier
        default: nil
        }
    }

    private static func value(of number: NSNumber) -> any Encodable & Sendable {
        if let decimal = number as? NSDecimalNumber { return decimal.decimalValue }
        return switch String(cString: number.objCType) {
        case "c", "B": number.boolValue
        case "d", "f": number.doubleValue
        case "Q": number.uint64Value
        default: number.int64Value
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .value(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        case .refused(let type, let reason): throw EncodingError.refusal(type, encoder.codingPath, reason)
        }
    }
}

/// The limit of nesting for a conversion. After the first value that is too deep, arrays and dictionaries are converted no further: many copies of a deep
/// value would take exponential time.
private struct JSONObjectNesting {
    private var bounds = StackBounds()
    private var failure: NestingError?

    mutating func error(at depth: Int) -> NestingError? {
        if failure == nil {
            failure = depth >= NestingLimit.maximumDepth ? .depth : bounds.hasRoom() ? nil : .stack
        }
        return failure
    }
}

/// A number or a Boolean.
private protocol JSONObjectNumber: Encodable, Sendable {}
extension Bool: JSONObjectNumber {}
extension Int: JSONObjectNumber {}
extension Int8: JSONObjectNumber {}
extension Int16: JSONObjectNumber {}
extension Int32: JSONObjectNumber {}
extension Int64: JSONObjectNumber {}
extension UInt: JSONObjectNumber {}
extension UInt8: JSONObjectNumber {}
extension UInt16: JSONObjectNumber {}
extension UInt32: JSONObjectNumber {}
extension UInt64: JSONObjectNumber {}
extension Double: JSONObjectNumber {}
extension Float: JSONObjectNumber {}
extension Decimal: JSONObjectNumber {}

/// An `Optional` of any type.
private protocol JSONObjectOptional {
    var isNil: Bool { get }
}

extension Optional: JSONObjectOptional {
    fileprivate var isNil: Bool { self == nil }
}
