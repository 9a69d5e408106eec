import Foundation

/// State behind a lock, that can be waited for.
// Sendable although unchecked: what is stored is only touched inside `withLock`.
final class Guarded<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State
    private var waiters: [UUID: (isMet: (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = [:]

    init(_ state: State) {
        self.state = state
    }

    @discardableResult
    func withLock<Value>(_ body: (inout State) -> Value) -> Value {
        lock.lock()
        let value = body(&state)
        let met = waiters.filter { $0.value.isMet(state) }
        for key in met.keys { waiters[key] = nil }
        lock.unlock()
        for waiter in met.values { waiter.continuation.resume() }
        return value
    }

    /// Returns once the state is so, or the task is cancelled, as it is when the test is over its time.
    func wait(until isMet: @escaping (State) -> Bool) async {
        let key = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                lock.lock()
                let isOver = isMet(state) || Task.isCancelled
                if !isOver { waiters[key] = (isMet, continuation) }
                lock.unlock()
                if isOver { continuation.resume() }
            }
        } onCancel: {
            lock.lock()
            let waiter = waiters.removeValue(forKey: key)
            lock.unlock()
            waiter?.continuation.resume()
        }
    }
}
