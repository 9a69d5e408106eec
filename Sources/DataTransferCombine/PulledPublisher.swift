#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    /// One source of values per subscriber, asked for a value only when the subscriber wants one.
    ///
    /// Cold: nothing happens before the first demand, and each subscriber has a source of its own. No value is ever kept back: there is
    /// none that was not asked for. So the end of values whose number is not known is found when the one after the last is asked for.
    /// Cancelling the subscription cancels the task that waits for a value, and lets go of the source, which ends its transfer; nothing
    /// is published afterwards. Values come one after another, on a background thread that no transfer depends on and that the
    /// subscriber may block; `receive(on:)` moves them.
    struct PulledPublisher<Output: Sendable, Failure: Error>: Publisher {
        /// Makes a source. Runs once for each subscriber, and has no effect yet.
        private let makeSource: @Sendable () -> PulledSource<Output, Failure>

        init(_ makeSource: @escaping @Sendable () -> PulledSource<Output, Failure>) {
            self.makeSource = makeSource
        }

        func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == Failure {
            subscriber.receive(subscription: PulledSubscription(subscriber, makeSource()))
        }
    }

    extension PulledPublisher {
        /// Publishes what an operation returns, then finishes.
        ///
        /// - Parameter operation: Runs anew for each subscriber, with the first demand. Its task is cancelled with the subscription.
        init(of operation: @escaping @Sendable () async throws(Failure) -> Output) {
            self.init { PulledSource { () async throws(Failure) in .last(try await operation()) } }
        }

        /// Publishes what an iterator hands out.
        ///
        /// - Parameters:
        ///   - open: Makes the iterator, anew for each subscriber, with the first demand. Its task is cancelled with the subscription.
        ///   - next: Asks it for the next value. Called by one task at a time.
        init<Iterator>(
            opening open: @escaping @Sendable () async throws(Failure) -> Iterator,
            next: @escaping @Sendable (inout Iterator) async throws(Failure) -> Output?
        ) {
            self.init {
                let opened = OpenedIterator(open: open)
                return PulledSource { () async throws(Failure) in
                    guard let value = try await opened.next(next) else { return .end }
                    return .value(value)
                }
            }
        }
    }

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

    /// Where the values of one subscriber come from. Letting go of it ends its transfer.
    final class PulledSource<Output: Sendable, Failure: Error>: Sendable {
        enum Step: Sendable {
            case value(Output)
            /// The end follows at once.
            case last(Output)
            case end
        }

        /// Called by one task at a time, and not again after the end or an error. At once when the task is cancelled, it throws.
        let next: @Sendable () async throws(Failure) -> Step

        init(next: @escaping @Sendable () async throws(Failure) -> Step) {
            self.next = next
        }
    }

    /// An iterator that is made when the first value is asked for.
    // Sendable although unchecked: a source is asked by one task at a time, and so is its iterator.
    final class OpenedIterator<Iterator, Failure: Error>: @unchecked Sendable {
        private let open: @Sendable () async throws(Failure) -> Iterator
        private var iterator: Iterator?

        init(open: @escaping @Sendable () async throws(Failure) -> Iterator) {
            self.open = open
        }

        func next<Output>(
            _ next: @Sendable (inout Iterator) async throws(Failure) -> Output?
        ) async throws(Failure) -> Output? {
            var opened: Iterator
            if let iterator {
                opened = iterator
            } else {
                opened = try await open()
            }
            let value = try await next(&opened)
            iterator = opened
            return value
        }
    }
#endif
