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
    /// - Parameters:
    ///   - body: Called synchronously. It must not take another lock or call code outside this package. If it takes this one again, debug
    ///     builds end with a message that says where, and other builds wait indefinitely.
    ///   - file: The file of the call, for that message.
    ///   - line: The line of the call, for that message.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result, file: StaticString = #fileID, line: UInt = #line
    ) throws(Failure) -> Result {
        try storage.withLock(body, file, line)
    }
}

/// A buffer that holds the state and its lock in one allocation.
@usableFromInline
final class LockedStorage<State>: ManagedBuffer<State, pthread_mutex_t> {
    @inlinable static func make(_ state: sending State) -> LockedStorage {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                #if DEBUG
                    // Refuses to be locked by the thread that holds it.
                    var attributes = pthread_mutexattr_t()
                    pthread_mutexattr_init(&attributes)
                    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
                    pthread_mutex_init(mutex, &attributes)
                    pthread_mutexattr_destroy(&attributes)
                #else
                    pthread_mutex_init(mutex, nil)
                #endif
            }
            return state
        }
        return unsafeDowncast(buffer, to: LockedStorage.self)
    }

    @inlinable deinit {
        _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
    }

    @inlinable
    func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result, _ file: StaticString, _ line: UInt
    ) throws(Failure) -> Result {
        let (state, mutex) = withUnsafeMutablePointers { ($0, $1) }
        let error = pthread_mutex_lock(mutex)
        #if DEBUG
            if error != 0 { preconditionFailure("a lock is taken twice by the same thread", file: file, line: line) }
        #endif
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
