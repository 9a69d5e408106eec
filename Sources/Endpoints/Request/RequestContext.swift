/// Values that travel with a request, from interceptor to interceptor, and are never sent.
///
/// ```swift
/// enum TenantKey: RequestContextKey { typealias Value = String }
/// request.context[TenantKey.self] = "north"
/// ```
public struct RequestContext: Sendable {
    /// The value set last comes first. So few that looking at each is the fastest way, and a copy shares them all.
    private var values: Entry?

    /// Nothing yet.
    public init() {}

    /// The value under a key; setting `nil` removes it.
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

/// One value, and those set before it.
// Sendable although unchecked: a class that others derive from cannot be checked. Nothing in it changes.
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

// Sendable although unchecked, as what it derives from is: its one property does not change, and is of a `Sendable` type.
private final class ValueEntry<Value: Sendable>: Entry, @unchecked Sendable {
    let value: Value

    init(_ value: Value, for key: ObjectIdentifier, next: Entry?) {
        self.value = value
        super.init(key: key, next: next)
    }

    override func following(_ next: Entry?) -> Entry { ValueEntry(value, for: key, next: next) }
}

/// Names a value of a ``RequestContext``, and its type.
public protocol RequestContextKey {
    /// What stands under it.
    associatedtype Value: Sendable
}
