import NetworkPlatform

/// State that a lock protects. The lock is held while a closure runs, never during a callback or a suspension.
///
/// It uses a POSIX mutex rather than `Mutex`, which requires macOS 15 and iOS 18 and is invisible to the thread sanitizer on
/// Linux.
///
/// Other modules inline its methods, for which the type has to be `@usableFromInline`. Otherwise each use of a lock would look up the
/// type of the storage.
// Sendable although unchecked: the state is only accessed inside `withLock`.
@usableFromInline package struct Locked<State>: @unchecked Sendable {
    @usableFromInline let storage: LockedStorage<State>

    @inlinable package init(_ state: sending State) {
        storage = LockedStorage.make(state)
    }

    /// Calls a closure with exclusive access to the state.
    ///
    /// - Parameter body: Called synchronously. It must not take another lock or call code outside this package.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withLock(body)
    }
}

/// A buffer that holds the state and its lock in one allocation.
@usableFromInline
final class LockedStorage<State>: ManagedBuffer<State, pthread_mutex_t> {
    @inlinable static func make(_ state: sending State) -> LockedStorage {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                pthread_mutex_init(mutex, nil)
            }
            return state
        }
        return unsafeDowncast(buffer, to: LockedStorage.self)
    }

    @inlinable deinit {
        _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
    }

    @inlinable
    func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        let (state, mutex) = withUnsafeMutablePointers { ($0, $1) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
