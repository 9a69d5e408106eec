#if os(Linux)
    import Glibc

    /// Whose turn it is to work with something: a lock that is held for as long as the work takes, and that others only try.
    ///
    /// Its holder may take the inbox's lock and that of a transfer's answer; nobody takes or tries it while holding one of these.
    // Sendable although unchecked: a mutex is there for threads.
    final class Turn: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

        init() {
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func take() {
            pthread_mutex_lock(mutex)
        }

        /// Gives up after some seconds.
        func take(within seconds: Int) {
            var end = timespec()
            clock_gettime(CLOCK_REALTIME, &end)
            end.tv_sec += seconds
            pthread_mutex_timedlock(mutex, &end)
        }

        /// - Returns: `false` when it is another's turn, or this thread's own already.
        func tryToTake() -> Bool {
            pthread_mutex_trylock(mutex) == 0
        }

        func release() {
            pthread_mutex_unlock(mutex)
        }
    }
#endif
