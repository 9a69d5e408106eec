/// Values that travel with a request, from interceptor to interceptor, and are never sent.
///
/// ```swift
/// enum TenantKey: RequestContextKey { typealias Value = String }
/// request.context[TenantKey.self] = "north"
/// ```
public struct RequestContext: Sendable {
    private var values: [ObjectIdentifier: any Sendable]?

    /// Nothing yet.
    public init() {}

    /// The value under a key; setting `nil` removes it.
    public subscript<Key: RequestContextKey>(key: Key.Type) -> Key.Value? {
        get { values?[ObjectIdentifier(key)] as? Key.Value }
        set {
            guard let newValue else {
                values?[ObjectIdentifier(key)] = nil
                return
            }
            if values == nil { values = [:] }
            values?[ObjectIdentifier(key)] = newValue
        }
    }
}

/// Names a value of a ``RequestContext``, and its type.
public protocol RequestContextKey {
    /// What stands under it.
    associatedtype Value: Sendable
}
