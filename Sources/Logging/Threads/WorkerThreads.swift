import Dispatch
import Foundation

/// A bounded group of threads of its own, for work that may block.
///
/// Neither libdispatch's global queues nor the cooperative pool lend it a thread, so that no number of blocked closures holds up
/// what runs there, `Task.sleep` included. Work that finds all threads busy waits in line, first come, first served. A thread is
/// started when there is work and none is idle, and ends after ``idleTime`` without work.
///
/// **Where the system has no more threads** (`EAGAIN`), work waits for the threads that run. Where none runs, libdispatch lends one
/// until the line is empty. The next work tries to start a thread again.
// Sendable although unchecked: `state` and what the workers hold are only touched under `lock`.
package final class WorkerThreads: @unchecked Sendable {
    package typealias Work = @Sendable () -> Void

    /// One thread, while it is there.
    private final class Worker {
        let wakeUp = DispatchSemaphore(value: 0)
        /// What it was given while it was idle.
        var work: Work?
    }

    private struct State {
        var line = WorkLine()
        /// The one that became idle last is the last, and the first to get work: so those that are not needed end. Empty while work
        /// is in line.
        var idle: [Worker] = []
        /// Threads that run, are idle, or are being started.
        var count = 0
        var maximumCount: Int
        /// One is started at a time, and starts the next one if there still is work in line.
        var isStarting = false
    }

    /// How long a thread waits for work before it ends: 10 seconds.
    package static let idleTime = Duration.seconds(10)

    private let name: String
    private let idleTime: DispatchTimeInterval
    private let startThread: @Sendable (_ name: String, _ body: @escaping Work) -> Bool
    private let lock = NSLock()
    private var state: State

    /// - Parameters:
    ///   - name: What debuggers show for its threads; at most 15 bytes.
    ///   - maximumCount: How many threads there may be; a number below 1 counts as 1.
    ///   - startThread: Returns whether the system had a thread for the body.
    package init(
        name: String, maximumCount: Int, idleTime: Duration = idleTime,
        startThread: @escaping @Sendable (_ name: String, _ body: @escaping Work) -> Bool = SystemThread.start
    ) {
        self.name = name
        self.idleTime = .milliseconds(Int(min(max(idleTime, .zero), .seconds(3600)) / .milliseconds(1)))
        self.startThread = startThread
        state = State(maximumCount: max(1, maximumCount))
    }

    /// How many threads there may be. When it is lowered, threads beyond it end as soon as they have done what they do.
    package var maximumCount: Int {
        get { lock.withLock { state.maximumCount } }
        set {
            let starts = lock.withLock {
                state.maximumCount = max(1, newValue)
                return claimStart()
            }
            if starts { start() }
        }
    }

    /// How many threads there are.
    package var count: Int { lock.withLock { state.count } }

    /// How much work waits for a thread.
    package var waitingCount: Int { lock.withLock { state.line.count } }

    /// Runs work once, on one of the threads. Never runs it on the caller's own.
    package func run(_ work: @escaping Work) {
        let (worker, starts): (Worker?, Bool) = lock.withLock {
            if let worker = state.idle.popLast() {
                worker.work = work
                return (worker, false)
            }
            state.line.append(work)
            return (nil, claimStart())
        }
        worker?.wakeUp.signal()
        if starts { start() }
    }

    /// Whether the caller has to start a thread, once it has given up the lock, which is held here.
    private func claimStart() -> Bool {
        guard !state.isStarting, !state.line.isEmpty, state.count < state.maximumCount else { return false }
        state.isStarting = true
        state.count += 1
        return true
    }

    private func start() {
        if startThread(name, { self.begin() }) { return }
        let isAlone = lock.withLock {
            state.isStarting = false
            // Those that run are busy, as there is work in line, and will take it.
            if state.count > 1 || state.line.isEmpty {
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
        let (work, starts): (Work?, Bool) = lock.withLock {
            state.isStarting = false
            let work = state.line.popFirst()
            return (work, claimStart())
        }
        if starts { start() }
        if let work { SystemThread.run(work) }
    }

    /// Waits for work; `nil` ends the thread.
    private func next(for worker: Worker) -> Work? {
        let found: Work?? = lock.withLock {
            if state.count > state.maximumCount {
                state.count -= 1
                return .some(nil)
            }
            if let work = state.line.popFirst() { return work }
            state.idle.append(worker)
            return nil
        }
        if let found { return found }
        while true {
            let isLate = worker.wakeUp.wait(timeout: .now() + idleTime) == .timedOut
            let found: Work?? = lock.withLock {
                // Given at the very moment the wait ended, perhaps.
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

    /// As a thread that libdispatch lends: until nothing waits.
    private func drain() {
        while true {
            let work: Work? = lock.withLock {
                let work = state.line.popFirst()
                if work == nil { state.count -= 1 }
                return work
            }
            guard let work else { return }
            work()
        }
    }
}

/// Work in the order it came.
struct WorkLine {
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
            // Moving the rest costs no more than what was taken before.
            if first >= 64, first * 2 >= items.count {
                items.removeFirst(first)
                first = 0
            }
        }
        return items[first]
    }
}
