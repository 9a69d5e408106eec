#if os(Linux)
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
#endif
