#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    /// Takes value after value from a source while its subscriber has demand.
    ///
    /// It waits for one value at a time, in a task that ends with the value. Between two values, and without demand, there is no task:
    /// only the subscriber holds the subscription then, and letting go of it ends the transfer. Whichever comes first of end and
    /// cancellation lets go of the subscriber and the source.
    // Sendable although unchecked: `state` is only touched inside `withLock`, and the subscriber, as Combine has it, is called by
    // one thread at a time.
    final class PulledSubscription<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
        private typealias Step = Result<PulledSource<Output, Failure>.Step, Failure>

        private struct State {
            /// `nil` once it was told the end, or cancelled; and so is the source.
            var downstream: AnySubscriber<Output, Failure>?
            var source: PulledSource<Output, Failure>?
            var demand = Subscribers.Demand.none
            /// From asking for a value until the subscriber has taken it: nobody else asks meanwhile.
            var isPulling = false
            /// The one that waits for a value.
            var task: Task<Void, Never>?
        }

        private let lock = NSLock()
        private var state: State

        init(_ downstream: some Subscriber<Output, Failure>, _ source: PulledSource<Output, Failure>) {
            state = State(downstream: AnySubscriber(downstream), source: source)
        }

        func request(_ demand: Subscribers.Demand) {
            withLock { state in
                guard state.downstream != nil else { return }
                state.demand += demand
                if !state.isPulling { pullIfDemanded(&state) }
            }
        }

        func cancel() {
            let (task, held) = withLock { state in
                defer { state.task = nil }
                return (state.task, Self.takeAll(&state))
            }
            task?.cancel()
            // Released here, not under the lock: its end may call anything.
            _ = held
        }

        /// Starting a task calls nobody: it runs elsewhere, and waits for the lock if need be.
        private func pullIfDemanded(_ state: inout State) {
            state.isPulling = state.demand > .none && state.source != nil
            guard state.isPulling else { return }
            state.task = Task { await pull() }
        }

        private func pull() async {
            guard let source = withLock({ $0.source }) else { return }
            let step: Step
            do throws(Failure) {
                step = .success(try await source.next())
            } catch {
                step = .failure(error)
            }
            // A subscriber may block, which the pool of async tasks has no threads for.
            BackgroundThreads.completions.run { self.receive(step) }
        }

        private func receive(_ step: Step) {
            switch step {
            case .success(.value(let value)): deliver(value)
            case .success(.last(let value)):
                deliver(value, isLast: true)
                finish(.finished)
            case .success(.end): finish(.finished)
            case .failure(let error): finish(.failure(error))
            }
        }

        private func deliver(_ value: Output, isLast: Bool = false) {
            let downstream = withLock { state in
                state.task = nil
                // It was more than none, and nobody else takes from it.
                if state.demand > .none { state.demand -= 1 }
                return state.downstream
            }
            guard let downstream else { return }
            let demand = downstream.receive(value)
            guard !isLast else { return }
            withLock { state in
                state.demand += demand
                pullIfDemanded(&state)
            }
        }

        private func finish(_ completion: Subscribers.Completion<Failure>) {
            let (downstream, source) = withLock { state in
                state.task = nil
                return Self.takeAll(&state)
            }
            downstream?.receive(completion: completion)
            _ = source
        }

        private static func takeAll(_ state: inout State) -> (AnySubscriber<Output, Failure>?, PulledSource<Output, Failure>?) {
            defer {
                state.downstream = nil
                state.source = nil
            }
            return (state.downstream, state.source)
        }

        private func withLock<Value>(_ body: (inout State) -> Value) -> Value {
            lock.lock()
            defer { lock.unlock() }
            return body(&state)
        }
    }
#endif
