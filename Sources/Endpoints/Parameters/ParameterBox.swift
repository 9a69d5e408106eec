/// The place one encoder writes to: a class, because containers outlive the call that made them.
final class ParameterBox {
    var node = ParameterNode.null
    private var members: [(name: String, box: ParameterBox)] = []
    private var positions: [String: Int] = [:]
    private var shape = Shape.scalar
    private var sortedGroupSize: Int?
    private var refusal: RequestGenerationError?

    private enum Shape {
        case scalar, array, object
    }

    func becomeObject() { shape = .object }
    func becomeArray() { shape = .array }
    /// Members will be sorted; those of an array in groups of that many.
    func becomeSorted(groupSize: Int) { sortedGroupSize = groupSize }
    /// Encoding ends with this error.
    func refuse(_ error: RequestGenerationError) { refusal = error }
    var count: Int { members.count }

    /// The box of a named member, which is made when it is asked for first.
    func member(named name: String) -> ParameterBox {
        if let position = positions[name] { return members[position].box }
        positions[name] = members.count
        members.append((name, ParameterBox()))
        return members[members.count - 1].box
    }

    /// The box of a new element.
    func element() -> ParameterBox {
        let box = ParameterBox()
        members.append(("", box))
        return box
    }

    /// Collects the members once everything was written. Does nothing for a scalar.
    func finish() throws(RequestGenerationError) {
        if let refusal { throw refusal }
        for member in members { try member.box.finish() }
        switch shape {
        case .scalar:
            return
        case .object:
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
