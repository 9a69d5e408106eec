/// What ``ParameterEncoder`` makes of a value: text at the leaves.
indirect enum ParameterNode {
    case null
    case text(String)
    case array([ParameterNode])
    case object([(name: String, value: ParameterNode)])

    /// Appends the `name=value` pairs of this node, unencoded.
    func flatten(
        name: String, style: QueryStyle, into items: inout [(name: String, values: [String])]
    ) throws(RequestGenerationError) {
        switch self {
        case .null:
            return
        case .text(let text):
            items.append((name, [text]))
        case .array(let elements) where style.arrays == .commaSeparated:
            var values: [String] = []
            for element in elements {
                if let value = try element.scalar(in: name) { values.append(value) }
            }
            if !values.isEmpty { items.append((name, values)) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let elementName =
                    switch style.arrays {
                    case .repeated, .commaSeparated: name
                    case .brackets: name + "[]"
                    case .indexed: "\(name)[\(index)]"
                    }
                try element.flatten(name: elementName, style: style, into: &items)
            }
        case .object(let members):
            for member in members {
                let memberName = style.nested == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]"
                try member.value.flatten(name: memberName, style: style, into: &items)
            }
        }
    }

    private func scalar(in name: String) throws(RequestGenerationError) -> String? {
        switch self {
        case .null: return nil
        case .text(let text): return text
        case .array, .object:
            throw RequestGenerationError(
                .query(name), "an array that holds arrays or objects cannot be written with commas; choose another QueryStyle")
        }
    }
}

extension [(name: String, values: [String])] {
    /// `name=value&…`; the values of one item are joined by commas.
    func joined(encodedBy encode: (String) -> String) -> String {
        map { encode($0.name) + "=" + $0.values.map(encode).joined(separator: ",") }.joined(separator: "&")
    }
}

extension Parameters {
    /// The top-level names in order, each with its flattened pairs.
    func items(style: QueryStyle) throws(RequestGenerationError) -> [(root: String, pairs: [(name: String, values: [String])])] {
        let members = try members(style: style)
        var items: [(root: String, pairs: [(name: String, values: [String])])] = []
        items.reserveCapacity(members.count)
        for member in members {
            var pairs: [(name: String, values: [String])] = []
            try member.value.flatten(name: member.name, style: style, into: &pairs)
            items.append((member.name, pairs))
        }
        return items
    }

    private func members(style: QueryStyle) throws(RequestGenerationError) -> [(name: String, value: ParameterNode)] {
        switch storage {
        case .items(let items):
            var members: [(name: String, value: ParameterNode)] = []
            members.reserveCapacity(items.count)
            for item in items {
                guard let value = item.value else { continue }
                members.append((item.name, try ParameterEncoder.node(of: value, named: item.name, style: style)))
            }
            return members
        case .value(let value):
            switch try ParameterEncoder.node(of: value, named: "", style: style) {
            case .object(let members): return members
            case .null: return []
            case .text, .array:
                throw RequestGenerationError(
                    .query(""),
                    "\(type(of: value)) encodes to a single value or an array, which has no names; wrap it in an object")
            }
        }
    }
}
