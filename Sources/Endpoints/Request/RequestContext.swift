/// Values that are attached to a request for interceptors and are never sent.
///
/// ```swift
/// enum TenantKey: RequestContextKey { typealias Value = String }
/// request.context[TenantKey.self] = "north"
/// ```
public struct RequestContext: Sendable {
    /// A linked list that starts with the value set last. There are few values, so a linear search is fastest, and copies share
    /// them.
    private var values: Entry?

    /// Creates a context without values.
    public init() {}

    /// The value for a key; setting `nil` removes it.
    public subscript<Key: RequestContextKey>(key: Key.Type) -> Key.Value? {
        get {
            var entry = values
            while let current = entry {
                if current.key == ObjectIdentifier(key) { return (current as? ValueEntry<Key.Value>)?.value }
                entry = current.next
            }
            return nil
        }
        set {
            let others = values?.without(ObjectIdentifier(key))
            values = newValue.map { ValueEntry($0, for: ObjectIdentifier(key), next: others) } ?? others
        }
    }
}

/// An entry of the linked list, with a reference to the values set before it.
// `@unchecked Sendable`: the compiler cannot check a class with subclasses. All properties are immutable.
private class Entry: @unchecked Sendable {
    let key: ObjectIdentifier
    let next: Entry?

    init(key: ObjectIdentifier, next: Entry?) {
        self.key = key
        self.next = next
    }

    func following(_ next: Entry?) -> Entry { Entry(key: key, next: next) }

    func without(_ key: ObjectIdentifier) -> Entry? {
        if self.key == key { return next }
        guard let next else { return self }
        let rest = next.without(key)
        return rest === next ? self : following(rest)
    }
}

// `@unchecked Sendable`, like its superclass: its only property is immutable and of a `Sendable` type.
private final class ValueEntry<Value: Sendable>: Entry, @unchecked Sendable {
    let value: Value

    init(_ value: Value, for key: ObjectIdentifier, next: Entry?) {
        self.value = value
        super.init(key: key, next: next)
    }

    override func following(_ next: Entry?) -> Entry { ValueEntry(value, for: key, next: next) }
}

/// A key of a ``RequestContext`` that also defines the type of its value.
public protocol RequestContextKey {
    /// The type of the value for this key.
    associatedtype Value: Sendable
}
