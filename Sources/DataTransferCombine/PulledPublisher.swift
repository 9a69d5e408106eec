#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Dispatch
    import Foundation

    /// A publisher that requests a value from its source only when the subscriber demands one.
    ///
    /// It is cold: nothing happens before the first demand, and each subscriber has a separate source. Values are not buffered, because
    /// each was demanded. Therefore, if the number of values is not known, their end is found only when the value after the last one is
    /// demanded. Cancelling the subscription cancels the task that waits for a value and releases the source, which ends its transfer;
    /// nothing is published afterwards. Values are delivered one after another, on a queue, or on a background thread on which no transfer
    /// depends and which the subscriber may block; `receive(on:)` moves them to another scheduler.
    struct PulledPublisher<Output: Sendable, Failure: Error>: Publisher {
        /// Creates a source. Called once per subscriber; does not start the transfer.
        private let makeSource: @Sendable () -> PulledSource<Output, Failure>
        /// The queue on which values and the completion are delivered. With `nil`, it is the main queue for a subscriber on it: closures
        /// that are isolated to the main actor are in a chain of operators that is subscribed to there, and stop the process elsewhere.
        private var queue: (any DataTransferDispatchQueue)?

        init(_ makeSource: @escaping @Sendable () -> PulledSource<Output, Failure>) {
            self.makeSource = makeSource
        }

        func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == Failure {
            subscriber.receive(subscription: PulledSubscription(subscriber, makeSource(), on: queue ?? MainQueue.ifCurrent))
        }
    }

    extension PulledPublisher {
        /// Returns this publisher without its type, and with the queue of the caller.
        func published(on queue: (any DataTransferDispatchQueue)?) -> AnyPublisher<Output, Failure> {
            var publisher = self
            publisher.queue = queue
            return publisher.eraseToAnyPublisher()
        }

        /// Creates a publisher of the value that an operation returns.
        ///
        /// - Parameter operation: The operation. Called once per subscriber, with its first demand. Cancelling the subscription cancels
        ///   the operation's task.
        init(of operation: @escaping @Sendable () async throws(Failure) -> Output) {
            self.init { PulledSource { () async throws(Failure) in .last(try await operation()) } }
        }

        /// Creates a publisher of the values that an iterator returns.
        ///
        /// - Parameters:
        ///   - open: Creates the iterator. Called once per subscriber, with its first demand. Cancelling the subscription cancels the task
        ///     in which it runs.
        ///   - next: Returns the iterator's next value. Called by one task at a time.
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

    /// Calls a function of a service and states the type of its errors, as publishers do.
    func withTypedErrors<Value>(_ call: () async throws -> Value) async throws(DataTransferError) -> Value {
        do {
            return try await call()
        } catch {
            // A service throws no other error.
            throw error.dataTransferError
                ?? .networkFailure(.transport(TransportError(.other, "\(type(of: error))", underlying: error)))
        }
    }

    /// A subscription that requests values from a source, one at a time, while its subscriber has demand.
    ///
    /// Each value is awaited in a separate task, which ends with the value. Between two values, and without demand, there is no task:
    /// then only the subscriber holds the subscription, and releasing it ends the transfer. The subscriber and the source are released
    /// at the end or at cancellation, whichever is first.
    // `@unchecked Sendable`: `state` is accessed only inside `withLock`, and the subscriber is called by one thread at a time, as
    // Combine requires.
    final class PulledSubscription<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
        private typealias Step = Result<PulledSource<Output, Failure>.Step, Failure>

        private struct State {
            /// The subscriber; `nil`, like the source, after the end or cancellation.
            var downstream: AnySubscriber<Output, Failure>?
            var source: PulledSource<Output, Failure>?
            var demand = Subscribers.Demand.none
            /// Whether a value is being requested or delivered. No other value is requested meanwhile.
            var isPulling = false
            /// The task that waits for a value.
            var task: Task<Void, Never>?
        }

        /// The queue on which the subscriber is called; `nil` for background threads.
        private let queue: (any DataTransferDispatchQueue)?
        private let lock = NSLock()
        private var state: State

        init(
            _ downstream: some Subscriber<Output, Failure>, _ source: PulledSource<Output, Failure>,
            on queue: (any DataTransferDispatchQueue)?
        ) {
            self.queue = queue
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
            // The source is released here, outside the lock, because its deinitializer may call any code.
            _ = held
        }

        // Called with the lock held. That is safe: the new task runs on another thread, and waits there for the lock if necessary.
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
            // A subscriber may block, and a thread of the cooperative pool must not.
            guard let queue else { return BackgroundThreads.completions.run { self.receive(step) } }
            queue.asyncExecute { self.receive(step) }
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
                // The demand was above zero, and only this method reduces it; the condition guards against a trap.
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

    /// Whether code runs on the main queue, as that of the main actor does. Its thread need not be the main thread: on Linux, the main queue
    /// has another one after `dispatchMain()`.
    enum MainQueue {
        private static let key = {
            let key = DispatchSpecificKey<Void>()
            DispatchQueue.main.setSpecific(key: key, value: ())
            return key
        }()

        /// The main queue, if it runs this code; otherwise `nil`.
        static var ifCurrent: DispatchQueue? { DispatchQueue.getSpecific(key: key).map { .main } }
    }

    /// The source of the values for one subscriber. Releasing it ends its transfer.
    final class PulledSource<Output: Sendable, Failure: Error>: Sendable {
        enum Step: Sendable {
            case value(Output)
            /// The last value; the publisher finishes immediately after it.
            case last(Output)
            case end
        }

        /// Returns the next step. Called by one task at a time, and not again after the end or an error. Throws immediately when its
        /// task is cancelled.
        let next: @Sendable () async throws(Failure) -> Step

        init(next: @escaping @Sendable () async throws(Failure) -> Step) {
            self.next = next
        }
    }

    /// An iterator that is created when the first value is requested.
    // `@unchecked Sendable`: a source, and so its iterator, is called by one task at a time.
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
