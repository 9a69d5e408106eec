#if os(Linux)
    import NetworkSupport

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
#endif
