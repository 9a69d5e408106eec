/// A value in separate storage, with copy on write: passing it copies a pointer instead of the value's bytes.
///
/// For values that pass through many calls: a response and an error are part of each frame in a chain of calls.
struct Boxed<Value: Sendable>: Sendable {
    // Sendable although unchecked: the value is only changed while the storage has a single reference.
    private final class Storage: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: Value) {
        storage = Storage(value)
    }

    var value: Value {
        get { storage.value }
        set {
            if isKnownUniquelyReferenced(&storage) {
                storage.value = newValue
            } else {
                storage = Storage(newValue)
            }
        }
    }
}
