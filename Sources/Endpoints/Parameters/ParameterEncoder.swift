import Foundation

/// Encodes any `Encodable` to a tree of text, for queries and forms.
///
/// Depth is limited to 64 levels, so that a value that contains itself is an error rather than a crash.
final class ParameterEncoder: Encoder {
    static let maximumDepth = 64

    let style: QueryStyle
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let box: ParameterBox

    init(style: QueryStyle, codingPath: [any CodingKey], box: ParameterBox) {
        self.style = style
        self.codingPath = codingPath
        self.box = box
    }

    /// The tree of one named value.
    static func node(
        of value: any Encodable, named name: String, style: QueryStyle
    ) throws(RequestGenerationError) -> ParameterNode {
        if let text = plainText(of: value, style: style) { return .text(text) }
        do {
            let box = ParameterBox()
            try ParameterEncoder(style: style, codingPath: name.isEmpty ? [] : [ParameterKey(name)], box: box).encode(value)
            return box.node
        } catch {
            var field = name
            if case EncodingError.invalidValue(_, let context) = error {
                field = context.codingPath.map(\.stringValue).joined(separator: ".")
                throw RequestGenerationError(.query(field), context.debugDescription, underlying: error)
            }
            throw RequestGenerationError(.query(field), "it cannot be encoded: \(type(of: error))", underlying: error)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        box.becomeObject()
        return KeyedEncodingContainer(KeyedParameterContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        box.becomeArray()
        return UnkeyedParameterContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleParameterContainer(encoder: self)
    }

    /// Encodes a whole value into this encoder's box.
    func encode(_ value: some Encodable) throws {
        if let text = Self.plainText(of: value, style: style) {
            box.node = .text(text)
            return
        }
        if let number = value as? any BinaryFloatingPoint & Encodable {
            throw EncodingError.invalidValue(
                number, .init(codingPath: codingPath, debugDescription: "\(number) is not a finite number"))
        }
        guard codingPath.count < Self.maximumDepth else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: codingPath, debugDescription: "more than \(Self.maximumDepth) levels deep"))
        }
        try value.encode(to: self)
        box.finish(isUnordered: value is any UnorderedParameters)
    }

    /// The text of a scalar; `nil` for anything with structure, and for numbers that are not finite.
    private static func plainText(of value: any Encodable, style: QueryStyle) -> String? {
        switch value {
        case let text as String: text
        case let number as Int: String(number)
        case let flag as Bool: style.booleans == .words ? String(flag) : (flag ? "1" : "0")
        case let number as Double: number.isFinite ? String(number) : nil
        case let number as Float: number.isFinite ? String(number) : nil
        case let number as any FixedWidthInteger & Encodable: String(describing: number)
        case let date as Date: text(of: date, style: style)
        case let url as URL: url.absoluteString
        case let data as Data: data.base64EncodedString()
        case let number as Decimal: number.isFinite ? "\(number)" : nil
        default: nil
        }
    }

    private static func text(of date: Date, style: QueryStyle) -> String? {
        let seconds = date.timeIntervalSince1970
        switch style.dates {
        case .iso8601: return date.formatted(.iso8601)
        case .secondsSince1970: return Int64(exactly: seconds.rounded(.down)).map(String.init)
        case .millisecondsSince1970: return Int64(exactly: (seconds * 1000).rounded(.down)).map(String.init)
        }
    }
}

/// Collections whose order differs from run to run; their items are sorted.
protocol UnorderedParameters {}
extension Dictionary: UnorderedParameters {}
extension Set: UnorderedParameters {}
