/// A value kept apart: whoever holds it moves a pointer instead of the value's bytes. Copies share it until one is changed.
///
/// For what passes many hands: a response and an error lie in each frame of a chain of calls.
struct Boxed<Value: Sendable>: Sendable {
    // Sendable although unchecked: the value changes only while one alone holds it.
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
