#if os(Linux) && DEBUG
    import COpenSSL
    import NetworkLogging
    import NetworkSupport
    import Synchronization

    /// Reports a job of a task that blocks its event loop, on standard error, in debug builds only.
    ///
    /// The loop only counts its jobs; ``JobMonitors`` examines the count from a separate thread.
    final class JobMonitor: Sendable {
        private struct Watch {
            var job: UInt64 = 0
            var since: UInt64 = 0
            var hasReported = false
        }

        /// How long a job may take before it is reported, in nanoseconds.
        static let limit: UInt64 = 100_000_000

        private let loop: Int
        /// Odd while a job of a task runs on the loop.
        private let jobs = Atomic<UInt64>(0)
        private let watch = Locked(Watch())

        /// Creates a monitor.
        ///
        /// - Parameter loop: The number of its event loop.
        init(loop: Int) {
            self.loop = loop
        }

        /// Whether a job was reported.
        var hasReported: Bool { watch.withLock(\.hasReported) }

        /// Called before a job runs.
        func beginJob() {
            jobs.wrappingAdd(1, ordering: .sequentiallyConsistent)
            JobMonitors.shared.wakeIfAsleep()
        }

        /// Called after a job has run.
        func endJob() {
            jobs.wrappingAdd(1, ordering: .relaxed)
        }

        /// Reports the job that is running if it has run for too long.
        ///
        /// - Returns: Whether a job is running, or has run since the last time.
        fileprivate func examine() -> Bool {
            let job = jobs.load(ordering: .sequentiallyConsistent)
            let (isBusy, isFirst) = watch.withLock { watch in
                let now = monotonicNanoseconds()
                guard job & 1 == 1, job == watch.job else {
                    let isBusy = job & 1 == 1 || job != watch.job
                    (watch.job, watch.since) = (job, now)
                    return (isBusy, false)
                }
                guard now - watch.since >= Self.limit, !watch.hasReported else { return (true, false) }
                watch.hasReported = true
                return (true, true)
            }
            if isFirst {
                StandardError.write(
                    "A task blocked event loop \(loop) of a session manager for 100 ms or longer, so that all requests of this loop waited. "
                        + "Move blocking work out of session.run and session.executor. This is reported once, in debug builds only.\n"
                )
            }
            return isBusy
        }
    }

    /// The monitors of all event loops of the process, and the thread that examines them, which starts with the first loop.
    ///
    /// The thread looks every 50 ms while jobs run. Once none has run for a second, it sleeps until a job begins.
    final class JobMonitors: Sendable {
        static let shared = JobMonitors()

        private struct State {
            var monitors: [ObjectIdentifier: JobMonitor] = [:]
            var hasThread = false
        }

        private let state = Locked(State())
        private let isAsleep = Atomic<Bool>(false)
        private let wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))

        func add(_ monitor: JobMonitor) {
            state.withLock { state in
                state.monitors[ObjectIdentifier(monitor)] = monitor
                // If no thread can be created now, the next loop tries again.
                if !state.hasThread { state.hasThread = SystemThread.start("Job monitor") { JobMonitors.shared.run() } }
            }
        }

        func remove(_ monitor: JobMonitor) {
            state.withLock { $0.monitors[ObjectIdentifier(monitor)] = nil }
        }

        fileprivate func wakeIfAsleep() {
            guard isAsleep.load(ordering: .sequentiallyConsistent) else { return }
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, 8)
        }

        private func run() {
            var idle = 0
            while true {
                idle = examine() ? 0 : idle + 1
                if idle < 20 || wakeDescriptor < 0 {
                    usleep(50_000)
                    continue
                }
                isAsleep.store(true, ordering: .sequentiallyConsistent)
                // A job that has begun before is seen here, and a later one finds the thread asleep.
                if !examine() {
                    var descriptor = pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)
                    poll(&descriptor, 1, -1)
                }
                isAsleep.store(false, ordering: .sequentiallyConsistent)
                var count: UInt64 = 0
                _ = read(wakeDescriptor, &count, 8)
                idle = 0
            }
        }

        private func examine() -> Bool {
            var isBusy = false
            for monitor in state.withLock(\.monitors).values where monitor.examine() { isBusy = true }
            return isBusy
        }
    }
#endif
