#if os(Linux)
    import Foundation

    /// What the thread of a loop runs for the caller.
    struct LoopJob: Sendable {
        private enum Work {
            /// A job of a task, with the executor that it has to run on, which retains the loop until the job has run.
            case job(UnownedJob, any TaskExecutor)
            /// A completion (``CompletionPlace/onEventLoop``).
            case completion(@Sendable () -> Void)
        }

        private let work: Work

        init(_ job: UnownedJob, _ executor: any TaskExecutor) {
            work = .job(job, executor)
        }

        init(_ completion: @escaping @Sendable () -> Void) {
            work = .completion(completion)
        }

        func run() {
            switch work {
            case .job(let job, let executor): job.runSynchronously(on: executor.asUnownedTaskExecutor())
            case .completion(let completion): completion()
            }
        }
    }

    /// The jobs that wait for the thread of a loop, in order. Used only on that thread.
    final class LoopJobs {
        @exclusivity(unchecked) private var waiting: [LoopJob] = []
        /// The index of the next job in `waiting`.
        @exclusivity(unchecked) private var next = 0
        /// Whether a job runs, and the thread does not hold the lock of the loop.
        var isRunning = false
        #if DEBUG
            let monitor: JobMonitor

            /// - Parameter loop: The number of the event loop.
            init(loop: Int) {
                monitor = JobMonitor(loop: loop)
                JobMonitors.shared.add(monitor)
            }

            deinit {
                JobMonitors.shared.remove(monitor)
            }
        #else
            init(loop: Int) {}
        #endif

        var isEmpty: Bool { next == waiting.count }

        func append(_ job: LoopJob) {
            waiting.append(job)
        }

        func append(_ jobs: [LoopJob]) {
            waiting += jobs
        }

        /// Runs jobs until none waits, but no more than a limit, so that endless jobs do not delay the sockets.
        ///
        /// - Parameter mustEnd: Called after each job.
        func run(atMost limit: Int, until mustEnd: () -> Bool) {
            isRunning = true
            defer { isRunning = false }
            var count = 0
            while count < limit, next < waiting.count {
                let job = waiting[next]
                next += 1
                count += 1
                if next == waiting.count {
                    waiting.removeAll(keepingCapacity: next < 1000)
                    next = 0
                }
                #if DEBUG
                    monitor.beginJob()
                    job.run()
                    monitor.endJob()
                #else
                    job.run()
                #endif
                if mustEnd() { return }
            }
        }
    }
#endif
