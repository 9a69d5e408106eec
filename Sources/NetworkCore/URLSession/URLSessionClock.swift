import Dispatch

/// Ends transfers that are late, to the millisecond: one timer for all of a session manager's.
///
/// It runs on a queue of the clocks' own, so that a busy `URLSession` does not make it late.
// Sendable although unchecked: the heap is behind its lock, and the timer is only armed while that lock is held.
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
        state.withLock { state in
            state.heap.remove(transfer)
            Self.insert(transfer, into: &state)
            arm(&state)
        }
    }

    func forget(_ transfer: URLSessionTransfer) {
        state.withLock { $0.heap.remove(transfer) }
    }

    private func fire() {
        let now = Self.now
        var late: [URLSessionTransfer] = []
        state.withLock { state in
            state.armed = .max
            while let transfer = state.heap.first, transfer.deadline <= now {
                state.heap.remove(transfer)
                // It may have moved since it was put in.
                if transfer.activity.withLock({ $0.deadline }) <= now {
                    late.append(transfer)
                } else {
                    Self.insert(transfer, into: &state)
                }
            }
            arm(&state)
        }
        for transfer in late { transfer.expire(at: now) }
    }

    private static func insert(_ transfer: URLSessionTransfer, into state: inout State) {
        let deadline = transfer.activity.withLock { $0.deadline }
        guard deadline != .max else { return }
        transfer.deadline = deadline
        state.heap.insert(transfer)
    }

    private func arm(_ state: inout State) {
        guard let next = state.heap.first?.deadline, next < state.armed else { return }
        state.armed = next
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: next), leeway: .nanoseconds(0))
    }
}
