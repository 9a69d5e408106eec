#if os(Linux)
    import NetworkTransport
    import Foundation

    /// An executor that runs the jobs of tasks on the thread of an event loop.
    ///
    /// It retains the event loops of its session manager: tasks may continue to use them after the session manager was released.
    final class LoopExecutor: TaskExecutor {
        private let owner: SessionOwner
        private let inbox: LoopInbox

        init(_ owner: SessionOwner, _ inbox: LoopInbox) {
            self.owner = owner
            self.inbox = inbox
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = LoopJob(UnownedJob(job), self)
            if let loop = EventLoop.ofThisThread, loop.inbox === inbox { return loop.jobs.append(job) }
            if inbox.send(job, of: owner.session) { return }
            // The process has no descriptor, thread or memory for the loop. The requests of the task fail with an error that says so.
            DispatchQueue.global().async { job.run() }
        }
    }

    /// The right to start transfers. The session is closed when the session manager and its executors were released.
    final class SessionOwner: Sendable {
        let session: SocketSession

        init(_ session: SocketSession) {
            self.session = session
        }

        deinit {
            session.close()
        }
    }

    extension EventLoop {
        /// The event loop whose thread is the current one.
        static var ofThisThread: EventLoop? {
            pthread_getspecific(threadKey).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
        }

        private static let threadKey: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        /// Makes this the event loop of the current thread.
        func claimThread() {
            pthread_setspecific(Self.threadKey, Unmanaged.passUnretained(self).toOpaque())
        }

        /// Ends the claim of the current thread.
        func leaveThread() {
            pthread_setspecific(Self.threadKey, nil)
        }
    }
#endif
