#if OPENCOMBINE || canImport(Combine)
    import DataTransfer
    import Foundation

    // All publishers of this module are cold: each subscriber has a separate transfer, which begins with the subscriber's first demand.
    // Cancelling the subscription cancels the transfer and closes its socket. Values and the completion are delivered on background
    // threads on which no transfer depends; `receive(on:)` moves them to another scheduler.
    extension DataTransferService {
        /// Publishes the decoded value of an endpoint's response, or `()` if the response type is `Void`, then finishes.
        ///
        /// ```swift
        /// service.requestPublisher(popular).sink { completion in … } receiveValue: { movies in … }.store(in: &subscriptions)
        /// ```
        public func requestPublisher<Target: ResponseRequestable>(
            _ endpoint: Target
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.request(endpoint) }).eraseToAnyPublisher()
        }

        /// Publishes the decoded value of an endpoint's response with its status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.response(for: endpoint) })
                .eraseToAnyPublisher()
        }

        /// Requests several endpoints concurrently, and publishes one array of their values, in the order of the endpoints, then
        /// finishes; or fails with the first error.
        ///
        /// - Parameter limit: The maximum number of concurrent requests. Default: 6. Minimum: 1.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            _ endpoints: [Target], limit: Int = 6
        ) -> AnyPublisher<[Target.Response], DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.concurrently(endpoints, limit: limit) })
                .eraseToAnyPublisher()
        }

        /// Requests several endpoints concurrently, and publishes one array of their results, in the order of the endpoints, then
        /// finishes.
        ///
        /// - Parameter limit: The maximum number of concurrent requests. Default: 6. Minimum: 1.
        public func concurrentlyPublisher<Target: ResponseRequestable>(
            collecting endpoints: [Target], limit: Int = 6
        ) -> AnyPublisher<[Result<Target.Response, DataTransferError>], Never> {
            PulledPublisher(of: { () async throws(Never) in await self.concurrently(collecting: endpoints, limit: limit) })
                .eraseToAnyPublisher()
        }

        /// Requests endpoints of different types concurrently, and publishes their values as a tuple, then finishes; or fails with the
        /// first error.
        public func concurrentlyPublisher<each Target: ResponseRequestable>(
            _ endpoint: repeat each Target
        ) -> AnyPublisher<(repeat (each Target).Response), DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in try await self.concurrently(repeat each endpoint) })
                .eraseToAnyPublisher()
        }
    }

    extension DataTransferService {
        /// Sends a body to an endpoint, and publishes the decoded response, then finishes.
        ///
        /// See ``DataTransfer/DataTransferService/upload(_:to:progress:)``.
        ///
        /// ```swift
        /// service.uploadPublisher(.file(movie, contentType: "video/mp4"), to: endpoint)
        /// service.uploadPublisher(.multipart(form), to: endpoint)
        /// ```
        ///
        /// - Parameters:
        ///   - body: The body to send instead of the endpoint's body. A body that can be read only once supports one subscriber.
        ///   - endpoint: The endpoint to send to. Its method is used, except that GET, which has no body, becomes POST.
        ///   - progress: The observer to use instead of the endpoint's observer. A `ProgressMonitor` observes one transfer, and so supports
        ///     one subscriber; ``uploadUpdatesPublisher(_:to:)`` creates a separate observer for each subscriber.
        public func uploadPublisher<Target: ResponseRequestable>(
            _ body: RequestBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.upload(body, to: endpoint, progress: progress)
            }).eraseToAnyPublisher()
        }

        /// Sends a value as JSON to an endpoint, and publishes the decoded response, then finishes.
        ///
        /// - Parameters:
        ///   - value: An object, a top-level array or a scalar. A URL sends the file at that URL; `.json(url)` sends the URL's text.
        ///   - encoder: The encoder of the value. Default: sorted keys, slashes not escaped, otherwise Foundation's defaults.
        @_disfavoredOverload
        public func uploadPublisher<Target: ResponseRequestable>(
            _ value: some Encodable & Sendable, to endpoint: Target, encoder: any DataEncoder = .json,
            progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            uploadPublisher(.json(value, encoder: encoder), to: endpoint, progress: progress)
        }

        /// Sends bytes without encoding them, and publishes the decoded response, then finishes.
        ///
        /// The content type is `application/octet-stream`, unless the endpoint has a `Content-Type`.
        public func uploadPublisher<Target: ResponseRequestable>(
            _ data: Data, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            uploadPublisher(.data(data), to: endpoint, progress: progress)
        }

        /// Sends a file's contents without encoding them, and publishes the decoded response, then finishes.
        ///
        /// The content type is `application/octet-stream`, unless the endpoint has a `Content-Type`. If the URL is not a file URL, the
        /// publisher fails and nothing is sent.
        public func uploadPublisher<Target: ResponseRequestable>(
            _ file: URL, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            uploadPublisher(.file(file), to: endpoint, progress: progress)
        }

        /// Sends a body to an endpoint, and publishes the response's decoded value with its status, headers and timings, then finishes.
        public func responsePublisher<Target: ResponseRequestable>(
            for endpoint: Target, uploading body: RequestBody, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<DataTransferResponse<Target.Response>, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.response(for: endpoint, uploading: body, progress: progress)
            }).eraseToAnyPublisher()
        }
    }

    extension DataTransferService {
        /// Downloads an endpoint's response to a file, resuming where an earlier attempt stopped, and publishes the file, then finishes.
        ///
        /// Only one download at a time can write to a destination: of two concurrent subscribers, the second one fails.
        ///
        /// - Parameters:
        ///   - destination: The file or the folder to download to.
        ///   - progress: The progress observer. Default: the endpoint's observer. A `ProgressMonitor` observes one transfer, and so supports
        ///     one subscriber; ``downloadUpdatesPublisher(_:to:options:)`` creates a separate observer for each subscriber.
        public func downloadPublisher<Target: Requestable>(
            _ endpoint: Target, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
            progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<DownloadedFile, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.download(endpoint, to: destination, options: options, progress: progress)
            }).eraseToAnyPublisher()
        }

        /// Downloads an endpoint's response to the file at a URL, and publishes the file, then finishes.
        public func downloadPublisher<Target: Requestable>(
            _ endpoint: Target, to file: URL, options: DownloadOptions = DownloadOptions(),
            progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<DownloadedFile, DataTransferError> {
            downloadPublisher(endpoint, to: .file(file), options: options, progress: progress)
        }

        /// Downloads a large response to a temporary file, and publishes the value decoded from it, then finishes.
        ///
        /// - Parameter progress: The progress observer. Default: the endpoint's observer.
        public func downloadPublisher<Target: ResponseRequestable>(
            _ endpoint: Target, progress: (any TransferProgressObserver)? = nil
        ) -> AnyPublisher<Target.Response, DataTransferError> {
            PulledPublisher(of: { () async throws(DataTransferError) in
                try await self.download(endpoint, progress: progress)
            }).eraseToAnyPublisher()
        }
    }
#endif
