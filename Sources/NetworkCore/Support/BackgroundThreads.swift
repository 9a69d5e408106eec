import NetworkLogging

/// The threads that this package runs work on which may block: a group for callers' closures, and one for files.
///
/// Both are apart from each other, from libdispatch's queues and from the cooperative pool of async tasks. So closures that block
/// hold up other closures at most, once there are ``maximumCount`` of them; transfers, async calls, files and `Task.sleep` go on.
///
/// ```swift
/// BackgroundThreads.completions.maximumCount = 16
/// ```
///
/// A group starts a thread when there is work and no thread is idle; one that was idle for 10 seconds ends. Work beyond the limit
/// waits, first come, first served. Where the system has no thread left, work waits for those that run, or is done on one
/// that libdispatch lends.
public struct BackgroundThreads: Sendable {
    /// Run completions and other closures of callers that were not given a queue: results, chunks, values, events, progress.
    public static let completions = BackgroundThreads("dt-completions")
    /// Do what may block in the package itself: open, read, write and look at files.
    public static let files = BackgroundThreads("dt-files")
    /// How many threads a group may have unless told otherwise: 64.
    public static let defaultMaximumCount = 64

    private let threads: WorkerThreads

    private init(_ name: String) {
        threads = WorkerThreads(name: name, maximumCount: Self.defaultMaximumCount)
    }

    /// How many threads the group may have, for the whole process. Default: 64; a number below 1 counts as 1.
    ///
    /// When it is lowered, threads beyond it end as soon as they have done what they do.
    public var maximumCount: Int {
        get { threads.maximumCount }
        nonmutating set { threads.maximumCount = newValue }
    }

    /// How many threads the group has now.
    public var count: Int { threads.count }

    /// How much work waits for a thread now.
    public var waitingCount: Int { threads.waitingCount }

    /// Runs work once, on one of the group's threads, never on the caller's. It may block.
    public func run(_ work: @escaping @Sendable () -> Void) {
        threads.run(work)
    }

    /// Runs work that may block, and returns what it does: no thread of the cooperative pool waits for it.
    package func value<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        // What the work has made comes through a lock: the thread sanitizer does not see the way through a continuation.
        let done = Locked<Result<Value, Failure>?>(nil)
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            threads.run {
                let result = Result { () throws(Failure) in try work() }
                done.withLock { $0 = result }
                continuation.resume()
            }
        }
        guard let result = done.withLock(\.self) else { preconditionFailure("the work was not done") }
        return try result.get()
    }
}

/// Work that may block and is done one after another, in the order it came, on ``BackgroundThreads/files``.
///
/// It takes one thread at most, and none while there is nothing to do.
package final class SerialWork: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isWorking = false
    }

    private let state = Locked(State())

    /// With nothing to do.
    package init() {}

    /// Does the work once, behind what waits.
    package func run(_ work: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.waiting.append(work)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if starts { BackgroundThreads.files.run { self.work() } }
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
