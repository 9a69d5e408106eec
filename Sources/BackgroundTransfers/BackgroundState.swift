import DataTransfer
import Foundation
import NetworkSupport

/// Which transfers exist, and which calls wait for them.
struct BackgroundState {
    /// A call that waits for the end of a transfer.
    struct Waiter: Sendable {
        /// Receives the outcome, unless the call's task was cancelled before.
        let outcome: Promise<BackgroundOutcome?>
        let progress: (any TransferProgressObserver)?
    }

    /// What a call does.
    enum Decision {
        /// Look for a stored outcome. Without one, start the transfer.
        case begin
        /// Wait for the transfer, which exists.
        case wait
        /// Fail: a transfer of this name exists, and is another one.
        case refuse(BackgroundTask)
        /// Fail: too many transfers exist.
        case refuseAsTooMany
    }

    /// A transfer that has not ended.
    private struct Transfer {
        var task: BackgroundTask
        /// The number of the system's task; `nil` while its body is prepared.
        var number: Int?
        var waiters: [Waiter] = []
        var progress = TransferProgress()
        /// What the system has reported of its response before its end.
        var partial = Partial()
    }

    /// The parts of a response that precede the end of a task.
    struct Partial {
        var body = Data()
        /// The length of the file that was placed.
        var fileBytes: Int64?
        var failure: BackgroundOutcome.Failure?
    }

    /// The maximum number of transfers that have not ended.
    static let maximumTransfers = 1000

    private var transfers: [String: Transfer] = [:]
    /// The numbers of tasks that have ended before those of earlier processes were adopted; `nil` afterwards.
    private var endedTasks: Set<Int>? = []

    /// The names of the transfers that have not ended, sorted.
    var ids: [String] { transfers.keys.sorted() }

    /// The names of the files with bodies that are still needed.
    var bodyNames: Set<String> { Set(transfers.values.compactMap(\.task.bodyName)) }

    /// Adds a task that the system has continued while this process did not run.
    mutating func adopt(_ task: BackgroundTask, number: Int) {
        if let endedTasks, endedTasks.contains(number) { return }
        if transfers[task.id] == nil { transfers[task.id] = Transfer(task: task, number: number) }
    }

    /// Records that all tasks of earlier processes were adopted.
    mutating func endAdoption() {
        endedTasks = nil
    }

    /// Adds a call.
    mutating func join(_ task: BackgroundTask, _ waiter: Waiter) -> Decision {
        if let transfer = transfers[task.id] {
            guard transfer.task.isSame(as: task) else { return .refuse(transfer.task) }
            transfers[task.id]?.waiters.append(waiter)
            return .wait
        }
        guard transfers.count < Self.maximumTransfers else { return .refuseAsTooMany }
        transfers[task.id] = Transfer(task: task, waiters: [waiter])
        return .begin
    }

    /// Records that the system has started the task of a transfer.
    ///
    /// - Returns: Whether the transfer still exists. If not, the task is to be cancelled.
    mutating func start(_ task: BackgroundTask, number: Int) -> Bool {
        guard let transfer = transfers[task.id], transfer.number == nil else { return false }
        transfers[task.id]?.number = number
        transfers[task.id]?.task = task
        return true
    }

    /// Returns the number of the task of a transfer; `nil` if it has none.
    func number(of id: String) -> Int? { transfers[id]?.number }

    /// Returns how many calls wait for a transfer.
    func waitingCalls(of id: String) -> Int { transfers[id]?.waiters.count ?? 0 }

    /// Returns a transfer whose body is being prepared; `nil` if no transfer has this name.
    func prepared(_ id: String) -> BackgroundTask? { transfers[id].flatMap { $0.number == nil ? $0.task : nil } }

    /// Returns whether a transfer exists and its body is being prepared.
    func isPreparing(_ id: String) -> Bool { transfers[id].map { $0.number == nil } ?? false }

    /// Records the progress of a task, and returns it with the observers.
    mutating func report(
        _ task: BackgroundTask, _ change: (inout TransferProgress) -> Void
    ) -> (progress: TransferProgress, observers: [any TransferProgressObserver]) {
        guard var transfer = transfers[task.id] else { return (TransferProgress(), []) }
        change(&transfer.progress)
        transfers[task.id] = transfer
        return (transfer.progress, transfer.waiters.compactMap(\.progress))
    }

    /// Records a part of the response, of a task that may have been started by an earlier process.
    mutating func receive(_ task: BackgroundTask, number: Int, _ change: (inout Partial) -> Void) {
        adopt(task, number: number)
        if let partial = transfers[task.id]?.partial {
            var changed = partial
            change(&changed)
            transfers[task.id]?.partial = changed
        }
    }

    /// Removes and returns what was received of a response before the end of its task.
    mutating func takePartial(_ task: BackgroundTask) -> Partial {
        defer { transfers[task.id]?.partial = Partial() }
        return transfers[task.id]?.partial ?? Partial()
    }

    /// Removes a transfer that has ended, and returns the calls that wait for it.
    ///
    /// - Parameter number: The number of the task that has ended; `nil` for a transfer without one.
    /// - Returns: The calls, and the number of another task that was started for the same transfer meanwhile.
    mutating func end(_ task: BackgroundTask, number: Int?) -> (waiters: [Waiter], other: Int?) {
        if let number { endedTasks?.insert(number) }
        guard let transfer = transfers[task.id], transfer.task.isSame(as: task) else { return ([], nil) }
        transfers[task.id] = nil
        return (transfer.waiters, transfer.number == number ? nil : transfer.number)
    }
}
