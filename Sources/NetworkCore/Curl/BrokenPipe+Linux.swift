#if os(Linux)
    import Glibc

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
