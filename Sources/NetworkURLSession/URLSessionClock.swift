import Dispatch
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Ends transfers at their deadlines, to the millisecond, with one timer for all transfers of a session manager.
///
/// The timer runs on a separate queue that all clocks share, so that a busy `URLSession` does not delay it.
// Sendable although unchecked: the heap is protected by its lock, and the timer is only set on the queue.
final class URLSessionClock: @unchecked Sendable {
    private static let queue = DispatchQueue(label: "swift-data-transfer.urlsession.clock")

    private struct State {
        var heap = DeadlineHeap<URLSessionTransfer>()
        /// The time at which the timer fires.
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

    /// Starts watching a transfer, with the current deadline of its activity.
    func watch(_ transfer: URLSessionTransfer) {
        let deadline = transfer.activity.withLock { $0.deadline(at: Self.now) }
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
            // The deadline may have moved since the transfer was inserted.
            let deadline = transfer.activity.withLock { $0.deadline(at: now) }
            if deadline <= now { transfer.expire(at: now) } else { reinsert(transfer, deadline) }
        }
        arm()
    }

    /// Inserts a transfer again that is not late, unless it was inserted concurrently or has ended.
    private func reinsert(_ transfer: URLSessionTransfer, _ deadline: UInt64) {
        state.withLock { state in
            if transfer.heapIndex < 0 { Self.insert(transfer, deadline, into: &state) }
        }
        if transfer.activity.withLock(\.hasEnded) { forget(transfer) }
    }

    private static func insert(_ transfer: URLSessionTransfer, _ deadline: UInt64, into state: inout State) {
        guard deadline != .max else { return }
        transfer.deadline = deadline
        state.heap.insert(transfer)
    }

    /// Sets the timer to the earliest deadline, if that is sooner than its current time. Only called on the queue, so that a
    /// later time cannot replace a sooner one.
    private func arm() {
        let next: UInt64? = state.withLock { state in
            guard let next = state.heap.first?.deadline, next < state.armed else { return nil }
            state.armed = next
            return next
        }
        if let next { timer.schedule(deadline: DispatchTime(uptimeNanoseconds: next), leeway: .nanoseconds(0)) }
    }
}
