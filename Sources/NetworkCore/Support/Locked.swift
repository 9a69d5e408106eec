#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// State behind a lock. The lock is held for the length of a closure, never across a callback or a suspension.
///
/// A POSIX mutex rather than `Mutex`: that one needs macOS 15 and iOS 18, and the thread sanitizer cannot see it on Linux.
// Sendable although unchecked: the state is only touched inside `withLock`.
package struct Locked<State>: @unchecked Sendable {
    private let storage: LockedStorage<State>

    package init(_ state: sending State) {
        storage = LockedStorage.make(state)
    }

    /// - Parameter body: Runs at once. It must not take another lock or call out.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withLock(body)
    }
}

/// The state and its lock in one allocation.
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
