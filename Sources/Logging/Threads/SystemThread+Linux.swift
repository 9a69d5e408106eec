#if os(Linux)
    import Foundation
    import Glibc

    /// Creation of POSIX threads.
    package enum SystemThread {
        /// Starts a detached thread with the system's default stack size.
        ///
        /// It blocks all signals except faults and `SIGPROF`, so that signals sent to the process are delivered to other threads.
        ///
        /// - Returns: `false` if the system could not create the thread; the body is not called then.
        @Sendable package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
            let context = Unmanaged.passRetained(Body(name, body))
            var thread = pthread_t()
            let result = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, context.toOpaque())
            if result != 0 { context.release() }
            return result == 0
        }

        /// Runs one unit of work on such a thread.
        static func run(_ work: () -> Void) { work() }

        private final class Body {
            let name: String
            let work: @Sendable () -> Void

            init(_ name: String, _ work: @escaping @Sendable () -> Void) {
                self.name = name
                self.work = work
            }

            func run() {
                pthread_detach(pthread_self())
                Thread.current.name = name
                var signals = sigset_t()
                sigfillset(&signals)
                for fault in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPROF] { sigdelset(&signals, fault) }
                pthread_sigmask(SIG_SETMASK, &signals, nil)
                work()
            }
        }
    }
#endif
