#if os(Linux)
    import NetworkTransport
    import Foundation

    /// An executor that runs the jobs of tasks on the thread of an event loop.
    ///
    /// It retains the loops of its session manager: tasks may continue to use them after the session manager was released.
    final class LoopExecutor: TaskExecutor {
        private let owner: LoopsOwner
        private let loop: CurlLoop

        init(_ owner: LoopsOwner, _ loop: CurlLoop) {
            self.owner = owner
            self.loop = loop
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = LoopJob(UnownedJob(job), self)
            if let engine = CurlEngine.ofThisThread, engine.loop === loop { return engine.jobs.append(job) }
            if loop.send(job, of: owner.loops) { return }
            // The process has no descriptor, thread or memory for the loop. The requests of the task fail with an error that says so.
            DispatchQueue.global().async { job.run() }
        }
    }

    /// The right to start transfers. The loops are closed when the session manager and its executors were released.
    final class LoopsOwner: Sendable {
        let loops: CurlLoops

        init(_ loops: CurlLoops) {
            self.loops = loops
        }

        deinit {
            loops.close()
        }
    }

    /// What the thread of a loop runs for the caller.
    struct LoopJob: Sendable {
        private enum Work {
            /// A job of a task, with the executor that it has to run on, which retains the loop until the job has run.
            case job(UnownedJob, LoopExecutor)
            /// A completion (``CompletionPlace/onEventLoop``).
            case completion(@Sendable () -> Void)
        }

        private let work: Work

        init(_ job: UnownedJob, _ executor: LoopExecutor) {
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
        /// Whether a job runs, and the thread does not hold the lock of the engine.
        var isRunning = false
        /// The transfer that a job started last.
        var started: LoopTransfer?
        let loopGuard: LoopGuard

        init(_ loopGuard: LoopGuard) {
            self.loopGuard = loopGuard
        }

        var isEmpty: Bool { next == waiting.count }

        func append(_ job: LoopJob) {
            waiting.append(job)
        }

        func append(_ jobs: [LoopJob]) {
            waiting += jobs
        }

        /// Runs jobs until none waits, but no more than a limit, so that endless jobs do not delay the sockets.
        func run(atMost limit: Int) {
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
                    loopGuard.beginJob()
                    job.run()
                    loopGuard.endJob()
                #else
                    job.run()
                #endif
            }
        }
    }

    extension CurlEngine {
        /// The engine whose thread is the current one.
        static var ofThisThread: CurlEngine? {
            pthread_getspecific(threadKey).map { Unmanaged<CurlEngine>.fromOpaque($0).takeUnretainedValue() }
        }

        private static let threadKey: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        /// Makes this the engine of the current thread.
        func claimThread() {
            pthread_setspecific(Self.threadKey, Unmanaged.passUnretained(self).toOpaque())
        }

        /// Ends the claim of the current thread.
        func leaveThread() {
            pthread_setspecific(Self.threadKey, nil)
        }
    }
#endif
