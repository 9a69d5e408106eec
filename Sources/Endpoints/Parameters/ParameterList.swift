import NetworkLogging

/// The named values of a query, a form or a JSON body, from a dictionary literal or from any `Encodable` value.
///
/// ```swift
/// ["page": 2, "tags": ["a", "b"], "cursor": nil]    // nil: no item, by default
/// ParameterList(filter)                             // some Encodable & Sendable
/// ["range": ["from": 1, "to": 9] as ParameterList]  // nested
/// ```
///
/// The order of a literal is kept; a Swift dictionary is sorted by key, so that equal values produce equal requests. Values are
/// encoded when the request is built. A value that cannot be encoded is an error that contains its name.
public struct ParameterList: Sendable, ExpressibleByDictionaryLiteral {
    indirect enum Storage: Sendable {
        case items([Item])
        case value(any Encodable & Sendable)
        case replaced(ParameterList, by: ParameterList)
    }

    struct Item: Sendable {
        var name: String
        var value: (any Encodable & Sendable)?
    }

    var storage: Storage

    /// Creates an empty set of parameters.
    package init() {
        storage = .items([])
    }

    /// Creates parameters from the properties of a value. Its `encode(to:)` must use a keyed container.
    public init(_ value: some Encodable & Sendable) {
        storage = (value as? ParameterList)?.storage ?? .value(value)
    }

    /// Creates parameters from a literal in its order. Items whose value is `nil` are omitted, unless ``QueryStyle/nils`` says
    /// otherwise. A name that occurs twice is
    /// written twice in a query or a form.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        storage = .items(elements.map { Item(name: $0.0, value: $0.1) })
    }

    /// Returns these parameters, with the parameters of `other` replacing those of the same name.
    package func replacing(with other: ParameterList) -> ParameterList {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var both = ParameterList()
        both.storage = .replaced(self, by: other)
        return both
    }

    /// Whether this is a literal without items. Always `false` for parameters from an `Encodable` value.
    package var isEmpty: Bool {
        if case .items(let items) = storage { items.isEmpty } else { false }
    }
}

extension ParameterList: Encodable {
    /// Encodes the value with its own `encode(to:)`, or the items of a literal as an object without the items that are `nil`.
    public func encode(to encoder: any Encoder) throws {
        switch storage {
        case .value(let value):
            // Encoded through a container, so that encoders see the type: they sort dictionaries and format dates.
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .items(let items):
            var container = encoder.container(keyedBy: ParameterKey.self)
            for item in items {
                let key = ParameterKey(item.name)
                if let value = item.value {
                    try container.encode(value, forKey: key)
                } else {
                    // Only the encoder of queries and forms writes something, depending on its style.
                    try container.encodeIfPresent(String?.none, forKey: key)
                }
            }
        case .replaced(let below, let above):
            try below.encode(to: encoder)
            try above.encode(to: encoder)
        }
    }
}

extension ParameterList: RedactedStringConvertible {
    /// A textual representation that contains only the names, because values may be secrets.
    public var description: String {
        switch storage {
        case .items(let items): "ParameterList(\(items.map(\.name.printable).joined(separator: ", ")))"
        case .value(let value): "ParameterList(\(type(of: value)))"
        case .replaced(let below, let above): "\(below) replaced by \(above)"
        }
    }
}

struct ParameterKey: CodingKey {
    var stringValue: String
    var intValue: Int?

    init(_ name: String) {
        stringValue = name
    }

    init(index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        self.init(index: intValue)
    }
}
