#if OPENCOMBINE || canImport(Combine)
    import DataTransfer

    // All publishers of this module are cold: a transfer begins when its subscriber first demands a value, anew for each subscriber,
    // and is called off when the subscription is cancelled, which closes its socket. Values and the completion come on background
    // threads that no transfer depends on; `receive(on:)` moves them.
    extension DataTransferService {
        /// Publishes the value of an endpoint, then finishes: a decoded one, or nothing for `Void`.
        ///
        /// ```swift
        /// service.requestPublisher(popular).sink { completion in … } receiveValue: { movies in … }.store(in: &subscriptions)
        /// ```
        public func requestPublisher<Target: ResponseRequestable>(
            _ endpoint: Target
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.request(endpoint) }).eraseToAnyPublisher()
        }

        /// Publishes the value of an endpoint with status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.response(for: endpoint) })
                .eraseToAnyPublisher()
        }

        /// Publishes the values of several endpoints at once, in their order, then finishes; or fails with the first error.
        ///
        /// - Parameter limit: How many are under way at once; 6 unless given; at least 1.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            _ endpoints: [Target], limit: Int = 6
        ) -> AnyPublisher<[Target.Response], DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.concurrently(endpoints, limit: limit) })
                .eraseToAnyPublisher()
        }

        /// Publishes what becomes of each of several endpoints, all at once and in their order, then finishes.
        ///
        /// - Parameter limit: How many are under way at once; 6 unless given; at least 1.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            collecting endpoints: [Target], limit: Int = 6
        ) -> AnyPublisher<[Result<Target.Response, DataTransferError>], Never> {
            PulledPublisher(of: { () async throws(Never) in await self.concurrently(collecting: endpoints, limit: limit) })
                .eraseToAnyPublisher()
        }

        /// Publishes the values of endpoints of different types, requested at once, as a tuple, then finishes; or fails with the first
        /// error.
        public func concurrentlyPublisher<each Target: ResponseRequestable>(
            _ endpoint: repeat each Target
        ) -> AnyPublisher<(repeat (each Target).Response), DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.concurrently(repeat each endpoint) })
                .eraseToAnyPublisher()
        }
    }
#endif
