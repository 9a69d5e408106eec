/// A value in separate storage that copies share until one of them is changed, so that passing it copies one pointer.
///
/// For values with many parts that pass through many calls: requests and their descriptions, errors, timings.
///
/// Other modules inline its members, for which the type has to be `@usableFromInline`.
// `@unchecked Sendable`: the value is only changed while the storage has a single reference.
@usableFromInline package struct CopyOnWrite<Value: Sendable>: @unchecked Sendable {
    @usableFromInline final class Storage: ManagedBuffer<Value, Void> {
        @inlinable static func make(_ value: Value) -> Storage {
            unsafeDowncast(create(minimumCapacity: 0) { _ in value }, to: Storage.self)
        }
    }

    @usableFromInline var storage: Storage

    /// Creates storage with a value.
    @inlinable package init(_ value: Value) {
        storage = Storage.make(value)
    }

    /// The value. Changing it copies it first if other copies share it.
    @inlinable package var value: Value {
        _read { yield storage.withUnsafeMutablePointerToHeader { $0 }.pointee }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage.make(value) }
            yield &storage.withUnsafeMutablePointerToHeader { $0 }.pointee
        }
    }

    /// Whether two values are copies of each other that were not changed since.
    @inlinable package func isShared(with other: CopyOnWrite) -> Bool { storage === other.storage }
}
