import Synchronization

/// Values that are made once for each endpoint, up to a maximum number; further endpoints share one value.
final class BoundedTable<Value: Sendable>: Sendable {
    private let values = Mutex<[EndpointKey: Value]>([:])
    private let overflow = Mutex<Value?>(nil)
    private let maximum: Int
    private let make: @Sendable (EndpointKey) -> Value

    /// Creates a table without values.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of values, apart from the shared one. A number below 1 counts as 1.
    ///   - make: Makes the value of an endpoint, under the lock of the table.
    init(maximum: Int, _ make: @escaping @Sendable (EndpointKey) -> Value) {
        self.maximum = max(1, maximum)
        self.make = make
    }

    /// Returns the value of an endpoint, or the shared one if there are too many.
    subscript(key: EndpointKey) -> Value {
        let known: Value? = values.withLock { values in
            if let value = values[key] { return value }
            if values.count >= maximum { return nil }
            let value = make(key)
            values[key] = value
            return value
        }
        if let known { return known }
        return overflow.withLock { overflow in
            let value = overflow ?? make(.other)
            overflow = value
            return value
        }
    }
}
