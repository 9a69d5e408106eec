#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    // All publishers of this module are cold: each subscriber has a separate transfer, which begins with the subscriber's first demand.
    // Cancelling the subscription cancels the transfer and closes its socket. Values and the completion are published on the queue that was
    // passed; without one, on the main queue for a subscriber that subscribes on it, and otherwise on background threads.
    extension DataTransferService {
        /// Publishes the decoded value of an endpoint's response, or `()` if the response type is `Void`, then finishes.
        ///
        /// ```swift
        /// service.requestPublisher(popular, on: .main)
        ///     .sink { completion in … } receiveValue: { movies in … }
        ///     .store(in: &subscriptions)
        /// ```
        public func requestPublisher<Target: ResponseRequestable>(
            _ endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors { try await self.request(endpoint) }
            }).published(on: queue)
        }

        /// Publishes the decoded value of an endpoint's response with its status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors { try await self.response(for: endpoint) }
            })
            .published(on: queue)
        }

        /// Requests several endpoints concurrently, and publishes one array of their values, in the order of the endpoints, then
        /// finishes; or fails with the first error.
        ///
        /// - Parameters:
        ///   - endpoints: The endpoints.
        ///   - maximumConcurrency: The maximum number of concurrent requests. Default: 6. Minimum: 1.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            _ endpoints: [Target], maximumConcurrency: Int = 6, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<[Target.Response], DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors { try await self.concurrently(endpoints, maximumConcurrency: maximumConcurrency) }
            })
            .published(on: queue)
        }

        /// Requests several endpoints concurrently, and publishes one array of their results, in the order of the endpoints, then
        /// finishes.
        ///
        /// - Parameters:
        ///   - endpoints: The endpoints.
        ///   - maximumConcurrency: The maximum number of concurrent requests. Default: 6. Minimum: 1.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            collecting endpoints: [Target], maximumConcurrency: Int = 6, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<[Result<Target.Response, DataTransferError>], Never> {
            PulledPublisher(of: { () async throws(Never) in
                await self.concurrently(collecting: endpoints, maximumConcurrency: maximumConcurrency)
            })
            .published(on: queue)
        }

        /// Requests endpoints of different types concurrently, and publishes their values as a tuple, then finishes; or fails with the
        /// first error.
        public func concurrentlyPublisher<each Target: ResponseRequestable>(
            _ endpoint: repeat each Target, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<(repeat (each Target).Response), DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors { try await self.concurrently(repeat each endpoint) }
            })
            .published(on: queue)
        }
    }

    extension DataTransferService {
        /// Sends a body to an endpoint, and publishes the decoded response, then finishes.
        ///
        /// See `upload(_:to:progress:)` of `DataTransferService`.
        ///
        /// ```swift
        /// service.uploadPublisher(.file(movie, contentType: "video/mp4"), to: endpoint)
        /// service.uploadPublisher(.json(movie), to: endpoint)
        /// service.uploadPublisher(.multipart(form), to: endpoint)
        /// ```
        ///
        /// - Parameters:
        ///   - body: The body to send instead of the endpoint's body. A body that can be read only once supports one subscriber.
        ///   - endpoint: The endpoint to send to. Its method is used, except that GET, which has no body, becomes POST.
        ///   - progress: The observer to use instead of the endpoint's observer. A `ProgressMonitor` observes one transfer, and so supports
        ///     one subscriber; ``uploadUpdatesPublisher(_:to:on:)`` creates a separate observer for each subscriber.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func uploadPublisher<Target: ResponseRequestable>(
            _ body: EndpointBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil,
            on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors { try await self.upload(body, to: endpoint, progress: progress) }
            }).published(on: queue)
        }

        /// Sends a body to an endpoint, and publishes the response's decoded value with its status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target, uploading body: EndpointBody, progress: (any TransferProgressObserver)? = nil,
            on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors { try await self.response(for: endpoint, uploading: body, progress: progress) }
            }).published(on: queue)
        }
    }

    extension DataTransferService {
        /// Downloads an endpoint's response to a file, resuming where an earlier attempt stopped, and publishes the file, then finishes.
        ///
        /// Only one download at a time can write to a destination: of two concurrent subscribers, the second one fails.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint.
        ///   - destination: The file or the folder to download to.
        ///   - options: How the file is written, verified and resumed.
        ///   - progress: The progress observer. Default: the endpoint's observer. A `ProgressMonitor` observes one transfer, and so supports
        ///     one subscriber; ``downloadUpdatesPublisher(_:to:options:on:)`` creates a separate observer for each subscriber.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func downloadPublisher<Target: Requestable>(
            _ endpoint: Target, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
            progress: (any TransferProgressObserver)? = nil, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<DownloadedFile, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors {
                    try await self.download(endpoint, to: destination, options: options, progress: progress)
                }
            }).published(on: queue)
        }

        /// Downloads a large response to a temporary file, and publishes the value decoded from it, then finishes.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint.
        ///   - progress: The progress observer. Default: the endpoint's observer.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func downloadPublisher<Target: ResponseRequestable>(
            _ endpoint: Target, progress: (any TransferProgressObserver)? = nil, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await withTypedErrors { try await self.download(endpoint, progress: progress) }
            }).published(on: queue)
        }
    }

    // Each of these publishers requests the next value only while there is demand. Without demand, back-pressure stops the server once
    // about 256 KiB are buffered in the network.
    extension DataTransferService {
        /// Requests an endpoint, and publishes the values in its response one by one while the response arrives.
        ///
        /// ```swift
        /// service.streamPublisher(catalogue, as: .elements(of: Movie.self, at: "items"))
        /// service.streamPublisher(log, as: .lines())
        /// ```
        ///
        /// Values received before a failure are published first.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint.
        ///   - format: The format of the values in the response, and how a value that cannot be decoded is handled.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func streamPublisher<Target: Requestable, Element: Sendable>(
            _ endpoint: Target, as format: StreamFormat<Element>, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<Element, DataTransferError> {
            PulledPublisher(
                opening: { () async throws(DataTransferError) in
                    try await withTypedErrors { try await self.stream(endpoint, as: format).makeAsyncIterator() }
                },
                next: { values async throws(DataTransferError) in try await withTypedErrors { try await values.next() } }
            ).published(on: queue)
        }

        /// Requests an endpoint, and publishes the bytes of its response while it arrives, in non-empty chunks of any size.
        public func streamPublisher<Target: Requestable>(for endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil)
            -> AnyPublisher<Data, DataTransferError>
        {
            PulledPublisher(
                opening: { () async throws(DataTransferError) in
                    try await withTypedErrors { try await self.stream(for: endpoint).makeAsyncIterator() }
                },
                next: { chunks async throws(DataTransferError) in try await withTypedErrors { try await chunks.next() } }
            ).published(on: queue)
        }

        /// Publishes the server-sent events of an endpoint, reconnecting as needed, and finishes when the server responds with 204.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint.
        ///   - options: When to reconnect, and when to give up.
        ///   - lastEventID: The ID of the last event received in an earlier run; sent as `Last-Event-ID`.
        ///   - maximumEventBytes: The maximum size of an event in bytes. A larger event is a failure. Default: 1 MiB.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func eventsPublisher<Target: Requestable>(
            _ endpoint: Target, options: EventStreamOptions = EventStreamOptions(), lastEventID: String = "",
            maximumEventBytes: Int = 1 << 20, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<ServerSentEvent, DataTransferError> {
            let events = events(
                endpoint, options: options, lastEventID: lastEventID, maximumEventBytes: maximumEventBytes)
            return PulledPublisher(
                opening: { () async throws(DataTransferError) in events.makeAsyncIterator() },
                next: { events async throws(DataTransferError) in try await withTypedErrors { try await events.next() } }
            ).published(on: queue)
        }

        /// Publishes the pages of a list one after another. Each page is requested when the subscriber demands it.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint of the first page.
        ///   - rule: The rule that derives the next page's request from a page.
        ///   - maximumPages: The maximum number of pages; further pages are an error. Default: 1,000. Minimum: 1.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func pagesPublisher<Target: ResponseRequestable>(
            of endpoint: Target, by rule: PageRule<Target.Response>, maximumPages: Int = 1000,
            on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            let pages = pages(of: endpoint, by: rule, maximumPages: maximumPages)
            return PulledPublisher(
                opening: { () async throws(DataTransferError) in pages.makeAsyncIterator() },
                next: { pages async throws(DataTransferError) in try await withTypedErrors { try await pages.next() } }
            ).published(on: queue)
        }

        /// Requests several endpoints concurrently, and publishes each endpoint's index and result when it completes.
        ///
        /// - Parameters:
        ///   - endpoints: The endpoints.
        ///   - maximumConcurrency: The maximum number of requests that are in progress or whose results have not been demanded yet.
        ///     Default: 6. Minimum: 1.
        ///   - queue: The queue on which values and the completion are published. Default: the main queue for a subscriber on it.
        public func resultsPublisher<Target: ResponseRequestable>(
            of endpoints: [Target], maximumConcurrency: Int = 6, on queue: (any DataTransferDispatchQueue)? = nil
        ) -> AnyPublisher<(index: Int, result: Result<Target.Response, DataTransferError>), Never> {
            PulledPublisher(
                opening: { () async throws(Never) in
                    self.results(of: endpoints, maximumConcurrency: maximumConcurrency).makeAsyncIterator()
                },
                next: { results async throws(Never) in await results.next() }
            ).published(on: queue)
        }
    }
#endif
