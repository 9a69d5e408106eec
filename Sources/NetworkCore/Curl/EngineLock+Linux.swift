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

    /// The engines at work, which have to stand still before the process takes down what they stand on.
    ///
    /// `exit()` has OpenSSL free its tables while other threads go on, and one in the middle of a handshake would crash. So the engines'
    /// turns are taken first, and not given back.
    enum ProcessEnd {
        private struct State {
            var turns: [ObjectIdentifier: Turn] = [:]
            var hasCome = false
        }

        private static let state = Locked(State())

        /// Registered handlers run in reverse order: call this once OpenSSL has registered its own.
        static func prepare() {
            atexit { ProcessEnd.come() }
        }

        /// - Returns: `false` when the process is ending.
        static func watch(_ turn: Turn) -> Bool {
            state.withLock { state in
                if !state.hasCome { state.turns[ObjectIdentifier(turn)] = turn }
                return !state.hasCome
            }
        }

        static func forget(_ turn: Turn) {
            state.withLock { $0.turns[ObjectIdentifier(turn)] = nil }
        }

        private static func come() {
            let turns = state.withLock { state in
                state.hasCome = true
                return Array(state.turns.values)
            }
            // Whoever has one works for a moment. Should that not end, the process ends nevertheless.
            for turn in turns { turn.take(within: 2) }
        }
    }

    /// OpenSSL writes with write(2): unless its signal is blocked, a peer that hangs up kills the process.
    enum BrokenPipe {
        /// For the whole life of the calling thread.
        static func block() {
            var signals = signals
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }

        /// For as long as `work` takes, on a thread that is somebody else's.
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
#endif
