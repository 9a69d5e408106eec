import Foundation

/// A JSON document as a value, to compare two of them whatever the order of members and the spelling of numbers.
enum JSONValue: Decodable, Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// `nil` where it is not JSON.
    init?(_ data: Data) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Where a document first differs from this recorded one, in which `<redacted>` stands for anything; `nil` where it does not.
    ///
    /// - Parameter path: Of this value, for the answer.
    func difference(from value: JSONValue, at path: String = "") -> String? {
        if case .string(let text) = self {
            let pattern = RedactedPattern(text)
            if pattern.isWildcard { return nil }
            if case .string(let other) = value, pattern.matches(other) { return nil }
        }
        switch (self, value) {
        case (.array(let recorded), .array(let values)) where recorded.count == values.count:
            for (index, (recorded, value)) in zip(recorded, values).enumerated() {
                if let place = recorded.difference(from: value, at: "\(path)[\(index)]") { return place }
            }
            return nil
        case (.object(let recorded), .object(let values)):
            for name in Set(recorded.keys).union(values.keys).sorted() {
                let place = path.isEmpty ? name : "\(path).\(name)"
                guard let recorded = recorded[name], let value = values[name] else { return place }
                if let place = recorded.difference(from: value, at: place) { return place }
            }
            return nil
        default:
            return self == value ? nil : path.isEmpty ? "its top" : path
        }
    }
}
