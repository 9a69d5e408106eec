/// The place one encoder writes to: a class, because containers outlive the call that made them.
final class ParameterBox {
    var node = ParameterNode.null
    private var members: [(name: String, box: ParameterBox)] = []
    private var isArray = false
    private var isObject = false

    func becomeObject() { isObject = true }
    func becomeArray() { isArray = true }
    var count: Int { members.count }

    /// The box of a new member.
    func member(_ name: String) -> ParameterBox {
        let box = ParameterBox()
        members.append((name, box))
        return box
    }

    /// Collects the members once everything was written. Does nothing for a scalar.
    func finish(isUnordered: Bool) {
        for member in members { member.box.finish(isUnordered: false) }
        if isObject {
            var values = members.map { (name: $0.name, value: $0.box.node) }
            if isUnordered { values.sort { $0.name < $1.name } }
            node = .object(values)
        } else if isArray {
            var values = members.map(\.box.node)
            if isUnordered { values.sort { $0.sortKey < $1.sortKey } }
            node = .array(values)
        }
        members = []
        isArray = false
        isObject = false
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
