import NetworkSupport

/// A group of threads for work that may block. There are four: for callers' closures, for files, for lookups of names, and for bodies that `URLSession`
/// sends while they are produced.
///
/// The groups are separate from each other, from libdispatch's queues and from the cooperative pool of async tasks. Closures that
/// block can therefore delay only other closures, once ``maximumCount`` of them block; transfers, async calls, files and
/// `Task.sleep` continue.
///
/// ```swift
/// BackgroundThreads.completions.maximumCount = 16
/// ```
///
/// A group starts a thread when there is work and no thread is idle; a thread that was idle for 10 seconds ends. Work beyond the
/// limit waits, first come, first served. If the system cannot start another thread, work waits for the running threads, or runs
/// on a thread of libdispatch if there are none.
public struct BackgroundThreads: Sendable, BlockingWorkRunner {
    /// The threads that run completions and other closures for which the caller passed no queue: results, chunks, values, events
    /// and progress.
    public static let completions = BackgroundThreads("dt-completions")
    /// The threads that run the package's own blocking work: opening, reading, writing and examining files.
    package static let files = BackgroundThreads("dt-files")
    /// The threads on which names are looked up with the system's resolver.
    package static let names = BackgroundThreads("dt-names")
    /// The threads that write bodies which `URLSession` sends while they are produced. Each blocks while the network accepts no bytes.
    package static let bodies = BackgroundThreads("dt-bodies")
    /// The default maximum number of threads of a group: 64.
    static let defaultMaximumCount = 64

    private let threads: WorkerThreads

    private init(_ name: String) {
        threads = WorkerThreads(name: name, maximumCount: Self.defaultMaximumCount)
    }

    /// The maximum number of threads of the group, for the whole process. Default: 64; a number below 1 counts as 1.
    ///
    /// When it is lowered, excess threads end after their current work.
    public var maximumCount: Int {
        get { threads.maximumCount }
        nonmutating set { threads.maximumCount = newValue }
    }

    /// The current number of threads of the group.
    package var count: Int { threads.count }

    /// The number of work items that currently wait for a thread.
    package var waitingCount: Int { threads.waitingCount }

    /// Runs work once, on one of the group's threads and never on the caller's. It may block.
    public func run(_ work: @escaping @Sendable () -> Void) {
        threads.run(work)
    }
}

/// A serial queue for work that may block.
///
/// Work runs one after another, in the order of submission. It uses at most one thread, and none while it is empty.
package final class SerialWork: BlockingWorkRunner {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isWorking = false
    }

    private let state = Locked(State())
    private let threads: BackgroundThreads

    /// Creates an empty queue.
    ///
    /// - Parameter threads: Where the work runs. Default: ``BackgroundThreads/files``.
    package init(on threads: BackgroundThreads = .files) {
        self.threads = threads
    }

    /// Runs the work once, after all work that was submitted before.
    package func run(_ work: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.waiting.append(work)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if starts { threads.run { self.work() } }
    }

    private func work() {
        while true {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isWorking = !state.waiting.isEmpty
                return state.waiting
            }
            if waiting.isEmpty { return }
            for work in waiting { work() }
        }
    }
}

/// Runs work that may block, outside the cooperative pool of async tasks.
package protocol BlockingWorkRunner: Sendable {
    /// Runs work once, without waiting for it.
    func run(_ work: @escaping @Sendable () -> Void)
}

extension BlockingWorkRunner {
    /// Runs work that may block, and returns when it has returned, even if the task is cancelled.
    package func perform(_ work: @escaping @Sendable () -> Void) async {
        let work = Locked<(@Sendable () -> Void)?>(work)
        await withUnsafeContinuation { continuation in
            run {
                // Released when it has returned, so that the caller is the only owner of its objects again.
                work.withLock { work in
                    defer { work = nil }
                    return work
                }?()
                continuation.resume()
            }
        }
    }

    /// Runs work that may block, and returns its result, even if the task is cancelled.
    package func value<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let done = Promise<Result<Value, Failure>>()
        await perform { done.resolve(Result { () throws(Failure) in try work() }) }
        return try await done.value().get()
    }
}
