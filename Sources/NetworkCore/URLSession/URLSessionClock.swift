import Dispatch

/// Ends transfers that are late, to the millisecond: one timer for all of a session manager's.
///
/// It runs on a queue of the clocks' own, so that a busy `URLSession` does not make it late.
// Sendable although unchecked: the heap is behind its lock, and the timer is only armed on the queue.
final class URLSessionClock: @unchecked Sendable {
    private static let queue = DispatchQueue(label: "swift-data-transfer.urlsession.clock")

    private struct State {
        var heap = DeadlineHeap<URLSessionTransfer>()
        /// When the timer will fire.
        var armed = UInt64.max
    }

    private let state = Locked(State())
    private let timer: any DispatchSourceTimer

    init() {
        timer = DispatchSource.makeTimerSource(queue: Self.queue)
        timer.setEventHandler { [weak self] in self?.fire() }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Watches over a transfer, from what its activity says now.
    func watch(_ transfer: URLSessionTransfer) {
        let deadline = transfer.activity.withLock { $0.deadline }
        let isSooner = state.withLock { state in
            state.heap.remove(transfer)
            Self.insert(transfer, deadline, into: &state)
            return state.heap.first.map { $0.deadline < state.armed } ?? false
        }
        if isSooner { Self.queue.async { [weak self] in self?.arm() } }
    }

    func forget(_ transfer: URLSessionTransfer) {
        state.withLock { $0.heap.remove(transfer) }
    }

    // MARK: On the queue

    private func fire() {
        let now = Self.now
        let due = state.withLock { state in
            state.armed = .max
            var due: [URLSessionTransfer] = []
            while let transfer = state.heap.first, transfer.deadline <= now {
                state.heap.remove(transfer)
                due.append(transfer)
            }
            return due
        }
        for transfer in due {
            // It may have moved since it was put in.
            let deadline = transfer.activity.withLock { $0.deadline }
            if deadline <= now { transfer.expire(at: now) } else { watchOn(transfer, deadline) }
        }
        arm()
    }

    /// Puts back what is not late yet, unless somebody else has, or it has ended meanwhile.
    private func watchOn(_ transfer: URLSessionTransfer, _ deadline: UInt64) {
        state.withLock { state in
            if transfer.heapIndex < 0 { Self.insert(transfer, deadline, into: &state) }
        }
        if transfer.isAnswered { forget(transfer) }
    }

    private static func insert(_ transfer: URLSessionTransfer, _ deadline: UInt64, into state: inout State) {
        guard deadline != .max else { return }
        transfer.deadline = deadline
        state.heap.insert(transfer)
    }

    /// Sets the timer for the earliest deadline, if that is sooner than it will fire. On the queue alone, so that a later one
    /// cannot take the place of a sooner one.
    private func arm() {
        let next: UInt64? = state.withLock { state in
            guard let next = state.heap.first?.deadline, next < state.armed else { return nil }
            state.armed = next
            return next
        }
        if let next { timer.schedule(deadline: DispatchTime(uptimeNanoseconds: next), leeway: .nanoseconds(0)) }
    }
}
