#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    /// The transfer of one subscriber.
    ///
    /// Whichever comes second of demand and value delivers it; whichever comes first of end and cancellation lets go of the
    /// subscriber, so that the two do not keep each other alive.
    // Sendable although unchecked: `state` is only touched inside `withLock`, and the subscriber, as Combine has it, is called by
    // one thread at a time.
    final class DataTransferSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable
    where Downstream.Input: Sendable, Downstream.Failure == DataTransferError {
        typealias Outcome = Result<Downstream.Input, DataTransferError>

        private struct State {
            /// `nil` once it was told the end, or cancelled.
            var downstream: Downstream?
            var handle: (any NetworkCancellable)?
            var isDemanded = false
            /// A value that nobody has asked for yet.
            var value: Downstream.Input?
            var hasOutcome = false

            mutating func takeValue() -> Downstream.Input? {
                guard isDemanded, downstream != nil else { return nil }
                defer { value = nil }
                return value
            }
        }

        private let lock = NSLock()
        private var state: State

        init(downstream: Downstream) {
            state = State(downstream: downstream)
        }

        /// Called once, after the subscriber has its subscription.
        func start(_ start: DataTransferPublisher<Downstream.Input>.Start) {
            guard withLock({ $0.downstream != nil }) else { return }
            let handle = start { self.receive($0) }
            let isCancelled = withLock { state in
                if state.downstream != nil && !state.hasOutcome { state.handle = handle }
                return state.downstream == nil && !state.hasOutcome
            }
            if isCancelled { handle.cancel() }
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            let value = withLock { state in
                state.isDemanded = true
                return state.takeValue()
            }
            if let value { deliver(value) }
        }

        func cancel() {
            let (handle, downstream) = withLock { state in
                defer {
                    state.handle = nil
                    state.downstream = nil
                    state.value = nil
                }
                return (state.handle, state.downstream)
            }
            handle?.cancel()
            // Released here, not under the lock: its end may call anything.
            _ = downstream
        }

        private func receive(_ outcome: Outcome) {
            switch outcome {
            case .success(let value):
                let demanded = withLock { state in
                    state.hasOutcome = true
                    state.handle = nil
                    if state.downstream != nil { state.value = value }
                    return state.takeValue()
                }
                if let demanded { deliver(demanded) }
            case .failure(let error):
                withLock { $0.hasOutcome = true }
                finish(.failure(error))
            }
        }

        private func deliver(_ value: Downstream.Input) {
            guard let downstream = withLock({ $0.downstream }) else { return }
            _ = downstream.receive(value)
            finish(.finished)
        }

        private func finish(_ completion: Subscribers.Completion<DataTransferError>) {
            let downstream = withLock { state in
                defer {
                    state.downstream = nil
                    state.handle = nil
                }
                return state.downstream
            }
            downstream?.receive(completion: completion)
        }

        private func withLock<Value>(_ body: (inout State) -> Value) -> Value {
            lock.lock()
            defer { lock.unlock() }
            return body(&state)
        }
    }
#endif
