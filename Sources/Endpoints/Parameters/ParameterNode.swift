import Foundation
import NetworkJSON
import NetworkLogging

/// A node of the tree that ``ParameterEncoder`` produces. The leaves are text.
enum ParameterNode {
    case null
    case text(String)
    case array([ParameterNode])
    case object([(name: String, value: ParameterNode)])

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Adds the text to ``NetworkLogging/SecretValues`` if the parameter's name marks it as a credential.
    func rememberSecret(named name: String) {
        guard case .text(let text) = self, Redaction.isSecret(field: name) else { return }
        SecretValues.insert(text)
    }
}

extension ParameterList {
    /// Returns the top-level names and values in order, without null values unless the style has items for them.
    func items(style: QueryStyle) throws(RequestGenerationError) -> [(name: String, value: ParameterNode)] {
        switch storage {
        case .items(let items):
            var nodes: [(name: String, value: ParameterNode)] = []
            nodes.reserveCapacity(items.count)
            for item in items {
                var node = ParameterNode.null
                if let value = item.value { node = try ParameterEncoder.node(of: value, named: item.name, style: style) }
                if node.isNull && style.nils == .dropped { continue }
                let name = style.keys.converted(item.name)
                if name != item.name { node.rememberSecret(named: item.name) }
                nodes.append((name, node))
            }
            return nodes
        case .value(let value):
            switch try ParameterEncoder.node(of: value, named: nil, style: style) {
            case .object(let members): return members.filter { style.nils != .dropped || !$0.value.isNull }
            case .null: return []
            case .text, .array:
                throw RequestGenerationError(
                    .query(""),
                    "\(type(of: value)) encodes to a single value or an array, which has no names; wrap it in an object")
            }
        case .replaced(let below, let above):
            let items = try above.items(style: style)
            let names = Set(items.map(\.name))
            return try below.items(style: style).filter { !names.contains($0.name) } + items
        }
    }
}

/// The storage that one encoder writes to. It is a class because containers outlive the call that created them.
final class ParameterBox {
    var node = ParameterNode.null
    private var members: [(key: String, name: String, box: ParameterBox)] = []
    private var positions: [String: Int] = [:]
    private var shape = Shape.scalar
    private var sortedGroupSize: Int?
    private var refusal: RequestGenerationError?

    private enum Shape {
        case scalar, array, object
    }

    func becomeObject() { shape = .object }
    func becomeArray() { shape = .array }
    /// Requests that ``finish()`` sorts the members; elements of an array are sorted in groups of `groupSize`.
    func becomeSorted(groupSize: Int) { sortedGroupSize = groupSize }
    /// Records an error that ``finish()`` throws.
    func refuse(_ error: RequestGenerationError) { refusal = error }
    var count: Int { members.count }

    /// Returns the box of the member with a key. Creates it on first use, with the name that is written for the key.
    func member(_ key: String, named name: @autoclosure () -> String) -> ParameterBox {
        if let position = positions[key] { return members[position].box }
        positions[key] = members.count
        members.append((key, name(), ParameterBox()))
        return members[members.count - 1].box
    }

    /// Adds an array element and returns its box.
    func element() -> ParameterBox {
        let box = ParameterBox()
        members.append(("", "", box))
        return box
    }

    /// Builds ``node`` from the members after everything was written. Does nothing for a scalar.
    func finish() throws(RequestGenerationError) {
        if let refusal { throw refusal }
        for member in members { try member.box.finish() }
        switch shape {
        case .scalar:
            return
        case .object:
            for member in members where member.name != member.key { member.box.node.rememberSecret(named: member.key) }
            var values = members.map { (name: $0.name, value: $0.box.node) }
            if sortedGroupSize != nil { values.sort { $0.name < $1.name } }
            node = .object(values)
        case .array:
            let elements = members.map(\.box.node)
            node = .array(sortedGroupSize.map { Self.sorted(elements, groupSize: $0) } ?? elements)
        }
        members = []
        positions = [:]
        shape = .scalar
    }

    private static func sorted(_ elements: [ParameterNode], groupSize: Int) -> [ParameterNode] {
        let groups = stride(from: 0, to: elements.count, by: groupSize).map {
            elements[$0..<min($0 + groupSize, elements.count)]
        }
        let keyed = groups.map { (key: $0.map(\.sortKey).joined(separator: ","), elements: $0) }
        return keyed.sorted { $0.key < $1.key }.flatMap(\.elements)
    }
}

extension ParameterNode {
    fileprivate var sortKey: String {
        switch self {
        case .null: ""
        case .text(let text): text
        case .array(let elements): elements.map(\.sortKey).joined(separator: ",")
        case .object(let members): members.map { $0.name + "=" + $0.value.sortKey }.joined(separator: "&")
        }
    }
}

/// The result of converting a value without structure to text.
enum ParameterScalar {
    /// The text of a scalar.
    case text(String)
    /// Not a scalar: the value has to be encoded with its `encode(to:)`.
    case structured
    /// A scalar that cannot be written as text, with the reason.
    case refused(String)
    /// A scalar for which a closure of the style threw an error.
    case failed(any Error)

    init(_ value: any Encodable, style: QueryStyle) {
        // The most frequent type of a parameter. Comparing types is faster than the casts below, which try `String` first.
        if type(of: value) == Int.self, let number = value as? Int {
            self = .text(String(number))
            return
        }
        switch value {
        case let text as String: self = .text(text)
        case let number as Int: self = .text(String(number))
        case let flag as Bool: self = .text(style.booleans == .words ? String(flag) : (flag ? "1" : "0"))
        case let number as Double: self = number.isFinite ? .text(String(number)) : Self.infinite
        case let number as Float: self = number.isFinite ? .text(String(number)) : Self.infinite
        case let date as Date: self = Self.scalar(of: date, style: style)
        case let url as URL: self = .text(url.absoluteString)
        case let data as Data: self = Self.scalar(of: data, style: style)
        case let number as Decimal: self = number.isFinite ? .text("\(number)") : Self.infinite
        case let number as any FixedWidthInteger & Encodable: self = .text(String(describing: number))
        default: self = .structured
        }
    }

    private static let infinite = ParameterScalar.refused("it is not a finite number")

    private static func scalar(of date: Date, style: QueryStyle) -> ParameterScalar {
        let seconds = date.timeIntervalSince1970
        let text: String?
        switch style.dates {
        case .iso8601: text = InternetDate.text(date)
        case .secondsSince1970: text = Int64(exactly: seconds.rounded(.down)).map { String($0) }
        case .millisecondsSince1970: text = Int64(exactly: (seconds * 1000).rounded(.down)).map { String($0) }
        case .custom(let format): return custom { try format(date) }
        }
        return text.map(ParameterScalar.text) ?? .refused(style.dates.refusal(date))
    }

    private static func scalar(of data: Data, style: QueryStyle) -> ParameterScalar {
        switch style.bytes {
        case .base64: .text(data.base64EncodedString())
        case .custom(let format): custom { try format(data) }
        }
    }

    private static func custom(_ format: () throws -> String) -> ParameterScalar {
        do {
            return .text(try format())
        } catch {
            return .failed(error)
        }
    }
}
