#if os(Linux)
    import NetworkTransport
    import NetworkSupport

    /// The lock of one engine. It is held while the engine works; callers' threads only try it.
    ///
    /// Lock order: the holder may take the lock of the loop's inbox and that of a transfer's receiver. No code takes or tries this lock
    /// while it holds one of these.
    // Sendable although unchecked: a pthread mutex is safe to use from any thread.
    final class EngineLock: @unchecked Sendable {
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

    /// Stops all engines when the process exits.
    ///
    /// During `exit()`, OpenSSL frees its tables while other threads still run, and a thread in the middle of a handshake would crash. So
    /// the locks of all engines are taken before that, and never released.
    enum ProcessEnd {
        private struct State {
            var locks: [ObjectIdentifier: EngineLock] = [:]
            var hasBegun = false
        }

        private static let state = Locked(State())

        /// Registers the exit handler. Handlers run in reverse order of registration: call this after OpenSSL has registered its own.
        static func prepare() {
            atexit { ProcessEnd.lockEngines() }
        }

        /// Adds the lock of an engine that is about to start.
        ///
        /// - Returns: `false` when the process is already exiting; the engine must not start then.
        static func watch(_ lock: EngineLock) -> Bool {
            state.withLock { state in
                if !state.hasBegun { state.locks[ObjectIdentifier(lock)] = lock }
                return !state.hasBegun
            }
        }

        /// Removes the lock of an engine that has ended.
        static func forget(_ lock: EngineLock) {
            state.withLock { $0.locks[ObjectIdentifier(lock)] = nil }
        }

        private static func lockEngines() {
            let locks = state.withLock { state in
                state.hasBegun = true
                return Array(state.locks.values)
            }
            // A holder works only for a moment. If it does not finish in 2 seconds, the process exits nevertheless.
            for lock in locks { lock.lock(within: 2) }
        }
    }

    /// Blocks `SIGPIPE`, which would end the process when a peer closes its connection: OpenSSL writes to sockets with `write(2)`.
    enum BrokenPipe {
        /// Blocks the signal in the calling thread, for as long as the thread lives.
        static func block() {
            var signals = signals
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }

        /// Blocks the signal in the calling thread while `work` runs, then discards a pending one and restores the signal mask.
        static func ignoring(_ work: () -> Void) {
            var signals = signals
            var before = sigset_t()
            pthread_sigmask(SIG_BLOCK, &signals, &before)
            work()
            guard sigismember(&before, SIGPIPE) == 0 else { return }
            var pending = sigset_t()
            sigpending(&pending)
            if sigismember(&pending, SIGPIPE) == 1 {
                var none = timespec()
                sigtimedwait(&signals, nil, &none)
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }

        private static var signals: sigset_t {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            return signals
        }
    }

    /// Decides whether the thread that sends the only request polls for its response for a moment, before the engine's thread takes over.
    ///
    /// Within one machine a response arrives sooner than a thread can be woken. After each response that did not arrive in time, the
    /// number of requests without polling doubles, up to 1,023.
    struct BriefWait {
        /// The maximum time to poll, in nanoseconds.
        static let limit: UInt64 = 100_000

        private var misses = 0
        private var hits = 0
        private var skips = 0

        /// Whether at least the last three polls received their response in time.
        var isReliable: Bool { hits >= 3 }

        /// Returns whether to poll this time.
        mutating func isDue() -> Bool {
            if skips == 0 { return true }
            skips -= 1
            return false
        }

        /// Records the result of a poll.
        ///
        /// - Parameter isHit: Whether the response arrived in time.
        mutating func note(isHit: Bool) {
            if isHit {
                misses = 0
                hits += 1
            } else {
                hits = 0
                misses = min(misses + 1, 10)
                skips = (1 << misses) - 1
            }
        }
    }
#endif
