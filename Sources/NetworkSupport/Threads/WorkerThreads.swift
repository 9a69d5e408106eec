import Dispatch
import Foundation

/// A pool of a limited number of dedicated threads, for work that may block.
///
/// It uses no threads of libdispatch's global queues or of the cooperative pool, so that blocked closures do not delay the work there,
/// including `Task.sleep`. If all threads are busy, work waits in a first-in, first-out queue. A thread is started when there is work and
/// no thread is idle, and ends after ``idleTime`` without work.
///
/// **If the system cannot create a thread** (`EAGAIN`), work waits for the running threads. If there is none, a thread of libdispatch's
/// global queue runs the work until the queue is empty. Later work tries to start a thread again.
package final class WorkerThreads: Sendable {
    package typealias Work = @Sendable () -> Void

    /// The state of one thread.
    // `@unchecked Sendable`: `work` is accessed only while the lock of the threads is held.
    private final class Worker: @unchecked Sendable {
        let wakeUp = DispatchSemaphore(value: 0)
        /// The work that was assigned while the thread was idle.
        var work: Work?
    }

    private struct State {
        var queue = WorkQueue()
        /// The idle threads, in the order in which they became idle. The last one receives work first, so that threads that are not
        /// needed end. Empty while work is queued.
        var idle: [Worker] = []
        /// The number of threads that run, are idle, or are being started.
        var count = 0
        var maximumCount: Int
        /// Whether a thread is being started. One is started at a time; it starts the next one if work is still queued.
        var isStarting = false

        /// Returns whether the caller has to start a thread after releasing the lock.
        mutating func claimStart() -> Bool {
            guard !isStarting, !queue.isEmpty, count < maximumCount else { return false }
            isStarting = true
            count += 1
            return true
        }
    }

    /// The default time that a thread waits for work before it ends: 10 seconds.
    package static let idleTime = Duration.seconds(10)

    private let name: String
    private let idleTime: DispatchTimeInterval
    private let startThread: @Sendable (_ name: String, _ body: @escaping Work) -> Bool
    private let state: Locked<State>

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - name: The name of the threads in debuggers; at most 15 bytes.
    ///   - maximumCount: The maximum number of threads; a number below 1 counts as 1.
    ///   - idleTime: The time that a thread waits for work before it ends; at most one hour.
    ///   - startThread: Starts a thread that runs the body. Returns whether the system could create the thread.
    package init(
        name: String, maximumCount: Int, idleTime: Duration = idleTime,
        startThread: @escaping @Sendable (_ name: String, _ body: @escaping Work) -> Bool = SystemThread.start
    ) {
        self.name = name
        self.idleTime = .milliseconds(Int(min(max(idleTime, .zero), .seconds(3600)) / .milliseconds(1)))
        self.startThread = startThread
        state = Locked(State(maximumCount: max(1, maximumCount)))
    }

    /// The maximum number of threads. If it is lowered, surplus threads end after their current work.
    package var maximumCount: Int {
        get { state.withLock(\.maximumCount) }
        set {
            let starts = state.withLock { state in
                state.maximumCount = max(1, newValue)
                return state.claimStart()
            }
            if starts { start() }
        }
    }

    /// The current number of threads.
    package var count: Int { state.withLock(\.count) }

    /// The number of closures that wait for a thread.
    package var waitingCount: Int { state.withLock(\.queue.count) }

    /// Runs work once on one of the threads, never on the calling thread.
    package func run(_ work: @escaping Work) {
        let (worker, starts): (Worker?, Bool) = state.withLock { state in
            if let worker = state.idle.popLast() {
                worker.work = work
                return (worker, false)
            }
            state.queue.append(work)
            return (nil, state.claimStart())
        }
        worker?.wakeUp.signal()
        if starts { start() }
    }

    private func start() {
        if startThread(name, { self.begin() }) { return }
        let isAlone = state.withLock { state in
            state.isStarting = false
            // The other threads are busy because work is queued, and will run it.
            if state.count > 1 || state.queue.isEmpty {
                state.count -= 1
                return false
            }
            return true
        }
        if isAlone { DispatchQueue.global().async { self.drain() } }
    }

    // MARK: On the threads

    private func begin() {
        runFirst()
        let worker = Worker()
        while let work = next(for: worker) { SystemThread.run(work) }
    }

    private func runFirst() {
        let (work, starts): (Work?, Bool) = state.withLock { state in
            state.isStarting = false
            let work = state.queue.popFirst()
            return (work, state.claimStart())
        }
        if starts { start() }
        if let work { SystemThread.run(work) }
    }

    /// Waits for work and returns it; `nil` ends the thread.
    private func next(for worker: Worker) -> Work? {
        let found: Work?? = state.withLock { state in
            if state.count > state.maximumCount {
                state.count -= 1
                return .some(nil)
            }
            if let work = state.queue.popFirst() { return work }
            state.idle.append(worker)
            return nil
        }
        if let found { return found }
        while true {
            let isLate = worker.wakeUp.wait(timeout: .now() + idleTime) == .timedOut
            let found: Work?? = state.withLock { state in
                // Checked even after a timeout, because work may have been assigned when the wait ended.
                if let work = worker.work {
                    worker.work = nil
                    return work
                }
                guard isLate else { return nil }
                state.idle.removeAll { $0 === worker }
                state.count -= 1
                return .some(nil)
            }
            if let found { return found }
        }
    }

    /// Runs work on a thread of libdispatch until the queue is empty.
    private func drain() {
        while true {
            let work: Work? = state.withLock { state in
                let work = state.queue.popFirst()
                if work == nil { state.count -= 1 }
                return work
            }
            guard let work else { return }
            work()
        }
    }
}

/// A first-in, first-out queue of work.
struct WorkQueue {
    private var items: [WorkerThreads.Work?] = []
    private var first = 0

    var count: Int { items.count - first }
    var isEmpty: Bool { first == items.count }

    mutating func append(_ work: @escaping WorkerThreads.Work) {
        items.append(work)
    }

    mutating func popFirst() -> WorkerThreads.Work? {
        guard first < items.count else { return nil }
        defer {
            items[first] = nil
            first += 1
            // Moves the remaining items only after at least as many were removed, so that removal takes constant time on average.
            if first >= 64, first * 2 >= items.count {
                items.removeFirst(first)
                first = 0
            }
        }
        return items[first]
    }
}

/// Creation of POSIX threads.
package enum SystemThread {
    /// Starts a detached thread. Its stack has 8 MiB on Linux, and the system's default size elsewhere.
    ///
    /// It blocks all signals except faults and `SIGPROF`, so that signals sent to the process are delivered to other threads.
    ///
    /// - Returns: `false` if the system could not create the thread; the body is not called then.
    @Sendable package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Body(name, body))
        let isCreated = create(context.toOpaque())
        if !isCreated { context.release() }
        return isCreated
    }

    /// Runs the body of a thread that was created with this context.
    static func runBody(_ context: UnsafeMutableRawPointer) {
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    }

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
