#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// State that a lock protects. The lock is held while a closure runs, never during a callback or a suspension.
///
/// It uses a POSIX mutex rather than `Mutex`, which requires macOS 15 and iOS 18 and is invisible to the thread sanitizer on
/// Linux.
// Sendable although unchecked: the state is only accessed inside `withLock`.
package struct Locked<State>: @unchecked Sendable {
    private let storage: LockedStorage<State>

    package init(_ state: sending State) {
        storage = LockedStorage.make(state)
    }

    /// Calls a closure with exclusive access to the state.
    ///
    /// - Parameter body: Called synchronously. It must not take another lock or call code outside this package.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withLock(body)
    }
}

/// A buffer that holds the state and its lock in one allocation.
private final class LockedStorage<State>: ManagedBuffer<State, pthread_mutex_t> {
    static func make(_ state: sending State) -> LockedStorage {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                pthread_mutex_init(mutex, nil)
            }
            return state
        }
        return unsafeDowncast(buffer, to: LockedStorage.self)
    }

    deinit {
        _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
    }

    func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        let (state, mutex) = withUnsafeMutablePointers { ($0, $1) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}

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
