#if OPENCOMBINE || canImport(Combine)
    import DataTransfer

    /// One transfer per subscription, as a publisher of one value.
    ///
    /// Cold: the work starts when somebody subscribes, anew for each subscriber. The value waits until it is asked for, an error does
    /// not. Cancelling the subscription calls the transfer off, and nothing is published afterwards. Values come on a background
    /// thread that no transfer depends on; `receive(on:)` moves them.
    public struct DataTransferPublisher<Output: Sendable>: Publisher {
        /// What a ``DataTransfer/DataTransferService`` throws.
        public typealias Failure = DataTransferError

        /// Starts a transfer, whose completion runs exactly once.
        typealias Start =
            @Sendable (
                _ completion: @escaping @Sendable (Result<Output, DataTransferError>) -> Void
            ) -> any NetworkCancellable

        private let start: Start

        init(start: @escaping Start) {
            self.start = start
        }

        /// Hands the subscriber its subscription, then starts the transfer, unless it was cancelled by then.
        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == DataTransferError {
            let subscription = DataTransferSubscription(downstream: subscriber)
            subscriber.receive(subscription: subscription)
            subscription.start(start)
        }
    }

    extension DataTransferService {
        /// Publishes the value of an endpoint, then finishes: a decoded one, or nothing for `Void`.
        ///
        /// ```swift
        /// service.requestPublisher(popular).sink { completion in … } receiveValue: { movies in … }.store(in: &bag)
        /// ```
        public func requestPublisher<Target: ResponseRequestable>(
            _ endpoint: Target
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            DataTransferPublisher { completion in
                self.request(endpoint, on: nil, completion: completion)
            }
            .eraseToAnyPublisher()
        }

        /// Publishes the value of an endpoint with status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            DataTransferPublisher { completion in
                self.response(for: endpoint, on: nil, completion: completion)
            }
            .eraseToAnyPublisher()
        }
    }
#endif
