import NetworkLogging

/// What ``ParameterEncoder`` makes of a value: text at the leaves.
enum ParameterNode {
    case null
    case text(String)
    case array([ParameterNode])
    case object([(name: String, value: ParameterNode)])

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Adds the text of a parameter that is a credential by its name to ``NetworkLogging/SecretValues``.
    func rememberSecret(named name: String) {
        guard case .text(let text) = self, Redaction.isSecret(field: name) else { return }
        SecretValues.insert(text)
    }
}

extension Parameters {
    /// The top-level names in order, without those whose value is nothing.
    func items(style: QueryStyle) throws(RequestGenerationError) -> [(name: String, value: ParameterNode)] {
        switch storage {
        case .items(let items):
            var nodes: [(name: String, value: ParameterNode)] = []
            nodes.reserveCapacity(items.count)
            for item in items {
                guard let value = item.value else { continue }
                let node = try ParameterEncoder.node(of: value, named: item.name, style: style)
                if !node.isNull { nodes.append((item.name, node)) }
            }
            return nodes
        case .value(let value):
            switch try ParameterEncoder.node(of: value, named: nil, style: style) {
            case .object(let members): return members.filter { !$0.value.isNull }
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
