#if os(Linux)
    import CCurl
    import NetworkSupport

    /// The lock of an event loop. It is held while the loop works; callers' threads only try it.
    ///
    /// Lock order: the holder may take the lock of the loop's inbox and that of a transfer's receiver. No code takes or tries this lock
    /// while it holds one of these.
    // Sendable although unchecked: a pthread mutex is safe to use from any thread.
    final class LoopLock: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

        init() {
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func lock() {
            pthread_mutex_lock(mutex)
        }

        /// Waits for the lock for at most that many seconds.
        func lock(within seconds: Int) {
            var end = timespec()
            clock_gettime(CLOCK_REALTIME, &end)
            end.tv_sec += seconds
            pthread_mutex_timedlock(mutex, &end)
        }

        /// Takes the lock if it is free.
        ///
        /// - Returns: `false` when any thread holds it, this one included.
        func tryLock() -> Bool {
            pthread_mutex_trylock(mutex) == 0
        }

        func unlock() {
            pthread_mutex_unlock(mutex)
        }
    }

    /// Stops all event loops when the process exits.
    ///
    /// During `exit()`, OpenSSL frees its tables while other threads still run, and a thread in the middle of a handshake would crash. So
    /// the locks of all loops are taken before that, and never released.
    enum ProcessEnd {
        private struct State {
            var locks: [ObjectIdentifier: LoopLock] = [:]
            var hasBegun = false
        }

        private static let state = Locked(State())

        /// Registers the exit handler. Handlers run in reverse order of registration: call this after OpenSSL has registered its own.
        static func prepare() {
            atexit { ProcessEnd.lockLoops() }
        }

        /// Adds the lock of a loop that is about to start.
        ///
        /// - Returns: `false` when the process is already exiting; the loop must not start then.
        static func watch(_ lock: LoopLock) -> Bool {
            state.withLock { state in
                if !state.hasBegun { state.locks[ObjectIdentifier(lock)] = lock }
                return !state.hasBegun
            }
        }

        /// Removes the lock of a loop that has ended.
        static func forget(_ lock: LoopLock) {
            state.withLock { $0.locks[ObjectIdentifier(lock)] = nil }
        }

        private static func lockLoops() {
            let locks = state.withLock { state in
                state.hasBegun = true
                return Array(state.locks.values)
            }
            // A holder works only for a moment. If it does not finish in 2 seconds, the process exits nevertheless.
            for lock in locks { lock.lock(within: 2) }
        }
    }
#endif
