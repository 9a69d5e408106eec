/// A stored secret: a password, a token or a key. Descriptions and mirrors of it, and so of each type that stores it, contain no part of the value.
///
/// ```swift
/// @Secret private var password: String
/// ```
///
/// A type that is not sendable with a variable stores it as a constant of this type.
@propertyWrapper package struct Secret<Value> {
    /// The secret.
    package var wrappedValue: Value

    /// Stores a secret.
    package init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension Secret: Sendable where Value: Sendable {}
extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: RedactedStringConvertible {
    /// The placeholder for secrets.
    package var description: String { Redaction.placeholder }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RedactedStringConvertible {
    /// The name of the type, for a type that has no other description: nothing that it stores is shown.
    public var description: String { String(reflecting: Self.self) }

    /// Returns the name of the type, and values that contain no secrets.
    package func described(_ values: KeyValuePairs<String, Any?>) -> String {
        "\(Self.self)(" + values.map { "\($0): \($1.map { "\($0)" } ?? "nil")" }.joined(separator: ", ") + ")"
    }
}
