#if OPENCOMBINE || canImport(Combine)
    import DataTransfer

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
#endif
